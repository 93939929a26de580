"""Skip-till-next for three components at once: one sweep over time, shared by all matches.

Where no condition ties the components to each other, the rivals of a match are the same whatever its other events: all
events of the component, and of the negated ones before it. With N_j(s, t) the probability that none of those of gap j
lies in (s, t), and N_j,x the same without x,

    P(a, b, c) = mean over s of a:  integral over t of b of  N_2,b(s, t) * H_c(t, s + W)

with H_c as in `first_lines`. For a moment s the integral over t is a sum over the lines of moments there; where s or
s + W cuts a cell, the part of it is spread over the lines of the whole. So s goes once over time, cell by cell between
all ends, and ends less W; its Gauss nodes in a cell are worked on together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit, jit_borrowing
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.lanes import LANES, lanes, natural, only, put, spread, total
from whenabouts.kernels.match.cells import sorted_edges
from whenabouts.kernels.match.first_lines import (
    Lines,
    add_densities,
    begin_cell,
    densities,
    end_cell,
    grow,
    make_lines,
)
from whenabouts.kernels.match.first_weights import (
    FOUR,
    Room,
    Stretch,
    split_twin,
    sums_of_later,
    sums_of_present,
    weigh_lines,
)
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import MOST_THROUGH, NODES, WEIGHTS, Table, nodes_for, parts_between


class Roots(NamedTuple):
    """First events by their latest moment, none of them wider than `widest`, and where their matches are added up.

    The columns of a count from the places `base_b` and `base_c` among the candidates, `most_c` of them for each b.
    """

    earliest: Floats
    latest: Floats
    widest: float
    base_b: Ints
    base_c: Ints
    most_c: int


@jit_borrowing
def _lay_out(stretch: Stretch, room: Room) -> None:
    """The nodes of s, and what each sum over them takes: H_c is known at x + W and grows from there to s + W."""
    width, points, nodes = stretch.y - stretch.x, stretch.points, stretch.nodes
    for node in range(0, nodes, LANES):
        part = lanes(NODES[nodes], node)
        put(room.moment, node, stretch.x + width * part)
        put(room.low, node, spread(0.0))
        put(room.high, node, part)
    parts_between(room.low, room.high, nodes, points, room.steps, room.parts)
    for node in range(nodes):
        room.gains[node, 0] = 1.0
        for point in range(points):
            room.gains[node, 1 + point] = width * WEIGHTS[points, point] * room.parts[point, node]
        for row in range(points + 1, points // FOUR * FOUR + FOUR):
            room.gains[node, row] = 0.0


@jit_borrowing
def _list_live(three: Gap, lines: Lines, stretch: Stretch, room: Room) -> int:
    """List the c that can come, and return how many there are."""
    live, slots, covers, covered = 0, len(lines.known), 0, 0
    if stretch.points:
        covers, covered = three.start[stretch.there], three.start[stretch.there + 1]
    for number in range(stretch.c, stretch.last_c):
        q = natural(number)
        if three.place[q] < 0 or three.begin[q] > stretch.reach:
            continue
        room.column[live], room.slot[live] = three.place[q] - stretch.place_c, three.place[q] % slots
        room.upto[live], room.grown[live] = lines.start[three.end[q]] - lines.start[stretch.here], -1
        for growing in range(covers, covered):
            if three.cover[natural(growing)] == q:
                room.grown[live] = (growing - covers) * stretch.points
        live += 1
    return live


@jit_borrowing
def _add_up(two: Gap, three: Gap, lines: Lines, stretch: Stretch, room: Room) -> None:
    """Add up weights times H_c over the lines and the nodes of s: one number for every pair of b and c."""
    here, base, start, slots = stretch.here, lines.start[stretch.here], lines.start, len(lines.known)
    live, summed, done = _list_live(three, lines, stretch, room), 0.0, 0
    for k in range(0, stretch.places_b * slots + LANES, LANES):
        put(room.found, k, spread(0.0))
    for number in range(stretch.b, stretch.last_b):
        p = natural(number)
        if two.place[p] < 0 or two.begin[p] > stretch.last:
            continue
        first, beyond = max(two.begin[p], here), min(two.end[p], stretch.last + 1)
        begin, end, rows = start[first] - base, start[beyond] - base, stretch.points + 1
        if two.begin[p] > here:
            done = 0
            sums_of_later(two.hi[p], begin, end, base, lines.moment, room, rows)
        else:
            width = two.hi[p] - two.lo[p]
            done = 0 if width != summed or lines.joined else done
            sums_of_present(width, done, end, base, lines.moment, room, rows, stretch.nodes)
            summed, done = width, max(done, (end + LANES - 1) // LANES * LANES)
        for cell in range(first, beyond if lines.joined else first):
            if lines.joint[cell] >= 0:
                split_twin(p == lines.joint[cell], start[cell] - base, lines.nodes[cell], rows, room.sums)
        row_b = (two.place[p] - stretch.place_b) * slots
        for k in range(live):
            room.found[natural(row_b + room.column[k])] = _weighed(lines, stretch, room, k, begin, end)


@jit_borrowing
def _weighed(lines: Lines, stretch: Stretch, room: Room, k: int, begin: int, end: int) -> float:
    """The sums of a b times H_c of one c, over the lines of both, and times what H_c grows by over those of b."""
    value, base, upto = spread(0.0), lines.start[stretch.here], min(end, room.upto[k])
    first, row, known = begin // LANES * LANES, room.grown[k], lines.known[natural(room.slot[k])]
    for i in range(first, upto, LANES):
        value += only(lanes(room.sums[0], i) * lanes(known, base + i), upto - i)
    first = max(first, (stretch.ready - base) // LANES * LANES)
    for point in range(stretch.points if row >= 0 else 0):
        for i in range(first, end, LANES):
            value += only(lanes(room.sums[1 + point], i) * lanes(room.share[natural(row + point)], i), end - i)
    return total(value)


@jit_borrowing
def _give_out(roots: Roots, active: int, stretch: Stretch, found: Floats, confidence: Table) -> None:
    """Add what a stretch of s gave to the matches of every a that covers it, whose pairs lie in the same order."""
    count = (stretch.places_b - 1) * roots.most_c + stretch.places_c
    for a in range(active, len(roots.latest)):
        if roots.latest[a] - roots.widest >= stretch.y:
            break
        if roots.earliest[a] > stretch.x or stretch.y > roots.latest[a]:
            continue
        density = 1.0 / (roots.latest[a] - roots.earliest[a])
        column = (stretch.place_b - roots.base_b[a]) * roots.most_c + stretch.place_c - roots.base_c[a]
        for k in range(0, count, LANES):
            more = density * only(lanes(found, k), count - k)
            put(confidence[a], column + k, lanes(confidence[a], column + k) + more)


@jit
def sweep(
    earliest: Floats, latest: Floats, two: Gap, three: Gap, edge: Floats, window: float, base_b: Ints, base_c: Ints,
    most_b: int, most_c: int,
) -> Table:  # fmt: skip
    """The confidences of the matches of some first events: a line an a, a column a pair (b, c).

    The columns of a count from the places `base_b` and `base_c` among the candidates.
    """
    confidence = np.zeros((len(earliest), most_b * most_c + LANES))
    lines = make_lines(edge, two, three, most_c)
    room = _make_room(three, lines, edge, window, most_b * most_c)
    outer = np.concatenate((earliest, latest, edge, edge - window))
    outer = outer[(outer >= edge[0]) & (outer <= latest.max())]
    outer = outer[: sorted_edges(outer, len(outer))]
    far2, far3 = np.searchsorted(edge, two.over) - 1, np.searchsorted(edge, three.over) - 1
    roots = Roots(earliest, latest, (latest - earliest).max(), base_b, base_c, most_c)
    _go_through(outer, far2, far3, roots, two, three, lines, edge, window, room, confidence)
    return confidence


@jit_borrowing
def _go_through(
    outer: Floats, far2: Ints, far3: Ints, roots: Roots, two: Gap, three: Gap, lines: Lines, edge: Floats,
    window: float, room: Room, confidence: Table,
) -> None:  # fmt: skip
    """Take s from stretch to stretch of those between `outer`, and s + W with it."""
    cells = len(edge) - 1
    here, there, b, c, active, now, ready, reached = 0, 0, 0, 0, 0, -1, 0, edge[0]
    for number in range(len(outer) - 1):
        x, y = outer[number], outer[number + 1]
        while active < len(roots.latest) and roots.latest[active] <= x:
            active += 1
        if not _any_covers(roots, active, x, y):
            continue
        middle = 0.5 * (x + y)
        while here < cells and edge[here + 1] <= middle:
            here += 1
        while there < cells and edge[there + 1] <= middle + window:
            there += 1
        if here >= cells:
            break
        while b < len(two.hi) and two.end[b] <= here:
            b += 1
        while c < len(three.hi) and three.end[c] <= here:
            c += 1
        if now < here:
            now, reached, ready = here, edge[here], lines.start[here]
            begin_cell(lines, three, edge, here)
        ready = max(ready, lines.start[here])
        while now < there:
            grow(lines, three, now, ready, reached, edge[now + 1], room.share)
            end_cell(lines, three, now, ready)
            now += 1
            reached = edge[now]
            if now < cells:
                begin_cell(lines, three, edge, now)
            while ready < lines.start[now] and lines.tail[ready] == 0.0:
                ready += 1
        points = 0
        if there < cells:
            grow(lines, three, there, ready, reached, x + window, room.share)
            reached = y + window
            if three.start[there] < three.start[there + 1]:
                base = lines.start[here]
                first = ready - (ready - base) % LANES
                points = densities(lines, three, there, base, first, x + window, y + window, room.share)
        last, nodes = min(min(there, far2[here]), cells - 1), _outer_nodes(two, three, here, there, y - x)
        reach = min(min(there, far3[last]), cells - 1)
        place_b, places_b = _places(two, b, two.upto[last], last)
        place_c, places_c = _places(three, c, three.upto[reach], reach)
        stretch = Stretch(
            x, y, nodes, here, there, last, last == there, reach, b, two.upto[last], c, three.upto[reach], place_b,
            places_b, place_c, places_c, ready, points,
        )  # fmt: skip
        if places_b and places_c:
            _lay_out(stretch, room)
            weigh_lines(two, lines, edge, window, stretch, room)
            _add_up(two, three, lines, stretch, room)
            _give_out(roots, active, stretch, room.found, confidence)
        if points:
            add_densities(lines, three, there, lines.start[here], ready, points, y - x, room.share)


@jit_borrowing
def _places(gap: Gap, begin: int, end: int, reach: int) -> tuple[int, int]:
    """Where the first of the events that can come stands among the candidates, and how many places they take."""
    first, last = -1, -2
    for p in range(begin, end):
        if gap.place[p] >= 0 and gap.begin[p] <= reach:
            first, last = gap.place[p] if first < 0 else first, gap.place[p]
    return first, last - first + 1


@jit_borrowing
def _outer_nodes(two: Gap, three: Gap, here: int, there: int, width: float) -> int:
    """How many nodes s needs: it meets the events around it and around s + W, those of one gap at either end for t."""
    near2, near3 = two.start[here + 1] - two.start[here], three.start[here + 1] - three.start[here]
    far2, far3, slope2, slope3 = 0, 0, 0.0, 0.0
    if there + 1 < len(two.start):
        far2, far3 = two.start[there + 1] - two.start[there], three.start[there + 1] - three.start[there]
        slope2, slope3 = two.slope[there], three.slope[there]
    slope = two.slope[here] + slope3 + max(three.slope[here], slope2)
    return min(nodes_for(slope * width, near2 + far3 + max(near3, far2)), MOST_THROUGH)


@jit
def _table(rows: int, size: int) -> Table:
    """Rows of zeros that begin where lanes are read fastest."""
    room = np.zeros(rows * size + LANES)
    begin = -(room.ctypes.data // 8) % LANES
    return room[begin : begin + rows * size].reshape((rows, size))


@jit
def _make_room(three: Gap, lines: Lines, edge: Floats, window: float, pairs: int) -> Room:
    """Room for what lies between a moment and a window later, with all of the cells at both ends."""
    most, there = 1, 0
    for cell in range(len(edge) - 1):
        while there < len(edge) - 1 and edge[there] <= edge[cell + 1] + window:
            there += 1
        most = max(most, lines.start[there] - lines.start[cell])
    most = (most // LANES + 2) * LANES
    covering = np.diff(three.start).max()
    points = max(1, min(covering, MOST_THROUGH))
    rows = points // FOUR * FOUR + FOUR
    return Room(
        np.zeros(MOST_THROUGH), np.zeros(MOST_THROUGH), np.zeros(MOST_THROUGH), np.zeros((MOST_THROUGH, LANES)),
        np.zeros((MOST_THROUGH, MOST_THROUGH)), np.zeros((MOST_THROUGH, rows)),
        _table(MOST_THROUGH, most), _table(rows, most), _table(rows, most),
        _table(max(1, covering) * points, most), np.zeros(pairs + 2 * LANES),
        np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), np.zeros(pairs, np.int64),
    )  # fmt: skip


@jit_borrowing
def _any_covers(roots: Roots, begin: int, x: float, y: float) -> bool:
    """Whether some first event can happen all over [x, y]."""
    for a in range(begin, len(roots.latest)):
        if roots.latest[a] - roots.widest >= y:
            break
        if roots.earliest[a] <= x and y <= roots.latest[a]:
            return True
    return False
