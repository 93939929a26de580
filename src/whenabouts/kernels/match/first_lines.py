"""The last of three events, once for all matches: H_c(t, v), the share of c in who comes first after t and before v.

    H_c(t, v) = integral over u of c from t to v of  prod_(x != c) (1 - P(t < T_x < u))

is kept for a line of moments t in every cell, and grows with v. Inside a cell it is a polynomial in t, and so it is
known between the moments as well, and for v before t: there it is the negative integral from v to t.

An event that fits both gaps must stay away from both at once: 1 - P(s < T_x < t) - P(t < T_x < u), which is the product
of what each gap asks, less what is lost in both. That differs from the product only for t inside x, so cells that such
an event covers have a second line for each moment, from which x is left out: with A and B for the gaps' own factors,
A + B - 1 = 1 * B + (A - 1) * 1, the first on the line with x, and the second on the line without.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit, jit_borrowing
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.lanes import LANES, Lanes, greatest, lanes, natural, put, put_where, spread
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import NODES, WEIGHTS, Table, nodes_for, nodes_through

SLIVER = 1e-300
"""In place of nothing left of an event, where rounding puts a node on its end: nothing over this is nothing."""


class Lines(NamedTuple):
    """Moments t with weights; those of cell c are `start[c]:start[c + 1]`, `nodes[c]` of them, or twice as many.

    `joint[c]` is the event of the first gap that covers cell c and fits both gaps, or -1; `joined` says whether a cell
    has one. On the first lines of such a cell the first gap leaves it out (`out2`), on the second lines the second gap
    does (`out3`). `tail` is the probability that of the events of the second gap whose latest moment has passed all
    came before t; `known[c, t]` is H_c(t, v) for the present v, with the candidates c going round the rows. Beyond the
    lines of a cell, what is written along with them is overwritten when the next cell begins.
    """

    start: Ints
    nodes: Ints
    joint: Ints
    joined: bool
    moment: Floats
    weight: Floats
    out2: Ints
    out3: Ints
    tail: Floats
    known: Table


@jit
def make_lines(edge: Floats, two: Gap, three: Gap, slots: int) -> Lines:
    """Lines for every cell that an event of the second component covers.

    There are enough of them to lead N_2,b(s, t) * H_c(t, v) through, whose factors are the other events of both gaps
    and, where c covers the cell, the time that it has.
    """
    cells = len(edge) - 1
    start, nodes, joint = np.zeros(cells + 2, np.int64), np.zeros(cells + 1, np.int64), np.full(cells + 1, -1)
    for c in range(cells):
        taken = False
        for number in range(two.start[c], two.start[c + 1]):
            p = two.cover[number]
            taken |= two.place[p] >= 0
            if two.twin[p] >= 0:
                joint[c] = p
        if taken:
            degree = two.start[c + 1] - two.start[c] - 1 + three.start[c + 1] - three.start[c]
            nodes[c] = nodes_through((two.slope[c] + three.slope[c]) * (edge[c + 1] - edge[c]), degree)
        start[c + 1] = start[c] + (2 * nodes[c] if joint[c] >= 0 else nodes[c])
    start[cells + 1] = start[cells]
    size = start[cells]
    room = size + LANES
    moment, weight = np.zeros(room), np.zeros(room)
    out2, out3 = np.full(room, -1), np.full(room, -1)
    for c in range(cells):
        for k in range(start[c], start[c + 1]):
            again = k - start[c] >= nodes[c]
            step = k - start[c] - (nodes[c] if again else 0)
            moment[k] = edge[c] + (edge[c + 1] - edge[c]) * NODES[nodes[c], step]
            weight[k] = (edge[c + 1] - edge[c]) * WEIGHTS[nodes[c], step]
            if joint[c] >= 0 and again:
                out3[k] = two.twin[joint[c]]
            elif joint[c] >= 0:
                out2[k] = joint[c]
    tail, known = np.ones(room), np.zeros((slots, room))
    return Lines(start, nodes, joint, joint.max() >= 0, moment, weight, out2, out3, tail, known)


@jit_borrowing
def begin_cell(lines: Lines, three: Gap, edge: Floats, cell: int) -> None:
    """Begin the lines of a cell: v is at its lower end, before their moments."""
    lo, hi, per = three.lo, three.hi, three.per
    slots, covers, end = len(lines.known), three.start[cell], three.start[cell + 1]
    for k in range(lines.start[cell], lines.start[cell + 1]):
        lines.tail[k] = 1.0
        for slot in range(slots):
            lines.known[slot, k] = 0.0
        t, width = lines.moment[k], lines.moment[k] - edge[cell]
        nodes = nodes_for(three.slope[cell] * width, end - covers - 1)
        for node in range(nodes):
            u = edge[cell] + width * NODES[nodes, node]
            alone = width * WEIGHTS[nodes, node]
            for number in range(covers, end):
                p = three.cover[number]
                if p != lines.out3[k]:
                    alone *= (hi[p] - u + t - lo[p]) * per[p]
            for number in range(covers, end):
                p = three.cover[number]
                if three.place[p] >= 0 and p != lines.out3[k]:
                    lines.known[three.place[p] % slots, k] -= alone / (hi[p] - u + t - lo[p])


@jit_borrowing
def end_cell(lines: Lines, three: Gap, cell: int, first: int) -> None:
    """Take v from a cell to the next: of what ended between them, all had to come before t."""
    for number in range(three.start[cell], three.start[cell + 1]):
        p = three.cover[number]
        if three.end[p] > cell + 1:
            continue
        for at in range(first, lines.start[cell + 1], LANES):
            passed = greatest(lanes(lines.moment, at) - three.lo[p], 0.0) * three.per[p]
            put(lines.tail, at, lanes(lines.tail, at) * put_where(lines.out3, at, p, 1.0, passed))


@jit_borrowing
def densities(lines: Lines, three: Gap, cell: int, base: int, first: int, low: float, high: float, share: Table) -> int:
    """The densities of H_c at moments u between `low` and `high`, both in one cell, for the lines from `first` on.

    `share` has a row for every u of every c that covers the cell, and counts lines from `base`. Returned is how many
    moments u there are: as many as lead the densities through. Each c has the product of the others' factors, of those
    before it and those after it in the list.
    """
    covers, end = three.start[cell], three.start[cell + 1]
    points = nodes_through(three.slope[cell] * (high - low), end - covers - 1)
    for point in range(points):
        u, row = low + (high - low) * NODES[points, point], point - covers * points
        for at in range(first, lines.start[cell + 1], LANES):
            before, after = lanes(lines.tail, at), spread(1.0)
            for number in range(covers, end):
                p, own = natural(three.cover[natural(number)]), share[natural(row + number * points)]
                density = before * three.per[p]
                put(own, at - base, density if three.twin[p] < 0 else put_where(lines.out3, at, p, 0.0, density))
                before *= _outside(lines, three, p, u, at)
            for number in range(end - 2, covers - 1, -1):
                own = share[natural(row + number * points)]
                after *= _outside(lines, three, natural(three.cover[natural(number + 1)]), u, at)
                put(own, at - base, lanes(own, at - base) * after)
    return points


@jit_borrowing
def _outside(lines: Lines, three: Gap, p: int, u: float, at: int) -> Lanes:
    """The probabilities that an event lies outside of the gaps from some lines to u."""
    outside = (max(0.0, three.hi[p] - u) + greatest(lanes(lines.moment, at) - three.lo[p], 0.0)) * three.per[p]
    return outside if three.twin[p] < 0 else put_where(lines.out3, at, p, 1.0, outside)


@jit_borrowing
def add_densities(
    lines: Lines, three: Gap, cell: int, base: int, first: int, points: int, width: float, share: Table
) -> None:
    """Move v on by a stretch of a cell, given the densities at its Gauss nodes."""
    for number in range(three.start[cell], three.start[cell + 1]):
        p, row = natural(three.cover[natural(number)]), (number - three.start[cell]) * points
        if three.place[p] < 0:
            continue
        known = lines.known[three.place[p] % len(lines.known)]
        for at in range(first, lines.start[cell + 1], LANES):
            value = lanes(known, at)
            for point in range(points):
                value += width * WEIGHTS[points, point] * lanes(share[natural(row + point)], at - base)
            put(known, at, value)


@jit_borrowing
def grow(lines: Lines, three: Gap, cell: int, first: int, low: float, high: float, share: Table) -> None:
    """Move v on from `low` to `high`, both in one cell, for the lines from `first` on."""
    if high > low and three.start[cell] < three.start[cell + 1] and first < lines.start[cell + 1]:
        points = densities(lines, three, cell, first, first, low, high, share)
        add_densities(lines, three, cell, first, first, points, high - low, share)
