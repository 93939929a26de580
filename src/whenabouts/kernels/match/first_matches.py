"""Skip-till-next for three components at once: one sweep over time, shared by all matches.

Where no condition ties the components to each other, the rivals of a match are the same whatever its other events: all
events of the component, and of the negated ones before it. With N_j(s, t) the probability that none of those of gap j
lies in (s, t), and N_j,x the same without x,

    P(a, b, c) = mean over s of a: sum over t of b:  N_2,b(s, t) * H_c(t, s + W),
    H_c(t, v)  = sum over u of c in (t, v):          N_3,c(t, u).

H_c does not depend on a and b, and grows with v alone; so s goes once over time, the tables H_c(t, .) of all t between
s and s + W are carried along, and every match takes its share. The sums are Gauss sums on cells, exact as in
`exclusion`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.candidates import Candidates, first_later
from whenabouts.kernels.match.cells import nodes_for
from whenabouts.kernels.match.chain import NODES, WEIGHTS
from whenabouts.kernels.match.gap_lists import edges, listed, outer_edges, steepness, surely_come

Table = NDArray[np.float64]


@jit
def _add_share(
    lo: Floats, hi: Floats, per: Floats, rank: Ints, widest: float, begin: int, t: float, u0: float, u1: float,
    slope: float, degree: int, base: int, table: Table, line: int,
) -> None:  # fmt: skip
    """Add to H_c(t, .) of all c what u from u0 to u1, a stretch of one cell, lends to it."""
    nodes = nodes_for(slope * (u1 - u0), degree)
    for node in range(nodes):
        u = u0 + (u1 - u0) * NODES[nodes, node]
        alone = (u1 - u0) * WEIGHTS[nodes, node]
        end = begin
        while end < len(hi) and hi[end] < u + widest:
            if lo[end] < u and hi[end] > t:
                alone *= (max(0.0, hi[end] - u) + max(0.0, t - lo[end])) * per[end]
            end += 1
        if alone == 0.0:
            continue
        for p in range(begin, end):
            if rank[p] >= 0 and lo[p] < u < hi[p]:
                table[line, rank[p] - base] += alone / ((hi[p] - u) + max(0.0, t - lo[p]))


@jit
def _reach(candidates: Candidates, component: int, group: int, low: float, high: float) -> tuple[int, int]:
    """The stretch of a component's list that can hold events between two moments."""
    begin, end = candidates.start[component, group], candidates.start[component, group + 1]
    first = first_later(candidates.latest, begin, end, low)
    last = first
    while last < end and candidates.latest[last] - candidates.widest[component] < high:
        last += 1
    return first, last


@jit
def room_needed(candidates: Candidates, group: int, window: float) -> tuple[int, int]:
    """The most b and c that one a can meet."""
    first = candidates.present[0]
    most_b, most_c = 0, 0
    for p in range(candidates.start[first, group], candidates.start[first, group + 1]):
        low, high = candidates.earliest[p], candidates.latest[p] + window
        begin, end = _reach(candidates, candidates.present[1], group, low, high)
        most_b = max(most_b, end - begin)
        begin, end = _reach(candidates, candidates.present[2], group, low, high)
        most_c = max(most_c, end - begin)
    return most_b, most_c


@jit
def sweep_group(
    candidates: Candidates, group: int, window: float, before: Ints, after: Ints, most_b: int, most_c: int
) -> tuple[Table, Table, Table]:
    """Confidences, earliest and latest moments of all matches of a group: a line an a, a column a pair (b, c).

    `before` are the components that must stay out of the first gap, b's own first, and `after` those of the second.
    Columns count from the first b and the first c whose latest moment is after the earliest of a.
    """
    earliest, latest = candidates.earliest, candidates.latest
    root, second, third = candidates.present[0], candidates.present[1], candidates.present[2]
    a0, a1 = candidates.start[root, group], candidates.start[root, group + 1]
    total = np.zeros((a1 - a0, most_b * most_c))
    first_moment = np.full((a1 - a0, most_b * most_c), np.inf)
    last_moment = np.full((a1 - a0, most_b * most_c), -np.inf)
    meets_b, meets_c = np.empty(a1 - a0, dtype=np.int64), np.empty(a1 - a0, dtype=np.int64)
    for a in range(a0, a1):
        meets_b[a - a0], _ = _reach(candidates, second, group, earliest[a], earliest[a])
        meets_c[a - a0], _ = _reach(candidates, third, group, earliest[a], earliest[a])
    edge, size = edges(candidates, root, before, after, group)
    slope2, degree2 = steepness(candidates, before, group, edge, size)
    slope3, degree3 = steepness(candidates, after, group, edge, size)
    soonest, which, next_soonest = surely_come(candidates, after, group, edge, size)
    t_start = np.zeros(size + 1, dtype=np.int64)
    for c in range(size - 1):
        slope = (slope2[c] + slope3[c]) * (edge[c + 1] - edge[c])
        t_start[c + 1] = t_start[c] + nodes_for(slope, degree2[c] + degree3[c] + 1)
    t_start[size] = t_start[size - 1]
    table = np.zeros((t_start[size] + 1, most_c + 1))
    spare = t_start[size]
    moment, until = np.zeros(t_start[size]), np.zeros(t_start[size])
    starts, bases = np.zeros(t_start[size], dtype=np.int64), np.zeros(t_start[size], dtype=np.int64)
    outer, outer_size = outer_edges(edge, size, window)
    lo2, hi2, per2, rank2 = listed(candidates, before, group)
    lo3, hi3, per3, rank3 = listed(candidates, after, group)
    wide2, wide3 = candidates.widest[before].max(), candidates.widest[after].max()
    b0, b1 = candidates.start[second, group], candidates.start[second, group + 1]
    c0, c1 = candidates.start[third, group], candidates.start[third, group + 1]
    first2, first3, first_b, first_c = 0, 0, b0, c0
    acc, last_cell = np.zeros((most_b, most_c)), np.full((most_b, most_c), -1)
    reached, ready, here, active = edge[0], 0, 0, a0
    for q in range(outer_size - 1):
        x, y = outer[q], outer[q + 1]
        while active < a1 and latest[active] <= x:
            active += 1
        if not _any_covers(earliest, latest, active, a1, candidates.widest[root], x, y):
            continue
        while here + 1 < size and edge[here + 1] <= x:
            here += 1
        first2, first3 = first_later(hi2, first2, len(hi2), x), first_later(hi3, first3, len(hi3), x)
        first_b, first_c = first_later(latest, first_b, b1, x), first_later(latest, first_c, c1, x)
        there = min(max(np.searchsorted(edge[:size], x + window, side="right") - 1, 0), size - 1)
        slope = (slope2[here] + slope3[here] + slope2[there] + slope3[there]) * (y - x)
        degree = degree2[here] + degree3[here] + degree2[there] + degree3[there] + 2
        nodes = nodes_for(slope, degree)
        for node in range(nodes):
            s = x + (y - x) * NODES[nodes, node]
            v = min(s + window, edge[size - 1])
            if reached < edge[here + 1]:
                reached, ready = edge[here + 1], here + 1
            while reached < v:
                upto = min(edge[ready + 1], v)
                slope, degree = slope3[ready], degree3[ready]
                for tn in range(t_start[here + 1], t_start[ready]):
                    if reached >= until[tn]:
                        continue
                    _add_share(
                        lo3, hi3, per3, rank3, wide3, starts[tn], moment[tn], reached, upto, slope, degree, bases[tn],
                        table, tn,
                    )  # fmt: skip
                if upto == edge[ready + 1]:
                    count = t_start[ready + 1] - t_start[ready]
                    for step in range(count):
                        tn = t_start[ready] + step
                        t = edge[ready] + (upto - edge[ready]) * NODES[count, step]
                        moment[tn], until[tn] = t, next_soonest[ready]
                        starts[tn] = first_later(hi3, first3, len(hi3), t)
                        bases[tn] = first_later(latest, first_c, c1, t) - c0
                        table[tn] = 0.0
                        _add_share(
                            lo3, hi3, per3, rank3, wide3, starts[tn], t, t, upto, slope, degree, bases[tn], table, tn
                        )
                    ready += 1
                reached = upto
            some_b = _upto(latest, first_b, b1, v + candidates.widest[second])
            some_c = _upto(latest, first_c, c1, v + candidates.widest[third])
            acc[:some_b, :some_c] = 0.0
            last_cell[:some_b, :some_c] = -1
            over = False
            for cell in range(here, min(ready, size - 2) + 1):
                if over:
                    break
                t0, t1 = max(edge[cell], s), min(edge[cell + 1], v)
                if t1 <= t0:
                    continue
                whole = here < cell < ready
                count = t_start[cell + 1] - t_start[cell]
                if not whole:
                    slope = (slope2[cell] + slope3[cell]) * (t1 - t0)
                    count = nodes_for(slope, degree2[cell] + degree3[cell] + 1)
                for step in range(count):
                    t = t0 + (t1 - t0) * NODES[count, step]
                    alone, end = (t1 - t0) * WEIGHTS[count, step], first2
                    while end < len(hi2) and hi2[end] < t + wide2:
                        if lo2[end] < t and hi2[end] > s:
                            alone *= (max(0.0, hi2[end] - t) + max(0.0, s - lo2[end])) * per2[end]
                        end += 1
                    if alone == 0.0:
                        over = True
                        break
                    line = t_start[cell] + step
                    if whole:
                        shift = bases[line] + c0 - first_c
                    else:
                        line = spare
                        table[spare] = 0.0
                        start = first_later(hi3, first3, len(hi3), t)
                        base = first_later(latest, first_c, c1, t) - c0
                        shift = base + c0 - first_c
                        part, u0 = cell, t
                        while u0 < min(v, next_soonest[cell]) and part + 1 < size:
                            u1 = min(edge[part + 1], v)
                            _add_share(
                                lo3, hi3, per3, rank3, wide3, start, t, u0, u1, slope3[part], degree3[part], base,
                                table, spare,
                            )  # fmt: skip
                            u0 = u1
                            part += 1
                    for p in range(first2, end):
                        if rank2[p] < 0 or not lo2[p] < t < hi2[p]:
                            continue
                        taken = alone / ((hi2[p] - t) + max(0.0, s - lo2[p]))
                        b = rank2[p] + b0 - first_b
                        for c in range(shift, some_c):
                            acc[b, c] += taken * table[line, c - shift]
                        if step + 1 == count:
                            for c in range(shift, some_c):
                                if taken * table[line, c - shift] > 0.0:
                                    last_cell[b, c] = cell
            weight = (y - x) * WEIGHTS[nodes, node]
            for a in range(active, a1):
                if latest[a] - candidates.widest[root] >= y:
                    break
                if not (earliest[a] <= x and y <= latest[a]):
                    continue
                own_b, own_c = first_b - meets_b[a - a0], first_c - meets_c[a - a0]
                density = weight / (latest[a] - earliest[a])
                for b in range(some_b):
                    line = (own_b + b) * most_c + own_c
                    for c in range(some_c):
                        total[a - a0, line + c] += density * acc[b, c]
                if node == 0:
                    for b in range(some_b):
                        line = (own_b + b) * most_c + own_c
                        for c in range(some_c):
                            cell = last_cell[b, c]
                            if cell < 0:
                                continue
                            limit = next_soonest[cell] if which[cell] == first_c + c else soonest[cell]
                            end = min(latest[first_c + c], min(limit, y + window))
                            first_moment[a - a0, line + c] = min(first_moment[a - a0, line + c], x)
                            last_moment[a - a0, line + c] = max(last_moment[a - a0, line + c], end)
    return total, first_moment, last_moment


@jit
def _upto(latest: Floats, begin: int, end: int, t: float) -> int:
    """How many places from `begin` on have a latest moment before t."""
    count = 0
    while begin + count < end and latest[begin + count] < t:
        count += 1
    return count


@jit
def _any_covers(earliest: Floats, latest: Floats, begin: int, end: int, widest: float, x: float, y: float) -> bool:
    """Whether some event of a list can happen all over [x, y]."""
    for p in range(begin, end):
        if latest[p] - widest >= y:
            break
        if earliest[p] <= x and y <= latest[p]:
            return True
    return False
