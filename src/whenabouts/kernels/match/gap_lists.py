"""The events that must stay out of the two gaps of three components, and the cells between all their ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.candidates import Candidates, first_later
from whenabouts.kernels.match.cells import sorted_edges

_STEEP = 4.0
"""A cell is cut further where more than so many events are expected in it."""


class Gap(NamedTuple):
    """The events that must stay out of a gap, by their latest moment; those that cover a cell; and when it is over.

    `place` is where an event stands among the candidates of the gap's own component, or -1 where it only fits a
    negated one. `twin` is its number in the other gap's list, or -1. It covers the cells `begin` up to `end`;
    `cover[start[c]:start[c + 1]]` are the events that cover cell c, and `slope[c]` is the sum of their densities. The
    events that begin there or before are among the first `upto[c]`. The gap, if it began in cell c, is surely over at
    `over[c]`: an event that began after c has come by then, be it the match's own or another.
    """

    lo: Floats
    hi: Floats
    per: Floats
    row: Ints
    place: Ints
    twin: Ints
    begin: Ints
    end: Ints
    start: Ints
    cover: Ints
    slope: Floats
    over: Floats
    upto: Ints


@jit
def reach(candidates: Candidates, component: int, group: int, low: float, high: float) -> tuple[int, int]:
    """The stretch of a component's list that can hold events between two moments."""
    begin, end = candidates.start[component, group], candidates.start[component, group + 1]
    first = first_later(candidates.latest, begin, end, low)
    last = first
    while last < end and candidates.latest[last] - candidates.widest[component] < high:
        last += 1
    return first, last


@jit
def list_gap(
    candidates: Candidates, components: Ints, group: int, low: float, high: float, without: int
) -> tuple[Floats, Floats, Ints, Ints]:
    """The ends, rows and places of the events of some components between two moments, by latest moment.

    An event that fits several of the components is listed once, for the first of them; one is left out.
    """
    count = 0
    for component in components:
        begin, end = reach(candidates, component, group, low, high)
        count += end - begin
    lo, hi = np.empty(count), np.empty(count)
    row, place = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    used = 0
    for number in range(len(components)):
        begin, end = reach(candidates, components[number], group, low, high)
        known = used
        for p in range(begin, end):
            if candidates.row[p] == without or (number > 0 and np.any(row[:known] == candidates.row[p])):
                continue
            lo[used], hi[used] = candidates.earliest[p], candidates.latest[p]
            row[used], place[used] = candidates.row[p], p if number == 0 else -1
            used += 1
    lo, hi, row, place = lo[:used], hi[:used], row[:used], place[:used]
    if len(components) > 1:
        order = np.argsort(hi, kind="mergesort")
        lo, hi, row, place = lo[order], hi[order], row[order], place[order]
    return lo, hi, row, place


@jit
def twins(row: Ints, hi: Floats, other: Ints, other_hi: Floats) -> Ints:
    """For every event of a list by latest moment, its number in another one, or -1."""
    found, begin = np.full(len(row), -1), 0
    for p in range(len(row)):
        while begin < len(other) and other_hi[begin] < hi[p]:
            begin += 1
        q = begin
        while q < len(other) and other_hi[q] == hi[p]:
            if other[q] == row[p]:
                found[p] = q
            q += 1
    return found


@jit
def cut_time(lo2: Floats, hi2: Floats, lo3: Floats, hi3: Floats, first: float) -> Floats:
    """All ends of the events of both gaps from a first moment on, and more where many events lie in a cell."""
    ends = np.concatenate((np.array([first]), lo2, hi2, lo3, hi3))
    size = sorted_edges(ends, len(ends))
    edge = ends[:size]
    edge = edge[np.searchsorted(edge, first) :]
    slope = _slopes(lo2, hi2, edge) + _slopes(lo3, hi3, edge)
    parts = (slope * np.diff(edge) / _STEEP).astype(np.int64) + 1
    if len(parts) == 0 or parts.max() == 1:
        return edge
    cut, used = np.empty(parts.sum() + 1), 0
    for c in range(len(parts)):
        for part in range(parts[c]):
            cut[used] = edge[c] + (edge[c + 1] - edge[c]) * part / parts[c]
            used += 1
    cut[used] = edge[-1]
    return cut


@jit
def _slopes(lo: Floats, hi: Floats, edge: Floats) -> Floats:
    slope = np.zeros(max(len(edge) - 1, 0))
    for p in range(len(lo)):
        c = np.searchsorted(edge, lo[p])
        while c < len(slope) and edge[c + 1] <= hi[p]:
            slope[c] += 1.0 / (hi[p] - lo[p])
            c += 1
    return slope


@jit
def make_gap(lo: Floats, hi: Floats, row: Ints, place: Ints, twin: Ints, edge: Floats) -> Gap:
    """A gap's events with the cells that they cover."""
    cells = len(edge) - 1
    start, slope, per = np.zeros(cells + 2, dtype=np.int64), np.zeros(max(cells, 0)), 1.0 / (hi - lo)
    first, last = np.searchsorted(edge, lo), np.searchsorted(edge, hi)
    for p in range(len(lo)):
        for c in range(first[p], last[p]):
            start[c + 2] += 1
            slope[c] += per[p]
    start = np.cumsum(start)
    cover = np.empty(start[cells + 1], dtype=np.int64)
    for p in range(len(lo)):
        for c in range(first[p], last[p]):
            cover[start[c + 1]] = p
            start[c + 1] += 1
    over, soonest, q = np.full(cells, np.inf), np.inf, len(lo)
    by_start = np.argsort(lo, kind="mergesort")
    for c in range(cells - 1, -1, -1):
        while q > 0 and lo[by_start[q - 1]] >= edge[c + 1]:
            q -= 1
            soonest = min(soonest, hi[by_start[q]])
        over[c] = soonest
    upto = np.zeros(cells, dtype=np.int64)
    for p in range(len(lo)):
        if first[p] < cells:
            upto[first[p]] = p + 1
    for c in range(1, cells):
        upto[c] = max(upto[c], upto[c - 1])
    return Gap(
        lo, hi, per, row, place, twin, first, last, start[: cells + 1], cover, slope, over, upto
    )  # fmt: skip
