"""Confidence where other events must stay away: skip-till-next-match, and negated components.

A match of skip-till-next has no event between t_(j-1) and t_j that could have stood at component j as well, and none
that fits a negated component between the two. Given the times of the match, such rivals are independent of each
other, so

    P(match) = E[ 1(t_1 < ... < t_l < t_1 + W) * prod_x (1 - sum_(j in J(x)) P(t_(j-1) < T_x < t_j)) ]

with J(x) the gaps that rival x must stay out of: one where events fit one component (paper 002, equation 3), several
where they fit more (equation 4), without enumerating the rivals' points. Between two neighbouring ends of pieces
every factor is affine in each time, so the integrand is a polynomial and Gauss's rule on each cell is exact with
enough nodes; nodes are spared where the terms that they would integrate are below rounding. Counted time sums over
ticks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.match.cells import sorted_edges
from whenabouts.kernels.match.gauss import NODES, WEIGHTS, nodes_for
from whenabouts.kernels.match.masses import cell_mass, mass_inside, point_mass

_STEEP = 32.0
"""A cell is cut further where the slopes of its factors sum to more, so that the nodes there are do."""
_NO_MASS = 4e-16
"""What rounding leaves of a mass that is used up."""


class Rivals(NamedTuple):
    """The rivals of a match, each with a bit for every gap that it must stay out of, and room to work in.

    Of `edge`, `slope`, `degree` and `size` the first row is for the first event, whose cells are also cut where an end,
    less the window, lies in them; the second row is for all others.
    """

    row: Ints
    gaps: Ints
    number: Ints
    edge: NDArray[np.float64]
    slope: NDArray[np.float64]
    degree: NDArray[np.int64]
    size: Ints
    used: NDArray[np.float64]
    time: Floats
    weight: Floats
    cell: Ints
    node: Ints
    nodes: Ints


def make_rivals(most: int, length: int, pieces: int) -> Rivals:
    """Room for so many rivals of a match of so many events."""
    edges = 5 * pieces * (most + length) + 8
    return Rivals(
        np.empty(most + 1, dtype=np.int64), np.empty(most + 1, dtype=np.int64), np.zeros(1, dtype=np.int64),
        np.empty((2, edges)), np.empty((2, edges)), np.empty((2, edges), dtype=np.int64), np.zeros(2, dtype=np.int64),
        np.zeros((length + 1, most + 1)), np.zeros(length), np.zeros(length), np.zeros(length, dtype=np.int64),
        np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.int64),
    )  # fmt: skip


@jit
def _add_edges(events: Events, one: int, low: float, high: float, edge: Floats, used: int) -> int:
    """Append the ends of an event's pieces that lie in [low, high]."""
    if len(events.shape) == 0:
        for end in (events.earliest[one], events.latest[one]):
            if low <= end <= high:
                edge[used] = end
                used += 1
        return used
    shapes, anchor = events.shapes, events.anchor[one]
    for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
        for end in (anchor + shapes.lo[piece], anchor + shapes.hi[piece]):
            if low <= end <= high:
                edge[used] = end
                used += 1
    return used


@jit
def _cut(events: Events, match: Ints, low: float, high: float, window: float, discrete: bool, rivals: Rivals) -> None:
    """Cut [low, high] at every end of a piece, and note how steep and of which degree the integrand is in each cell."""
    edge = rivals.edge[1]
    edge[0], edge[1], used = low, high, 2
    for one in match:
        used = _add_edges(events, one, low, high, edge, used)
    for number in range(rivals.number[0]):
        used = _add_edges(events, rivals.row[number], low, high, edge, used)
    size = sorted_edges(edge, used)
    used = size
    _measure(events, match, size, rivals)
    for c in range(size - 1):
        parts = int(rivals.slope[1, c] / _STEEP) + 1
        for part in range(1, parts):
            edge[used] = edge[c] + (edge[c + 1] - edge[c]) * part / parts
            used += 1
    if used > size and not discrete:
        size = sorted_edges(edge, used)
        _measure(events, match, size, rivals)
    rivals.size[1] = size
    outer, used = rivals.edge[0], 0
    for c in range(size):
        outer[used] = edge[c]
        used += 1
        if low < edge[c] - window < high:
            outer[used] = edge[c] - window
            used += 1
    used = sorted_edges(outer, used)
    rivals.size[0] = used
    here, there = 0, 0
    for c in range(used - 1):
        while here + 1 < size and edge[here + 1] <= outer[c]:
            here += 1
        while there < size and edge[there] - window <= outer[c]:
            there += 1
        slope, degree = rivals.slope[1, here], rivals.degree[1, here]
        if 0 < there < size and there - 1 != here:
            slope += rivals.slope[1, there - 1]
            degree += rivals.degree[1, there - 1]
        rivals.slope[0, c] = slope
        rivals.degree[0, c] = degree


@jit
def _measure(events: Events, match: Ints, size: int, rivals: Rivals) -> None:
    """Note for every cell how many factors of the integrand change in it, and how steeply they do in all."""
    edge = rivals.edge[1]
    for c in range(size - 1):
        slope, degree = 0.0, 0
        for place in range(1, len(match)):
            mass = cell_mass(events, match[place], edge[c], edge[c + 1])
            slope += mass
            degree += 1 if mass > 0.0 else 0
        for number in range(rivals.number[0]):
            mass = cell_mass(events, rivals.row[number], edge[c], edge[c + 1])
            slope += mass
            degree += 1 if mass > 0.0 else 0
        rivals.slope[1, c] = slope
        rivals.degree[1, c] = degree


@jit
def _enter(level: int, rivals: Rivals) -> None:
    """Begin to go through the moments of the event at a level, after those of the levels above were fixed."""
    rivals.node[level] = -2
    low, high = 0, rivals.size[1] - 1
    if level > 0:
        while high - low > 1:
            middle = (low + high) // 2
            if rivals.edge[1, middle] <= rivals.time[level - 1]:
                low = middle
            else:
                high = middle
    rivals.cell[level] = low


@jit
def _step(events: Events, one: int, level: int, window: float, discrete: bool, rivals: Rivals) -> float:
    """Move the event at a level to its next moment: the weight of that, or -1 where there is none.

    A cell is gone through as the point at its lower end, then its nodes; in counted time, as its ticks.
    """
    row = 0 if level == 0 else 1
    edge, size = rivals.edge[row], rivals.size[row]
    low, high = -np.inf, np.inf
    if level > 0:
        low = rivals.time[level - 1] + (1.0 if discrete else 0.0)
        high = rivals.time[0] + window
    while True:
        c = rivals.cell[level]
        if c >= size or edge[c] >= high:
            return -1.0
        if rivals.node[level] == -2:
            rivals.node[level] = -1
            rivals.nodes[level] = 0
            if not discrete and edge[c] > low:
                mass = point_mass(events, one, edge[c])
                if mass > 0.0:
                    rivals.time[level] = edge[c]
                    return mass
        if c + 1 >= size:
            return -1.0
        whole = cell_mass(events, one, edge[c], edge[c + 1])
        x, y = max(edge[c], low), min(edge[c + 1], high)
        if rivals.node[level] == -1 and whole > 0.0 and x < y:
            rivals.nodes[level] = int(y - x) if discrete else nodes_for(rivals.slope[row, c], rivals.degree[row, c])
        rivals.node[level] += 1
        node, nodes = rivals.node[level], rivals.nodes[level]
        if node >= nodes:
            rivals.cell[level] = c + 1
            rivals.node[level] = -2
            continue
        if discrete:
            rivals.time[level] = x + node
            return whole / (edge[c + 1] - edge[c])
        rivals.time[level] = x + (y - x) * NODES[nodes, node]
        return whole * (y - x) / (edge[c + 1] - edge[c]) * WEIGHTS[nodes, node]


@jit
def _alone(events: Events, level: int, discrete: bool, rivals: Rivals) -> float:
    """The probability that no rival is in the gap that ends at a level, as far as it can be told at that level."""
    a, b = rivals.time[level - 1] + (1.0 if discrete else 0.0), rivals.time[level]
    bit, result = 1 << level, 1.0
    for number in range(rivals.number[0]):
        gaps = rivals.gaps[number]
        if gaps == bit:
            result *= 1.0 - mass_inside(events, rivals.row[number], a, b)
        elif gaps & (gaps - 1):
            spent = rivals.used[level - 1, number] if level > 1 else 0.0
            if gaps & bit:
                spent += mass_inside(events, rivals.row[number], a, b)
                if gaps >> (level + 1) == 0:
                    result *= 1.0 - spent if 1.0 - spent > _NO_MASS else 0.0
            rivals.used[level, number] = spent
        if result == 0.0:
            return 0.0
    return result


@jit
def exclusive(
    events: Events, match: Ints, low: float, high: float, window: float, discrete: bool, rivals: Rivals
) -> tuple[float, float, float]:
    """Confidence, earliest and latest moment of a match whose times lie in [low, high], with its rivals kept out."""
    last = len(match) - 1
    _cut(events, match, low, high + 1.0 if discrete else high, window, discrete, rivals)
    total, earliest, latest = 0.0, np.inf, -np.inf
    level = 0
    _enter(0, rivals)
    while level >= 0:
        weight = _step(events, match[level], level, window, discrete, rivals)
        if weight < 0.0:
            level -= 1
            continue
        if level > 0:
            weight *= rivals.weight[level - 1]
            weight *= _alone(events, level, discrete, rivals)
            if weight == 0.0:
                continue
        if level < last:
            rivals.weight[level] = weight
            level += 1
            _enter(level, rivals)
            continue
        total += weight
        first = discrete or rivals.node[0] == -1
        earliest = min(earliest, rivals.time[0] if first else rivals.edge[0, rivals.cell[0]])
        latest = max(latest, _last_moment(last, window, discrete, rivals))
    return min(total, 1.0), earliest, latest


@jit
def _last_moment(last: int, window: float, discrete: bool, rivals: Rivals) -> float:
    """The supremum of the last event's moments in the present cells."""
    if discrete or rivals.node[last] == -1:
        return rivals.time[last]
    if last == 0:
        return rivals.edge[0, rivals.cell[0] + 1]
    first = rivals.time[0] if rivals.node[0] == -1 else rivals.edge[0, rivals.cell[0] + 1]
    return min(rivals.edge[1, rivals.cell[last] + 1], first + window)
