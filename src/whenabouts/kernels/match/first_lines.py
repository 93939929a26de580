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
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import MOST_THROUGH, NODES, WEIGHTS, nodes_for, nodes_through

Table = NDArray[np.float64]

SLIVER = 1e-300
"""In place of nothing left of an event, where rounding puts a node on its end: nothing over this is nothing."""


class Lines(NamedTuple):
    """Moments t with weights; those of cell c are `start[c]:start[c + 1]`, `nodes[c]` of them, or twice as many.

    `joint[c]` is the event of the first gap that covers cell c and fits both gaps, or -1. On the first lines of such a
    cell the first gap leaves it out (`out2`), on the second lines the second gap does (`out3`). `tail` is the
    probability that of the events of the second gap whose latest moment has passed all came before t; `known[c, t]` is
    H_c(t, v) for the present v, with the candidates c going round the rows.
    """

    start: Ints
    nodes: Ints
    joint: Ints
    moment: Floats
    weight: Floats
    out2: Ints
    out3: Ints
    tail: Floats
    known: Table


@jit
def make_lines(edge: Floats, two: Gap, three: Gap, slots: int) -> Lines:
    """Lines for every cell that an event of the second component covers."""
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
            width, own = edge[c + 1] - edge[c], three.start[c + 1] - three.start[c]
            degree = two.start[c + 1] - two.start[c] + own + 1
            nodes[c] = nodes_for((two.slope[c] + three.slope[c]) * width, degree)
            if own:
                nodes[c] = max(nodes[c], nodes_through(three.slope[c] * width * (own + 1) / own, own + 1))
            nodes[c] = min(nodes[c], MOST_THROUGH)
        start[c + 1] = start[c] + (2 * nodes[c] if joint[c] >= 0 else nodes[c])
    start[cells + 1] = start[cells]
    size = start[cells]
    moment, weight = np.empty(size), np.empty(size)
    out2, out3 = np.full(size, -1), np.full(size, -1)
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
    return Lines(start, nodes, joint, moment, weight, out2, out3, np.ones(size), np.zeros((slots, size)))


@jit
def begin_cell(lines: Lines, three: Gap, edge: Floats, cell: int) -> None:
    """Begin the lines of a cell: v is at its lower end, before their moments."""
    lo, hi, per = three.lo, three.hi, three.per
    slots = len(lines.known)
    covering = three.cover[three.start[cell] : three.start[cell + 1]]
    for k in range(lines.start[cell], lines.start[cell + 1]):
        lines.tail[k] = 1.0
        for slot in range(slots):
            lines.known[slot, k] = 0.0
        t, width = lines.moment[k], lines.moment[k] - edge[cell]
        nodes = nodes_for(three.slope[cell] * width, len(covering))
        for node in range(nodes):
            u = edge[cell] + width * NODES[nodes, node]
            alone = width * WEIGHTS[nodes, node]
            for p in covering:
                if p != lines.out3[k]:
                    alone *= (hi[p] - u + t - lo[p]) * per[p]
            for p in covering:
                if three.place[p] >= 0 and p != lines.out3[k]:
                    lines.known[three.place[p] % slots, k] -= alone / (hi[p] - u + t - lo[p])


@jit
def end_cell(lines: Lines, three: Gap, cell: int, first: int) -> None:
    """Take v from a cell to the next: of what ended between them, all had to come before t."""
    for number in range(three.start[cell], three.start[cell + 1]):
        p = three.cover[number]
        if three.end[p] > cell + 1:
            continue
        lo, per = three.lo[p], three.per[p]
        for k in range(first, lines.start[cell + 1]):
            if lines.out3[k] != p:
                lines.tail[k] *= max(0.0, lines.moment[k] - lo) * per


@jit
def densities(
    lines: Lines, three: Gap, cell: int, base: int, first: int, last: int, nodes: int, t: Floats, u: Floats,
    share: Table,
) -> None:  # fmt: skip
    """The density of H_c for moments u in a cell and the lines `first` up to `last`: a row a covering event.

    `t` and `u` hold the pairs of moments, `nodes` of u for each t, from line `base` on.
    """
    covers, end = three.start[cell], three.start[cell + 1]
    spare, begin, beyond = end - covers, max((first - base) * nodes, 0), (last - base) * nodes
    for k in range(first, last):
        for i in range(max((k - base) * nodes, 0), (k - base + 1) * nodes):
            share[spare, i] = lines.tail[k]
    for number in range(covers, end):
        p = three.cover[number]
        lo, hi, per = three.lo[p], three.hi[p], three.per[p]
        if three.twin[p] < 0:
            for i in range(begin, beyond):
                share[spare, i] *= (max(0.0, hi - u[i]) + max(0.0, t[i] - lo)) * per
        else:
            for i in range(begin, beyond):
                if lines.out3[base + i // nodes] != p:
                    share[spare, i] *= (max(0.0, hi - u[i]) + max(0.0, t[i] - lo)) * per
    for number in range(covers, end):
        p, row = three.cover[number], number - covers
        lo, hi = three.lo[p], three.hi[p]
        if three.place[p] < 0:
            continue
        for i in range(begin, beyond):
            share[row, i] = share[spare, i] / max(SLIVER, max(0.0, hi - u[i]) + max(0.0, t[i] - lo))
        if three.twin[p] >= 0:
            for i in range(begin, beyond):
                if lines.out3[base + i // nodes] == p:
                    share[row, i] = 0.0


@jit
def add_densities(
    lines: Lines, three: Gap, cell: int, base: int, first: int, last: int, nodes: int, width: float, share: Table
) -> None:
    """Move v on by a stretch of a cell, given the densities at its Gauss nodes."""
    slots = len(lines.known)
    for number in range(three.start[cell], three.start[cell + 1]):
        p, row = three.cover[number], number - three.start[cell]
        if three.place[p] < 0:
            continue
        slot, i = three.place[p] % slots, max((first - base) * nodes, 0)
        for k in range(max(first, 0), last):
            total = 0.0
            for node in range(nodes):
                total += WEIGHTS[nodes, node] * share[row, i]
                i += 1
            lines.known[slot, k] += width * total


@jit
def grow(
    lines: Lines, three: Gap, cell: int, first: int, low: float, high: float, t: Floats, u: Floats, share: Table
) -> None:
    """Move v on from `low` to `high`, both in one cell, for the lines from `first` on."""
    last = lines.start[cell + 1]
    covering = three.start[cell + 1] - three.start[cell]
    if high <= low or not covering or first >= last:
        return
    nodes = min(nodes_for(three.slope[cell] * (high - low), covering), MOST_THROUGH)
    i = 0
    for k in range(first, last):
        for node in range(nodes):
            t[i], u[i] = lines.moment[k], low + (high - low) * NODES[nodes, node]
            i += 1
    densities(lines, three, cell, first, first, last, nodes, t, u, share)
    add_densities(lines, three, cell, first, first, last, nodes, high - low, share)
