"""The events that must stay out of a gap, and the cells between all ends of a group, for one sweep over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.candidates import Candidates
from whenabouts.kernels.match.cells import sorted_edges


class Listed(NamedTuple):
    """The events of some components, by their latest moment; `rank` counts those of the first of them, else -1."""

    lo: Floats
    hi: Floats
    per: Floats
    rank: Ints


@jit
def listed(candidates: Candidates, components: Ints, group: int) -> Listed:
    """The events that must stay out of a gap, in one list; `per` are their densities."""
    count = 0
    for component in components:
        count += candidates.start[component, group + 1] - candidates.start[component, group]
    lo, hi, rank = np.empty(count), np.empty(count), np.empty(count, dtype=np.int64)
    used = 0
    for number in range(len(components)):
        begin = candidates.start[components[number], group]
        for p in range(begin, candidates.start[components[number], group + 1]):
            lo[used], hi[used] = candidates.earliest[p], candidates.latest[p]
            rank[used] = p - begin if number == 0 else -1
            used += 1
    order = np.argsort(hi, kind="mergesort")
    lo, hi, rank = lo[order], hi[order], rank[order]
    return Listed(lo, hi, 1.0 / (hi - lo), rank)


@jit
def steepness(candidates: Candidates, components: Ints, group: int, edge: Floats, size: int) -> tuple[Floats, Ints]:
    """By cell: the sum of the densities of the events of some components, and how many have mass there."""
    slope, degree = np.zeros(size), np.zeros(size, dtype=np.int64)
    for component in components:
        for p in range(candidates.start[component, group], candidates.start[component, group + 1]):
            lo, hi = candidates.earliest[p], candidates.latest[p]
            c = np.searchsorted(edge[:size], lo)
            while c + 1 < size and edge[c + 1] <= hi:
                slope[c] += 1.0 / (hi - lo)
                degree[c] += 1
                c += 1
    return slope, degree


@jit
def surely_come(
    candidates: Candidates, components: Ints, group: int, edge: Floats, size: int
) -> tuple[Floats, Ints, Floats]:
    """By cell of t: by when an event of some components that begins later has surely come, which, and the next such."""
    soonest, which, second = np.full(size, np.inf), np.full(size, -1), np.full(size, np.inf)
    for component in components:
        p = candidates.start[component, group]
        end = candidates.start[component, group + 1]
        for c in range(size - 1):
            while p < end and candidates.earliest[p] < edge[c + 1]:
                p += 1
            found = 0
            for q in range(p, end):
                if candidates.earliest[q] < edge[c + 1]:
                    continue
                moment = candidates.latest[q]
                if moment < soonest[c]:
                    second[c] = soonest[c]
                    soonest[c], which[c] = moment, q
                elif moment < second[c]:
                    second[c] = moment
                found += 1
                if found == 2:
                    break
    return soonest, which, second


@jit
def edges(candidates: Candidates, root: int, before: Ints, after: Ints, group: int) -> tuple[Floats, int]:
    """All ends of the events of a group, sorted."""
    count = candidates.start[root, group + 1] - candidates.start[root, group]
    for component in before:
        count += candidates.start[component, group + 1] - candidates.start[component, group]
    for component in after:
        count += candidates.start[component, group + 1] - candidates.start[component, group]
    edge, used = np.empty(2 * count + 1), 0
    for number in range(1 + len(before) + len(after)):
        component = root
        if number > len(before):
            component = after[number - 1 - len(before)]
        elif number > 0:
            component = before[number - 1]
        for p in range(candidates.start[component, group], candidates.start[component, group + 1]):
            edge[used], edge[used + 1] = candidates.earliest[p], candidates.latest[p]
            used += 2
    return edge, sorted_edges(edge, used)


@jit
def outer_edges(edge: Floats, size: int, window: float) -> tuple[Floats, int]:
    """The ends, and the ends less the window."""
    outer = np.empty(2 * size + 1)
    outer[:size] = edge[:size]
    outer[size : 2 * size] = edge[:size] - window
    return outer, sorted_edges(outer, 2 * size)
