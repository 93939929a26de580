"""How much each line of moments t counts for each b, given a stretch of s: N_2,b(s, t) times the weight of t.

Events of the first gap that began before s can lie before it or after t, those that began later can only lie after t,
and once one of them is over nothing is left. The lines of cells that s or s + W cuts count in part: what is integrated
is a polynomial there, led through its values on the lines, also on those outside.
"""

from __future__ import annotations

from typing import NamedTuple

from whenabouts.kernels._jit import jit_borrowing
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.lanes import LANES, Lanes, greatest, lanes, least, natural, put, put_where, since, spread
from whenabouts.kernels.match.first_lines import SLIVER, Lines
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import WEIGHTS, Table, parts_between

FOUR = 4
"""Sums that are worked on together; what a sum takes is nothing where there are fewer."""
Four = tuple[Lanes, Lanes, Lanes, Lanes]


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

    `moment` has the nodes of s, of which `low` and `high` are ends to be cut at, and `steps` and `parts` say what is
    left. `gains[node]` is what each of the sums over the nodes takes: all of it, and as much as H_c has grown by then
    for each of the points of its growth. `alone` has a row for each node of s, `together` and `sums` one for each of
    the sums, for no b and for one. `share` has the densities of H_c. `found` is what all lines give to each pair of b
    and c, which has its place from the first on. Of each c that can come, `column` is its place there, `slot` the row
    of its H_c, `upto` where its lines end, and `grown` its first row in `share`, or -1.
    """

    moment: Floats
    low: Floats
    high: Floats
    steps: Table
    parts: Table
    gains: Table
    alone: Table
    together: Table
    sums: Table
    share: Table
    found: Floats
    column: Ints
    slot: Ints
    upto: Ints
    grown: Ints


@jit_borrowing
def weigh_lines(two: Gap, lines: Lines, edge: Floats, window: float, stretch: Stretch, room: Room) -> None:
    """Weights of lines and nodes times the probabilities that no event at all lies between: `alone` and `together`."""
    here, nodes, base = stretch.here, stretch.nodes, lines.start[stretch.here]
    count, moment, alone = lines.start[stretch.last + 1] - base, room.moment, room.alone
    for i in range(0, count, LANES):
        t, later = lanes(lines.moment, base + i), lanes(lines.weight, base + i) * (stretch.y - stretch.x)
        for number in range(stretch.b, stretch.last_b):
            p = natural(number)
            if two.begin[p] > here:
                outside = least((two.hi[p] - t) * two.per[p], 1.0)
                later *= outside if two.twin[p] < 0 else put_where(lines.out2, base + i, p, 1.0, outside)
        for node in range(nodes):
            put(alone[node], i, WEIGHTS[nodes, node] * later)
        for number in range(stretch.b, stretch.last_b):
            p = natural(number)
            if two.begin[p] <= here:
                lo, per, after = two.lo[p], two.per[p], greatest(two.hi[p] - t, 0.0) * two.per[p]
                for node in range(nodes):
                    outside = (moment[node] - lo) * per + after
                    if two.twin[p] >= 0:
                        outside = put_where(lines.out2, base + i, p, 1.0, outside)
                    put(alone[node], i, lanes(alone[node], i) * outside)
    _cut_cell(lines, edge, stretch, here, window, room)
    if stretch.cut and stretch.last > here:
        _cut_cell(lines, edge, stretch, stretch.last, window, room)
    for row in range(0, stretch.points + 1, FOUR):
        for i in range(0, count, LANES):
            four = _nothing()
            for node in range(nodes):
                four = _with(four, room.gains, node, row, lanes(alone[node], i))
            _put_four(room.together, row, i, four)


@jit_borrowing
def _cut_cell(lines: Lines, edge: Floats, stretch: Stretch, cell: int, window: float, room: Room) -> None:
    """Take of the lines of a cell what lies after s, if that is in it, and before s + W."""
    at, size = lines.start[cell] - lines.start[stretch.here], lines.nodes[cell]
    per = 1.0 / (edge[cell + 1] - edge[cell])
    for node in range(0, stretch.nodes, LANES):
        s = lanes(room.moment, node)
        put(room.low, node, (s - edge[cell]) * per if cell == stretch.here else spread(0.0))
        put(room.high, node, (s + window - edge[cell]) * per if cell == stretch.there else spread(1.0))
    parts_between(room.low, room.high, stretch.nodes, size, room.steps, room.parts)
    for k in range(size):
        for node in range(stretch.nodes):
            room.alone[node, at + k] *= room.parts[k, node]
            if lines.joint[cell] >= 0:
                room.alone[node, at + size + k] *= room.parts[k, node]


@jit_borrowing
def _nothing() -> Four:
    """Four sums of nothing."""
    return spread(0.0), spread(0.0), spread(0.0), spread(0.0)


@jit_borrowing
def _with(four: Four, gains: Table, node: int, row: int, value: Lanes) -> Four:
    """Four of the sums over the nodes of s, with what they take of one more."""
    one, two, three, last = four
    return (
        one + gains[node, row] * value,
        two + gains[node, row + 1] * value,
        three + gains[node, row + 2] * value,
        last + gains[node, row + 3] * value,
    )


@jit_borrowing
def _put_four(table: Table, row: int, i: int, four: Four) -> None:
    """Write lanes to four rows."""
    one, two, three, last = four
    put(table[row], i, one)
    put(table[row + 1], i, two)
    put(table[row + 2], i, three)
    put(table[row + 3], i, last)


@jit_borrowing
def sums_of_later(hi: float, begin: int, end: int, base: int, moment: Floats, room: Room, rows: int) -> None:
    """The sums over the nodes of s for a b that begins after s: without its own factor, with its density instead."""
    for i in range(begin // LANES * LANES, end, LANES):
        own = since(1.0 / greatest(hi - lanes(moment, base + i), SLIVER), begin - i)
        for row in range(rows):
            put(room.sums[row], i, lanes(room.together[row], i) * own)


@jit_borrowing
def sums_of_present(
    width: float, begin: int, end: int, base: int, moment: Floats, room: Room, rows: int, nodes: int
) -> None:
    """The same for a b that began before s: its own factor is another at every node, and the same for equal widths."""
    for row in range(0, rows, FOUR):
        for i in range(begin, end, LANES):
            t, four = lanes(moment, base + i), _nothing()
            for node in range(nodes):
                own = lanes(room.alone[node], i) / greatest(width + room.moment[node] - t, SLIVER)
                four = _with(four, room.gains, node, row, own)
            _put_four(room.sums, row, i, four)


@jit_borrowing
def split_twin(own: bool, begin: int, count: int, rows: int, sums: Table) -> None:
    """Where an event fits both gaps, turn sums without and with it into those of the first and second lines."""
    for row in range(rows):
        for i in range(begin, begin + count):
            if own:
                sums[row, i] = 0.0
            else:
                sums[row, i + count] -= sums[row, i]
