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
    SLIVER, Lines, Table, add_densities, begin_cell, densities, end_cell, grow, make_lines,
)  # fmt: skip
from whenabouts.kernels.match.gap_lists import Gap
from whenabouts.kernels.match.gauss import BARYCENTRIC, MOST_THROUGH, NODES, UPTO, WEIGHTS, nodes_for


@jit_reordered
def _dot(one: Floats, other: Floats, begin: int, shift: int, count: int) -> float:
    total = 0.0
    for i in range(count):
        total += one[begin + i] * other[begin + shift + i]
    return total


@jit
def _whole_cells(
    two: Gap, lines: Lines, here: int, last: int, first: int, nodes: int, s: Floats, t: Floats, weight: Floats,
    alone: Floats, weights: Table,
) -> None:  # fmt: skip
    """For every b a row: the weights of the lines in the cells after `here` and before `last`."""
    k0, beyond = lines.start[here], lines.start[last]
    inner, size = (lines.start[here + 1] - k0) * nodes, (beyond - k0) * nodes
    for k in range(lines.start[here + 1], beyond):
        for node in range(nodes):
            alone[(k - k0) * nodes + node] = lines.weight[k] * weight[node]
    for p in range(first, two.upto[last - 1]):
        lo, hi, per = two.lo[p], two.hi[p], two.per[p]
        begin = max((lines.start[two.begin[p]] - k0) * nodes, inner)
        if two.twin[p] >= 0:
            for i in range(begin, size):
                if lines.out2[k0 + i // nodes] != p:
                    alone[i] *= (max(0.0, hi - t[i]) + max(0.0, s[i] - lo)) * per
        else:
            for i in range(begin, size):
                alone[i] *= (max(0.0, hi - t[i]) + max(0.0, s[i] - lo)) * per
    for p in range(first, two.upto[last - 1]):
        if two.place[p] < 0:
            continue
        lo, hi, row = two.lo[p], two.hi[p], weights[p - first]
        begin = max((lines.start[two.begin[p]] - k0) * nodes, inner)
        end = (lines.start[min(two.end[p], last)] - k0) * nodes
        for i in range(begin, end):
            row[i] = alone[i] / max(SLIVER, max(0.0, hi - t[i]) + max(0.0, s[i] - lo))


@jit
def _split_twins(two: Gap, lines: Lines, here: int, last: int, first: int, nodes: int, weights: Table) -> None:
    """Where an event fits both gaps, turn weights without and with it into those of the first and second lines."""
    for cell in range(here + 1, last):
        joint = lines.joint[cell]
        if joint < 0 or lines.count[cell] == 0:
            continue
        begin, step = (lines.start[cell] - lines.start[here]) * nodes, lines.count[cell] * nodes
        for number in range(two.start[cell], two.start[cell + 1]):
            p = two.cover[number]
            if two.place[p] < 0:
                continue
            row = weights[p - first]
            for i in range(begin, begin + step):
                if p == joint:
                    row[i] = 0.0
                else:
                    row[i + step] -= row[i]


@jit
def _part_of_cell(
    two: Gap, lines: Lines, edge: Floats, cell: int, here: int, first: int, nodes: int, node: int, s: float,
    low: float, high: float, slope: float, degree: int, weight: float, spread: Floats, weights: Table,
) -> None:  # fmt: skip
    """Spread what t from `low` to `high`, a part of a cell, lends over the lines of the cell."""
    count, joint = lines.count[cell], lines.joint[cell]
    if count == 0 or high <= low:
        return
    begin = (lines.start[cell] - lines.start[here]) * nodes + node
    steps = nodes_for(slope * (high - low), degree)
    for step in range(steps):
        t = low + (high - low) * NODES[steps, step]
        _interpolate((t - edge[cell]) / (edge[cell + 1] - edge[cell]), count, spread)
        alone, without = weight * (high - low) * WEIGHTS[steps, step], 1.0
        for p in range(first, two.upto[cell]):
            if two.begin[p] > cell:
                continue
            factor = (max(0.0, two.hi[p] - t) + max(0.0, s - two.lo[p])) * two.per[p]
            if p == joint:
                without = factor
            else:
                alone *= factor
        for number in range(two.start[cell], two.start[cell + 1]):
            p = two.cover[number]
            if two.place[p] < 0:
                continue
            row = weights[p - first]
            own = max(SLIVER, max(0.0, two.hi[p] - t) + max(0.0, s - two.lo[p]))
            if joint < 0:
                for j in range(count):
                    row[begin + j * nodes] += alone / own * spread[j]
            elif p == joint:
                for j in range(count):
                    row[begin + (count + j) * nodes] += alone * two.per[p] * spread[j]
            else:
                for j in range(count):
                    row[begin + j * nodes] += alone / own * spread[j]
                    row[begin + (count + j) * nodes] -= alone * (1.0 - without) / own * spread[j]


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


@jit
def _add_up(
    lines: Lines, three: Gap, there: int, here: int, ready: int, begin: int, end: int, nodes: int, width: float,
    row: Floats, sums: Floats, upto: Floats, share: Table, first: int, found: Floats,
) -> None:  # fmt: skip
    """Add up a b's weights times H_c over the lines `begin` up to `end` and the nodes of s: one number for every c."""
    k0, slots = lines.start[here], len(lines.known)
    for k in range(begin, end):
        i = (k - k0) * nodes
        total = 0.0
        for node in range(nodes):
            total += row[i + node]
        sums[k] = total
        if k >= ready:
            for j in range(nodes):
                total = 0.0
                for node in range(nodes):
                    total += row[i + node] * UPTO[nodes, node, j]
                upto[i + j] = width * total
    covers = three.start[there] if there + 1 < len(three.start) else 0
    grown = max(begin, ready)
    for p in range(first, three.upto[min(there, len(three.upto) - 1)]):
        if three.place[p] >= 0 and three.begin[p] <= there:
            found[p - first] = _dot(sums, lines.known[three.place[p] % slots], begin, 0, end - begin)
    if there + 1 < len(three.start) and grown < end:
        for number in range(covers, three.start[there + 1]):
            p = three.cover[number]
            if three.place[p] >= 0:
                found[p - first] += _dot(
                    upto, share[number - covers], (grown - k0) * nodes, (k0 - ready) * nodes, (end - grown) * nodes
                )


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
    outer = np.concatenate((earliest, latest, edge, edge - window))
    outer = outer[(outer >= edge[0]) & (outer <= latest.max())]
    outer = outer[: sorted_edges(outer, len(outer))]
    far = np.searchsorted(edge, two.over) - 1
    room = _most_lines(lines, edge, window) * MOST_THROUGH
    rows, columns = _most_listed(two, edge, window), _most_listed(three, edge, window)
    most_cover = np.diff(three.start).max()
    share, t, s, u = np.empty((most_cover + 1, room)), np.empty(room), np.empty(room), np.empty(room)
    alone, sums, upto = np.empty(room), np.empty(len(lines.moment)), np.empty(room)
    weights, weight, spread = np.zeros((rows, room)), np.empty(MOST_THROUGH), np.empty(MOST_THROUGH)
    found = np.zeros((rows, columns))
    first2, first3, active, now, ready = 0, 0, 0, -1, 0
    reached = edge[0]
    for q in range(len(outer) - 1):
        x, y = outer[q], outer[q + 1]
        while active < roots and latest[active] <= x:
            active += 1
        if not _any_covers(earliest, latest, active, widest, x, y):
            continue
        middle = 0.5 * (x + y)
        here = np.searchsorted(edge, middle, side="right") - 1
        there = min(np.searchsorted(edge, middle + window, side="right") - 1, cells)
        if here >= cells:
            break
        while first2 < len(two.hi) and two.end[first2] <= here:
            first2 += 1
        while first3 < len(three.hi) and three.end[first3] <= here:
            first3 += 1
        if now < here:
            now, reached, ready = here, edge[here], lines.start[here]
            begin_cell(lines, three, edge, here)
        ready = max(ready, lines.start[here])
        while now < there:
            grow(lines, three, now, ready, reached, edge[now + 1], t, u, share)
            end_cell(lines, three, edge, now, ready)
            now += 1
            reached = edge[now]
            if now < cells:
                begin_cell(lines, three, edge, now)
            while ready < lines.start[now] and lines.tail[ready] == 0.0:
                ready += 1
        if there < cells:
            grow(lines, three, there, ready, reached, x + window, t, u, share)
            reached = x + window
        nodes = _outer_nodes(two, three, here, there, y - x)
        last = min(there, far[here])
        cut = last == there and there < cells
        last = min(last, cells - 1)
        k0, k1 = lines.start[here], lines.start[last + 1]
        for k in range(k0, lines.start[min(there, cells - 1) + 1]):
            for node in range(nodes):
                i = (k - k0) * nodes + node
                t[i], s[i] = lines.moment[k], x + (y - x) * NODES[nodes, node]
                u[i] = s[i] + window
        for node in range(nodes):
            weight[node] = (y - x) * WEIGHTS[nodes, node]
        for p in range(first2, two.upto[last]):
            weights[p - first2, : (k1 - k0) * nodes] = 0.0
        whole = last if cut else last + 1
        if whole > here + 1:
            _whole_cells(two, lines, here, whole, first2, nodes, s, t, weight, alone, weights)
            _split_twins(two, lines, here, whole, first2, nodes, weights)
        for node in range(nodes):
            moment = x + (y - x) * NODES[nodes, node]
            for end in range(2 if cut and last > here else 1):
                cell = last if end else here
                low = moment if cell == here else edge[cell]
                high = moment + window if cell == there else edge[cell + 1]
                slope = two.slope[cell] + three.slope[cell]
                degree = two.start[cell + 1] - two.start[cell] + three.start[cell + 1] - three.start[cell] + 1
                _part_of_cell(
                    two, lines, edge, cell, here, first2, nodes, node, moment, low, high, slope, degree,
                    weight[node], spread, weights,
                )  # fmt: skip
        if there < cells:
            densities(
                lines, three, there, ready, lines.start[there + 1], nodes, t[(ready - k0) * nodes :],
                u[(ready - k0) * nodes :], share,
            )  # fmt: skip
        for p in range(first2, two.upto[last]):
            begin, end = lines.start[max(two.begin[p], here)], lines.start[min(two.end[p], last + 1)]
            if two.place[p] >= 0 and begin < end:
                _add_up(
                    lines, three, there, here, ready, begin, end, nodes, y - x, weights[p - first2], sums, upto, share,
                    first3, found[p - first2],
                )  # fmt: skip
        _give_out(
            earliest, latest, active, widest, x, y, two, three, first2, first3, here, last, there, base_b, base_c,
            most_c, lines, found, total,
        )  # fmt: skip
        if there < cells:
            add_densities(lines, three, there, ready, lines.start[there + 1], nodes, y - x, share)
            reached = y + window
    return total


@jit
def _give_out(
    earliest: Floats, latest: Floats, active: int, widest: float, x: float, y: float, two: Gap, three: Gap,
    first2: int, first3: int, here: int, last: int, there: int, base_b: Ints, base_c: Ints, most_c: int,
    lines: Lines, found: Table, total: Table,
) -> None:  # fmt: skip
    """Add what a cell of s gave to the matches of every a that covers it."""
    for a in range(active, len(latest)):
        if latest[a] - widest >= y:
            break
        if not (earliest[a] <= x and y <= latest[a]):
            continue
        density = 1.0 / (latest[a] - earliest[a])
        for p in range(first2, two.upto[last]):
            begin, end = lines.start[max(two.begin[p], here)], lines.start[min(two.end[p], last + 1)]
            if two.place[p] < 0 or begin >= end:
                continue
            line = (two.place[p] - base_b[a]) * most_c - base_c[a]
            for q in range(first3, three.upto[min(there, len(three.upto) - 1)]):
                if three.place[q] >= 0 and three.begin[q] <= there:
                    total[a, line + three.place[q]] += density * found[p - first2, q - first3]


@jit
def _outer_nodes(two: Gap, three: Gap, here: int, there: int, width: float) -> int:
    slope, degree = 0.0, 2
    for cell in (here, there):
        if cell + 1 < len(two.start):
            slope += two.slope[cell] + three.slope[cell]
            degree += two.start[cell + 1] - two.start[cell] + three.start[cell + 1] - three.start[cell]
    return min(nodes_for(slope * width, degree), MOST_THROUGH)


@jit
def _most_lines(lines: Lines, edge: Floats, window: float) -> int:
    """The most lines between a moment and a window later, with all lines of the cells at both ends."""
    most = 1
    for cell in range(len(edge) - 1):
        there = min(np.searchsorted(edge, edge[cell + 1] + window), len(edge) - 1)
        most = max(most, lines.start[there] - lines.start[cell])
    return most


@jit
def _most_listed(gap: Gap, edge: Floats, window: float) -> int:
    """The most events of a gap's list from one moment to a window later."""
    most, first = 1, 0
    for cell in range(len(edge) - 1):
        while first < len(gap.end) and gap.end[first] <= cell:
            first += 1
        there = min(np.searchsorted(edge, edge[cell + 1] + window), len(edge) - 1)
        most = max(most, gap.upto[there - 1] - first)
    return most


@jit
def _any_covers(earliest: Floats, latest: Floats, begin: int, widest: float, x: float, y: float) -> bool:
    """Whether some event of a list can happen all over [x, y]."""
    for p in range(begin, len(latest)):
        if latest[p] - widest >= y:
            break
        if earliest[p] <= x and y <= latest[p]:
            return True
    return False
