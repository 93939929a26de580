"""The probability that independent uncertain times come in a given order, within a window.

Cut time at every end of a piece. Inside a cell each time is uniform, so k of them that fall into the same one are in
the wanted order with probability 1/k!, and k of n ticks are strictly increasing with C(n, k)/n^k. A walk over the
cells that counts how many events have been placed therefore sums the probability of the order,

    S'[j] = sum_k S[j - k] m[j - k + 1] ... m[j] / k!,

exactly, with no term below zero and at a cost that does not depend on how wide the cells are.

A window couples the first time to the last: P(t_1 < ... < t_l < t_1 + W) is the mean over s = t_1 of the probability
that the others come in order inside (s, s + W). As a function of s that is a polynomial between two neighbouring
ends, or ends less W, of a degree known beforehand; so a few Gauss nodes give its mean exactly. For counted time the
mean is over ticks, and the nodes are those of Gauss's rule for equal weights on n points.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Ints
from whenabouts.kernels.match.gauss import NODES, WEIGHTS
from whenabouts.kernels.match.times import Grid, gather, lay_out


@jit
def ordered(grid: Grid, first: int, count: int, cell: int, a: float, b: float, discrete: bool) -> float:
    """P(t_first < ... < t_(count-1), all inside (a, b)); in counted time on the ticks from a up to b - 1.

    The walk begins in the given cell, which holds a.
    """
    edge, size, state = grid.edge, grid.size[0], grid.state
    points = grid.size[1] > 0
    wanted = count - first
    step = 1.0 if discrete else 0.0
    state[0] = 1.0
    for placed in range(1, wanted + 1):
        state[placed] = 0.0
    for c in range(cell, size):
        if edge[c] >= b:
            break
        if points and edge[c] > a:
            for placed in range(wanted, 0, -1):
                state[placed] += state[placed - 1] * grid.atom[first + placed - 1, c]
        if c + 1 == size or edge[c + 1] <= a:
            continue
        x0, x1 = max(edge[c], a), min(edge[c + 1], b)
        share = x1 - x0 if discrete else (x1 - x0) / (edge[c + 1] - edge[c])
        for placed in range(wanted, 0, -1):
            total, product = state[placed], 1.0
            for k in range(1, placed + 1):
                product *= grid.cell[first + placed - k, c] * (share - (k - 1) * step) / k
                if product == 0.0:
                    break
                total += state[placed - k] * product
            state[placed] = total
    return state[wanted]


@jit
def _degree(grid: Grid, count: int, c: int) -> int:
    """How many of the events after the first have mass in a cell: the degree that it lends to the mean over s."""
    found = 0
    if 0 <= c < grid.size[0]:
        for number in range(1, count):
            if grid.cell[number, c] > 0.0:
                found += 1
    return found


@jit
def _mean(grid: Grid, count: int, cell: int, x: float, y: float, window: float, degree: int, discrete: bool) -> float:
    """The mean over s in [x, y] of P(s < t_2 < ... < s + W), a polynomial of at most the given degree there."""
    nodes = degree // 2 + 1
    total = 0.0
    if not discrete:
        for node in range(nodes):
            s = x + (y - x) * NODES[nodes, node]
            total += WEIGHTS[nodes, node] * ordered(grid, 1, count, cell, s, s + window, False)
        return total
    ticks = y - x
    if ticks <= nodes or nodes > 3:
        for tick in range(int(ticks)):
            total += ordered(grid, 1, count, cell, x + tick + 1.0, x + tick + window, True)
        return total / ticks
    middle = x + (ticks - 1.0) / 2.0
    reach, side = 0.0, 0.0
    if nodes == 2:
        reach, side = np.sqrt((ticks * ticks - 1.0) / 12.0), 0.5
    elif nodes == 3:
        reach = np.sqrt((3.0 * ticks * ticks - 7.0) / 20.0)
        side = (ticks * ticks - 1.0) / (24.0 * reach * reach)
    if side < 0.5:
        total += (1.0 - 2.0 * side) * ordered(grid, 1, count, cell, middle + 1.0, middle + window, True)
    if side > 0.0:
        for s in (middle - reach, middle + reach):
            total += side * ordered(grid, 1, count, cell, s + 1.0, s + window, True)
    return total


@jit
def within_window(grid: Grid, count: int, window: float, discrete: bool) -> float:
    """P(t_1 < ... < t_count < t_1 + W) for the events on the grid."""
    edge, size = grid.edge, grid.size[0]
    total = 0.0
    for piece in range(grid.start[1]):
        lo, hi, mass = grid.lo[piece], grid.hi[piece], grid.mass[piece]
        if lo == hi:
            total += mass * ordered(grid, 1, count, 0, lo, lo + window, False)
            continue
        here, there = 0, 0
        while edge[here + 1] <= lo:
            here += 1
        while there < size and edge[there] - window <= lo:
            there += 1
        x = lo
        while x < hi:
            y = min(edge[here + 1], hi)
            if there < size and edge[there] - window < y:
                y = edge[there] - window
            degree = _degree(grid, count, here)
            if there - 1 != here:
                degree += _degree(grid, count, there - 1)
            total += mass * (y - x) / (hi - lo) * _mean(grid, count, here, x, y, window, degree, discrete)
            if y == edge[here + 1]:
                here += 1
            if there < size and y == edge[there] - window:
                there += 1
            x = y
    return total


@jit
def surely_before(events: Events, one: int, other: int, discrete: bool) -> bool:
    """Whether the first of two events happens before the second for certain."""
    if discrete:
        return events.latest[one] <= events.earliest[other]
    if events.latest[one] < events.earliest[other]:
        return True
    return (
        events.latest[one] == events.earliest[other]
        and len(events.shape) == 0
        and (events.earliest[one] < events.latest[one] or events.earliest[other] < events.latest[other])
    )


@jit
def surely_within(events: Events, one: int, other: int, window: float, discrete: bool) -> bool:
    """Whether the second of two events happens less than W after the first for certain."""
    if discrete:
        return events.latest[other] - 1.0 - events.earliest[one] < window
    reach = events.latest[other] - events.earliest[one]
    if reach < window:
        return True
    return (
        reach == window
        and len(events.shape) == 0
        and (events.earliest[one] < events.latest[one] or events.earliest[other] < events.latest[other])
    )


@jit
def confidence(events: Events, match: Ints, window: float, discrete: bool, grid: Grid) -> float:
    """P(t_1 < ... < t_l < t_1 + W) for the events of a match.

    Where an event surely precedes the next, the chain falls into independent parts, and a part of one event costs
    nothing. Of the rest, the parts of the first and of the last event go together if the window is in doubt.
    """
    length, chosen = len(match), grid.chosen
    bounded = not surely_within(events, match[0], match[length - 1], window, discrete)
    result = 1.0
    begin, kept = 0, 0
    for place in range(length):
        if place + 1 < length and not surely_before(events, match[place], match[place + 1], discrete):
            continue
        if bounded and (begin == 0 or place + 1 == length):
            for number in range(begin, place + 1):
                chosen[kept] = number
                kept += 1
        elif place > begin:
            for number in range(begin, place + 1):
                chosen[kept + number - begin] = number
            gather(events, match, chosen[kept:], place + 1 - begin, False, discrete, grid)
            lay_out(place + 1 - begin, discrete, grid)
            result *= ordered(grid, 0, place + 1 - begin, 0, -np.inf, np.inf, discrete)
        begin = place + 1
    if bounded:
        first, last = match[0], match[length - 1]
        narrow = events.latest[last] - events.earliest[last] < events.latest[first] - events.earliest[first]
        gather(events, match, chosen, kept, narrow, discrete, grid)
        lay_out(kept, discrete, grid)
        result *= within_window(grid, kept, window, discrete)
    return min(result, 1.0)
