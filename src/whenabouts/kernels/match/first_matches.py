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

import numpy as np

from whenabouts.kernels._jit import jit, jit_reordered
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.cells import sorted_edges
from whenabouts.kernels.match.first_lines import (
    Lines,
    Table,
    add_densities,
    begin_cell,
    densities,
    end_cell,
    grow,
    make_lines,
)
from whenabouts.kernels.match.first_weights import Room, Stretch, weigh_lines
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import MOST_THROUGH, NODES, UPTO, WEIGHTS, nodes_for


@jit_reordered
def _dot(one: Table, row: int, other: Table, other_row: int, begin: int, end: int) -> float:
    """The sum of products of parts of two rows; that the start is surely not negative lets the loop be wide."""
    total = 0.0
    for i in range(max(begin, 0), end):
        total += one[row, i] * other[other_row, i]
    return total


@jit
def _gains(three: Gap, lines: Lines, stretch: Stretch, share: Table, gained: Table) -> None:
    """What H_c gains up to each node of s, for every c that covers the cell of s + W, on the lines that still grow."""
    there, nodes, k0, width = stretch.there, stretch.nodes, lines.start[stretch.here], stretch.y - stretch.x
    matrix = UPTO[nodes]
    for row in range(three.start[there + 1] - three.start[there]):
        for k in range(max(stretch.ready - k0, 0), lines.start[there + 1] - k0):
            i = k * nodes
            for node in range(nodes):
                total = 0.0
                for other in range(nodes):
                    total += matrix[node, other] * share[row, i + other]
                gained[row, i + node] = width * total


@jit
def _add_up(two: Gap, three: Gap, lines: Lines, stretch: Stretch, room: Room) -> None:
    """Add up weights times H_c over the lines and the nodes of s: one number for every pair of b and c."""
    here, there, nodes = stretch.here, stretch.there, stretch.nodes
    start, known, place = lines.start, lines.known, three.place
    weights, sums, gained, found = room.weights, room.sums, room.gained, room.found
    k0, slots, growing = start[here], len(known), there + 1 < len(three.start)
    covers, covered = (three.start[there], three.start[there + 1]) if growing else (0, 0)
    for p in range(stretch.b, stretch.last_b):
        begin, end, b = start[max(two.begin[p], here)], start[min(two.end[p], stretch.last + 1)], p - stretch.b
        if two.place[p] < 0 or begin >= end:
            for c in range(stretch.last_c - stretch.c):
                found[b, c] = 0.0
            continue
        i = max((begin - k0) * nodes, 0)
        for k in range(max(begin, 0), end):
            total = 0.0
            for node in range(nodes):
                total += weights[b, i + node]
            i += nodes
            sums[0, k] = total
        for q in range(stretch.c, stretch.last_c):
            if place[q] >= 0 and three.begin[q] <= there:
                found[b, q - stretch.c] = _dot(sums, 0, known, place[q] % slots, begin, end)
        at = max(begin, stretch.ready)
        for number in range(covers, covered):
            q = three.cover[number]
            if place[q] >= 0 and at < end:
                found[b, q - stretch.c] += _dot(
                    weights, b, gained, number - covers, (at - k0) * nodes, (end - k0) * nodes
                )


@jit
def _give_out(
    earliest: Floats, latest: Floats, active: int, widest: float, base_b: Ints, base_c: Ints, most_c: int, two: Gap,
    three: Gap, stretch: Stretch, found: Table, total: Table,
) -> None:  # fmt: skip
    """Add what a stretch of s gave to the matches of every a that covers it."""
    second, third, begins = two.place, three.place, three.begin
    for a in range(active, len(latest)):
        if latest[a] - widest >= stretch.y:
            break
        if earliest[a] > stretch.x or stretch.y > latest[a]:
            continue
        density = 1.0 / (latest[a] - earliest[a])
        for p in range(stretch.b, stretch.last_b):
            if second[p] < 0 or two.begin[p] > stretch.last:
                continue
            line = (second[p] - base_b[a]) * most_c - base_c[a]
            for q in range(stretch.c, stretch.last_c):
                if third[q] >= 0 and begins[q] <= stretch.there:
                    total[a, line + third[q]] += density * found[p - stretch.b, q - stretch.c]


@jit
def sweep(
    earliest: Floats, latest: Floats, two: Gap, three: Gap, edge: Floats, window: float, base_b: Ints, base_c: Ints,
    most_b: int, most_c: int,
) -> Table:  # fmt: skip
    """The confidences of the matches of some first events: a line an a, a column a pair (b, c).

    The columns of a count from the places `base_b` and `base_c` among the candidates.
    """
    roots, cells = len(earliest), len(edge) - 1
    total = np.zeros((roots, most_b * most_c))
    widest = (latest - earliest).max()
    lines = make_lines(edge, two, three, most_c)
    room = _make_room(two, three, lines, edge, window)
    outer = np.concatenate((earliest, latest, edge, edge - window))
    outer = outer[(outer >= edge[0]) & (outer <= latest.max())]
    outer = outer[: sorted_edges(outer, len(outer))]
    far = np.searchsorted(edge, two.over) - 1
    b, c, active, now, ready, reached = 0, 0, 0, -1, 0, edge[0]
    for number in range(len(outer) - 1):
        x, y = outer[number], outer[number + 1]
        while active < roots and latest[active] <= x:
            active += 1
        if not _any_covers(earliest, latest, active, widest, x, y):
            continue
        middle = 0.5 * (x + y)
        here = np.searchsorted(edge, middle, side="right") - 1
        there = min(np.searchsorted(edge, middle + window, side="right") - 1, cells)
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
            grow(lines, three, now, ready, reached, edge[now + 1], room.t, room.u, room.share)
            end_cell(lines, three, now, ready)
            now += 1
            reached = edge[now]
            if now < cells:
                begin_cell(lines, three, edge, now)
            while ready < lines.start[now] and lines.tail[ready] == 0.0:
                ready += 1
        if there < cells:
            grow(lines, three, there, ready, reached, x + window, room.t, room.u, room.share)
            reached = y + window
        last = min(min(there, far[here]), cells - 1)
        nodes = _outer_nodes(two, three, here, there, y - x)
        stretch = Stretch(
            x,
            y,
            nodes,
            here,
            there,
            last,
            last == there,
            b,
            two.upto[last],
            c,
            three.upto[min(there, cells - 1)],
            ready,
        )
        _lay_out(lines, window, stretch, room)
        weigh_lines(two, three, lines, edge, window, stretch, room)
        beyond = lines.start[min(there, cells - 1) + 1]
        if there < cells:
            densities(lines, three, there, lines.start[here], ready, beyond, nodes, room.t, room.u, room.share)
            _gains(three, lines, stretch, room.share, room.gained)
        _add_up(two, three, lines, stretch, room)
        _give_out(earliest, latest, active, widest, base_b, base_c, most_c, two, three, stretch, room.found, total)
        if there < cells:
            add_densities(lines, three, there, lines.start[here], ready, beyond, nodes, y - x, room.share)
    return total


@jit
def _lay_out(lines: Lines, window: float, stretch: Stretch, room: Room) -> None:
    """Lay out the nodes of s, and the pairs of them and the lines."""
    x, width, nodes, i = stretch.x, stretch.y - stretch.x, stretch.nodes, 0
    s, t, u, moment = room.s, room.t, room.u, room.moment
    for node in range(nodes):
        moment[node] = x + width * NODES[nodes, node]
        room.weight[node] = width * WEIGHTS[nodes, node]
    for k in range(lines.start[stretch.here], lines.start[min(stretch.there + 1, len(lines.start) - 1)]):
        for node in range(nodes):
            s[i], t[i], u[i] = moment[node], lines.moment[k], moment[node] + window
            i += 1


@jit
def _outer_nodes(two: Gap, three: Gap, here: int, there: int, width: float) -> int:
    slope, degree = 0.0, 2
    for cell in (here, there):
        if cell + 1 < len(two.start):
            slope += two.slope[cell] + three.slope[cell]
            degree += two.start[cell + 1] - two.start[cell] + three.start[cell + 1] - three.start[cell]
    return min(nodes_for(slope * width, degree), MOST_THROUGH)


@jit
def _make_room(two: Gap, three: Gap, lines: Lines, edge: Floats, window: float) -> Room:
    """Room for what lies between a moment and a window later, with all of the cells at both ends."""
    most, most_b, most_c, b, c = 1, 1, 1, 0, 0
    for cell in range(len(edge) - 1):
        while b < len(two.end) and two.end[b] <= cell:
            b += 1
        while c < len(three.end) and three.end[c] <= cell:
            c += 1
        there = min(np.searchsorted(edge, edge[cell + 1] + window, side="right"), len(edge) - 1)
        most = max(most, lines.start[there] - lines.start[cell])
        most_b, most_c = max(most_b, two.upto[there - 1] - b), max(most_c, three.upto[there - 1] - c)
    pairs, covering = most * MOST_THROUGH, np.diff(three.start).max() + 1
    return Room(
        np.empty(MOST_THROUGH), np.empty(MOST_THROUGH), np.empty(MOST_THROUGH), np.empty(pairs), np.empty(pairs),
        np.empty(pairs), np.empty(pairs), np.empty((most_b, pairs)), np.empty((1, len(lines.moment))),
        np.empty((covering, pairs)), np.empty((covering, pairs)), np.zeros((most_b, most_c)),
    )  # fmt: skip


@jit
def _any_covers(earliest: Floats, latest: Floats, begin: int, widest: float, x: float, y: float) -> bool:
    """Whether some event of a list can happen all over [x, y]."""
    for p in range(begin, len(latest)):
        if latest[p] - widest >= y:
            break
        if earliest[p] <= x and y <= latest[p]:
            return True
    return False
