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
from whenabouts.kernels.match.gauss import WEIGHTS, parts_between
from whenabouts.kernels.spans import span


class Stretch(NamedTuple):
    """A stretch of s from x to y in one cell, `here`, with s + W in another, `there`; it is gone through in nodes.

    t goes from `here` to the cell `last`, and u to `reach`; `cut` says whether s + W lies in `last`. Of the lists of
    the gaps the events from `b` up to `last_b`, and from `c` up to `last_c`, can still come; they take so many `places`
    among the candidates from `place` on. Lines before `ready` grow no more. H_c grows through `points` moments
    while s + W goes on.
    """

    x: float
    y: float
    nodes: int
    here: int
    there: int
    last: int
    cut: bool
    reach: int
    b: int
    last_b: int
    c: int
    last_c: int
    place_b: int
    places_b: int
    place_c: int
    places_c: int
    ready: int
    points: int


class Room(NamedTuple):
    """Room to work on a stretch: rows of lines, counted from the first of the cell of s.

    `gains[node]` is what each of the sums over the nodes of s takes: all of it, and as much as H_c has grown by then
    for each of the points of its growth. `alone` has a row for each node of s, `together` and `sums` one for each of
    the sums, for no b and for one. `others` and `share` are for the densities of H_c. `found` is what all lines give to
    each pair of b and c, which has its place from the first on.
    """

    t: Floats
    moment: Floats
    steps: Floats
    parts: Floats
    later: Floats
    others: Floats
    gains: Table
    alone: Table
    together: Table
    sums: Table
    share: Table
    found: Floats


@jit_borrowing
def weigh_lines(two: Gap, lines: Lines, edge: Floats, window: float, stretch: Stretch, room: Room) -> None:
    """Weights of lines and nodes times the probabilities that no event at all lies between: `alone` and `together`."""
    here, nodes, base = stretch.here, stretch.nodes, np.uint64(lines.start[stretch.here])
    count = lines.start[stretch.last + 1] - lines.start[here]
    t, moment, alone, later, out2 = room.t, room.moment, room.alone, room.later, lines.out2
    for i in span(0, count):
        t[i] = lines.moment[base + i]
        later[i] = lines.weight[base + i]
    for p in range(stretch.b, stretch.last_b):
        if two.begin[p] > here:
            hi, per = two.hi[p], two.per[p]
            for i in span(lines.start[two.begin[p]] - lines.start[here], count):
                later[i] *= 1.0 if out2[base + i] == p else (hi - t[i]) * per
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
                    alone[node, i] *= before + max(0.0, hi - t[i]) * per
            else:
                for i in span(0, count):
                    alone[node, i] *= 1.0 if out2[base + i] == p else before + max(0.0, hi - t[i]) * per
    for cell in range(here, stretch.last + 1, max(stretch.last - here, 1)):
        if lines.nodes[cell] and (cell == here or stretch.cut):
            at, size, width = lines.start[cell] - lines.start[here], lines.nodes[cell], edge[cell + 1] - edge[cell]
            for node in range(nodes):
                low = (moment[node] - edge[cell]) / width if cell == here else 0.0
                high = (moment[node] + window - edge[cell]) / width if cell == stretch.there else 1.0
                _cut_cell(alone, node, at, size, low, high, room.steps, room.parts, lines.joint[cell] >= 0)
    for number in range(stretch.points + 1):
        _sum_up(alone, room.gains, number, nodes, room.together, count)


@jit_borrowing
def _cut_cell(
    alone: Table, node: int, at: int, count: int, low: float, high: float, steps: Floats, parts: Floats, twice: bool
) -> None:
    """Take of the lines of a cell what lies between `low` and `high`."""
    parts_between(low, high, count, steps, parts)
    for k in range(count):
        alone[node, at + k] *= parts[k]
        if twice:
            alone[node, at + count + k] *= parts[k]


@jit_borrowing
def _sum_up(alone: Table, gains: Table, number: int, nodes: int, together: Table, count: int) -> None:
    """One of the sums over the nodes of s, for no b."""
    gain = gains[0, number]
    for i in span(0, count):
        together[number, i] = gain * alone[0, i]
    for node in range(1, nodes):
        gain = gains[node, number]
        for i in span(0, count):
            together[number, i] += gain * alone[node, i]


@jit_borrowing
def sums_of_later(
    hi: float, begin: int, end: int, t: Floats, own: Floats, together: Table, sums: Table, rows: int
) -> None:
    """The sums over the nodes of s for a b that begins after s: without its own factor, with its density instead."""
    for i in span(begin, end):
        own[i] = 1.0 / max(SLIVER, hi - t[i])
    for row in range(rows):
        for i in span(begin, end):
            sums[row, i] = together[row, i] * own[i]


@jit_borrowing
def sums_of_present(
    lo: float, hi: float, begin: int, end: int, t: Floats, own: Floats, nodes: int, moment: Floats, alone: Table,
    gains: Table, sums: Table, rows: int,
) -> None:  # fmt: skip
    """The same for a b that began before s: its own factor is another at every node."""
    for node in range(nodes):
        left = hi + (moment[node] - lo)
        for i in span(begin, end):
            own[i] = alone[node, i] / max(SLIVER, left - t[i])
        for row in range(rows):
            gain = gains[node, row]
            if node == 0:
                for i in span(begin, end):
                    sums[row, i] = gain * own[i]
            else:
                for i in span(begin, end):
                    sums[row, i] += gain * own[i]


@jit_borrowing
def split_twin(own: bool, begin: int, count: int, rows: int, sums: Table) -> None:
    """Where an event fits both gaps, turn sums without and with it into those of the first and second lines."""
    for row in range(rows):
        for i in range(begin, begin + count):
            if own:
                sums[row, i] = 0.0
            else:
                sums[row, i + count] -= sums[row, i]
