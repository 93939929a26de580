"""How much each line of moments t counts for each b, given a stretch of s: N_2,b(s, t) times the weight of t.

Events of the first gap that began before s can lie before it or after t, those that began later can only lie after t,
and once one of them is over nothing is left. The lines of cells that s or s + W cuts count in part: what is integrated
is a polynomial there, led through its values on the lines, also on those outside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit_borrowing
from whenabouts.kernels.events import Floats
from whenabouts.kernels.match.first_lines import SLIVER, Lines, Table
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import WEIGHTS, parts_before
from whenabouts.kernels.spans import span


class Stretch(NamedTuple):
    """A stretch of s from x to y in one cell, `here`, with s + W in another, `there`; it is gone through in nodes.

    t goes from `here` to the cell `last`; `cut` says whether s + W lies in that one. Of the lists of the gaps the
    events from `b` up to `last_b`, and from `c` up to `last_c`, can still come. Lines before `ready` grow no more.
    H_c grows through `points` moments while s + W goes on.
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
    points: int


class Room(NamedTuple):
    """Room to work on a stretch: rows of lines, counted from the first of the cell of s.

    `gains[node]` is what each of the sums over the nodes of s takes: all of it, and as much as H_c has grown by then
    for each of the points of its growth. `alone` has a row for each node of s, `together` and `sums` one for each of
    the sums, for no b and for one. `others` and `share` are for the densities of H_c. `found` is what all lines give to
    each pair of b and c.
    """

    moment: Floats
    lower: Floats
    upper: Floats
    later: Floats
    others: Floats
    gains: Table
    alone: Table
    together: Table
    sums: Table
    share: Table
    found: Table


@jit_borrowing
def weigh_lines(two: Gap, lines: Lines, edge: Floats, window: float, stretch: Stretch, room: Room) -> None:
    """Weights of lines and nodes times the probabilities that no event at all lies between: `alone` and `together`."""
    here, nodes, base = stretch.here, stretch.nodes, np.uint64(lines.start[stretch.here])
    count = lines.start[stretch.last + 1] - lines.start[here]
    t, weight, out2 = lines.moment, lines.weight, lines.out2
    moment, alone, later, gains, together = room.moment, room.alone, room.later, room.gains, room.together
    for i in span(0, count):
        later[i] = weight[base + i]
    for p in range(stretch.b, stretch.last_b):
        if two.begin[p] > here:
            hi, per = two.hi[p], two.per[p]
            for i in span(lines.start[two.begin[p]] - lines.start[here], count):
                later[i] *= 1.0 if out2[base + i] == p else (hi - t[base + i]) * per
    for node in range(nodes):
        share = (stretch.y - stretch.x) * WEIGHTS[nodes, node]
        for i in span(0, count):
            alone[node, i] = share * later[i]
    for p in range(stretch.b, stretch.last_b):
        if two.begin[p] > here:
            continue
        hi, per, twin = two.hi[p], two.per[p], two.twin[p] >= 0
        for node in range(nodes):
            before = (moment[node] - two.lo[p]) * per
            if not twin:
                for i in span(0, count):
                    alone[node, i] *= before + max(0.0, hi - t[base + i]) * per
            else:
                for i in span(0, count):
                    alone[node, i] *= 1.0 if out2[base + i] == p else before + max(0.0, hi - t[base + i]) * per
    _cut_cell(lines, edge, window, here, stretch, room)
    if stretch.cut and stretch.last > here:
        _cut_cell(lines, edge, window, stretch.last, stretch, room)
    for number in range(stretch.points + 1):
        _sum_up(alone, gains, number, nodes, together, count)


@jit_borrowing
def _sum_up(alone: Table, gains: Table, number: int, nodes: int, together: Table, count: int) -> None:
    gain = gains[0, number]
    for i in span(0, count):
        together[number, i] = gain * alone[0, i]
    for node in range(1, nodes):
        gain = gains[node, number]
        for i in span(0, count):
            together[number, i] += gain * alone[node, i]


@jit_borrowing
def _cut_cell(lines: Lines, edge: Floats, window: float, cell: int, stretch: Stretch, room: Room) -> None:
    """Take of the lines of a cell what lies between s and s + W."""
    count, size = lines.nodes[cell], lines.start[cell + 1] - lines.start[cell]
    first, low, width = lines.start[cell] - lines.start[stretch.here], edge[cell], edge[cell + 1] - edge[cell]
    for node in range(stretch.nodes if count else 0):
        s = room.moment[node]
        parts_before((s - low) / width if cell == stretch.here else 0.0, count, room.lower)
        parts_before((s + window - low) / width if cell == stretch.there else 1.0, count, room.upper)
        for k in range(size):
            step = k if k < count else k - count
            room.alone[node, first + k] *= room.upper[step] - room.lower[step]


@jit_borrowing
def sum_up_for(p: int, two: Gap, lines: Lines, stretch: Stretch, room: Room) -> None:
    """The sums over the nodes of s for one b: without its own factor, and with the density that it has instead."""
    here, base, rows = stretch.here, np.uint64(lines.start[stretch.here]), stretch.points + 1
    first, beyond = max(two.begin[p], here), min(two.end[p], stretch.last + 1)
    begin, end = lines.start[first] - lines.start[here], lines.start[beyond] - lines.start[here]
    t, hi, own, sums, gains = lines.moment, two.hi[p], room.others, room.sums, room.gains
    if two.begin[p] > here:
        for i in span(begin, end):
            own[i] = 1.0 / max(SLIVER, hi - t[base + i])
        for row in range(rows):
            for i in span(begin, end):
                sums[row, i] = room.together[row, i] * own[i]
    else:
        for row in range(rows):
            for i in span(begin, end):
                sums[row, i] = 0.0
        for node in range(stretch.nodes):
            left = hi + (room.moment[node] - two.lo[p])
            for i in span(begin, end):
                own[i] = room.alone[node, i] / max(SLIVER, left - t[base + i])
            for row in range(rows):
                gain = gains[node, row]
                for i in span(begin, end):
                    sums[row, i] += gain * own[i]
    for cell in range(first, beyond):
        if lines.joint[cell] >= 0:
            _split_twin(p == lines.joint[cell], lines.start[cell] - lines.start[here], lines.nodes[cell], rows, sums)


@jit_borrowing
def _split_twin(own: bool, begin: int, count: int, rows: int, sums: Table) -> None:
    """Where an event fits both gaps, turn sums without and with it into those of the first and second lines."""
    for row in range(rows):
        for i in range(begin, begin + count):
            if own:
                sums[row, i] = 0.0
            else:
                sums[row, i + count] -= sums[row, i]
