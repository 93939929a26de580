"""How much each line of moments t counts for each b, given a moment s: N_2,b(s, t) times the weight of t.

Cells that s or s + W cuts count in part. What a part lends is spread over the lines of the whole cell, as much as each
of them says about the polynomial through all of them at a moment between.
"""

from __future__ import annotations

from typing import NamedTuple

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats
from whenabouts.kernels.match.first_lines import SLIVER, Lines, Table
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import BARYCENTRIC, NODES, WEIGHTS, nodes_for


class Stretch(NamedTuple):
    """A stretch of s from x to y in one cell, `here`, with s + W in another, `there`; both are gone through in nodes.

    t goes from `here` to the cell `last`; `cut` says whether s + W lies in that one. Of the lists of the gaps the
    events from `b` up to `last_b`, and from `c` up to `last_c`, can still come. Lines before `ready` grow no more.
    """

    x: float
    y: float
    nodes: int
    here: int
    there: int
    last: int
    cut: bool
    b: int
    last_b: int
    c: int
    last_c: int
    ready: int


class Room(NamedTuple):
    """Room to work on a stretch. Pairs of a line and a node stand line by line in `s`, `t`, `u` and the tables' rows.

    `moment` and `weight` are the nodes of s, `weights` has a row for each b, `share` and `gained` one for each c that
    covers the cell of s + W: the density of H_c, and what H_c gains up to each node. `found` is what all lines give to
    each pair of b and c.
    """

    moment: Floats
    weight: Floats
    spread: Floats
    s: Floats
    t: Floats
    u: Floats
    alone: Floats
    weights: Table
    sums: Table
    share: Table
    gained: Table
    found: Table


@jit
def weigh_lines(two: Gap, three: Gap, lines: Lines, edge: Floats, window: float, stretch: Stretch, room: Room) -> None:
    """For every b and node of s, how much each line counts."""
    size = (lines.start[stretch.last + 1] - lines.start[stretch.here]) * stretch.nodes
    weights = room.weights
    for b in range(stretch.last_b - stretch.b):
        for i in range(size):
            weights[b, i] = 0.0
    _whole_cells(two, lines, stretch, room)
    _part_of_cell(two, three, lines, edge, window, stretch.here, stretch, room)
    if stretch.cut and stretch.last > stretch.here:
        _part_of_cell(two, three, lines, edge, window, stretch.last, stretch, room)


@jit
def _whole_cells(two: Gap, lines: Lines, stretch: Stretch, room: Room) -> None:
    """Weigh the lines of the cells that s and s + W leave whole."""
    first, beyond, nodes = stretch.here + 1, stretch.last if stretch.cut else stretch.last + 1, stretch.nodes
    if first >= beyond:
        return
    start, s, t, alone, weights = lines.start, room.s, room.t, room.alone, room.weights
    k0 = start[stretch.here]
    inner, size = max((start[first] - k0) * nodes, 0), (start[beyond] - k0) * nodes
    i = inner
    for k in range(start[first], start[beyond]):
        for node in range(nodes):
            alone[i] = lines.weight[k] * room.weight[node]
            i += 1
    for p in range(stretch.b, two.upto[beyond - 1]):
        lo, hi, per = two.lo[p], two.hi[p], two.per[p]
        begin = max((start[two.begin[p]] - k0) * nodes, inner)
        if two.twin[p] < 0:
            for i in range(begin, size):
                alone[i] *= (max(0.0, hi - t[i]) + max(0.0, s[i] - lo)) * per
        else:
            for i in range(begin, size):
                if lines.out2[k0 + i // nodes] != p:
                    alone[i] *= (max(0.0, hi - t[i]) + max(0.0, s[i] - lo)) * per
    for p in range(stretch.b, two.upto[beyond - 1]):
        if two.place[p] < 0:
            continue
        lo, hi, b = two.lo[p], two.hi[p], p - stretch.b
        begin = max((start[two.begin[p]] - k0) * nodes, inner)
        for i in range(begin, (start[min(two.end[p], beyond)] - k0) * nodes):
            weights[b, i] = alone[i] / max(SLIVER, max(0.0, hi - t[i]) + max(0.0, s[i] - lo))
    for cell in range(first, beyond):
        if lines.joint[cell] >= 0:
            _split_twin(two, lines, cell, (start[cell] - k0) * nodes, stretch, weights)


@jit
def _split_twin(two: Gap, lines: Lines, cell: int, begin: int, stretch: Stretch, weights: Table) -> None:
    """Where an event fits both gaps, turn weights without and with it into those of the first and second lines."""
    step = lines.nodes[cell] * stretch.nodes
    for number in range(two.start[cell], two.start[cell + 1]):
        p = two.cover[number]
        if two.place[p] < 0:
            continue
        for i in range(begin, begin + step):
            if p == lines.joint[cell]:
                weights[p - stretch.b, i] = 0.0
            else:
                weights[p - stretch.b, i + step] -= weights[p - stretch.b, i]


@jit
def _part_of_cell(
    two: Gap, three: Gap, lines: Lines, edge: Floats, window: float, cell: int, stretch: Stretch, room: Room
) -> None:
    """Spread what the part of a cell between s and s + W lends over the lines of the cell."""
    count, joint, nodes = lines.nodes[cell], lines.joint[cell], stretch.nodes
    if count == 0:
        return
    lo, hi, per, begin, upto = two.lo, two.hi, two.per, two.begin, two.upto[cell]
    spread, weights, moment, weight = room.spread, room.weights, room.moment, room.weight
    at = max((lines.start[cell] - lines.start[stretch.here]) * nodes, 0)
    slope = two.slope[cell] + three.slope[cell]
    degree = two.start[cell + 1] - two.start[cell] + three.start[cell + 1] - three.start[cell] + 1
    for node in range(nodes):
        s = moment[node]
        low = s if cell == stretch.here else edge[cell]
        high = s + window if cell == stretch.there else edge[cell + 1]
        steps = nodes_for(slope * (high - low), degree) if high > low else 0
        for step in range(steps):
            t = low + (high - low) * NODES[steps, step]
            _interpolate((t - edge[cell]) / (edge[cell + 1] - edge[cell]), count, spread)
            alone, with_joint = weight[node] * (high - low) * WEIGHTS[steps, step], 1.0
            for p in range(stretch.b, upto):
                if begin[p] > cell:
                    continue
                factor = (max(0.0, hi[p] - t) + max(0.0, s - lo[p])) * per[p]
                if p == joint:
                    with_joint = factor
                else:
                    alone *= factor
            for number in range(two.start[cell], two.start[cell + 1]):
                p = two.cover[number]
                if two.place[p] < 0:
                    continue
                taken, b = alone / max(SLIVER, max(0.0, hi[p] - t) + max(0.0, s - lo[p])), p - stretch.b
                if joint < 0:
                    for j in range(count):
                        weights[b, at + j * nodes + node] += taken * spread[j]
                    continue
                first, second = (0.0, alone * per[p]) if p == joint else (taken, taken * (with_joint - 1.0))
                for j in range(count):
                    weights[b, at + j * nodes + node] += first * spread[j]
                    weights[b, at + (count + j) * nodes + node] += second * spread[j]


@jit
def _interpolate(x: float, count: int, spread: Floats) -> None:
    """How much each of a cell's nodes says about the value at x of the polynomial through all of them."""
    total = 1.0
    for j in range(count):
        away = x - NODES[count, j]
        if away == 0.0:
            spread[:count] = 0.0
            spread[j] = 1.0
            return
        total *= away
        spread[j] = BARYCENTRIC[count, j] / away
    for j in range(count):
        spread[j] *= total
