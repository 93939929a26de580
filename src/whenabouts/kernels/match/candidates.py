"""Which events may stand at which component of a pattern: lists by component and key, in the order of time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints


class Candidates(NamedTuple):
    """The events of every component, absent ones too, sorted by group (the value of the keys) and latest moment.

    Those of component v in group g are the places `start[v, g]:start[v, g + 1]`; `widest[v]` is the widest of v's.
    `present` are the components that a match binds, in order; `gap[v]` is the present component after which v stands.
    """

    start: NDArray[np.int64]
    row: Ints
    earliest: Floats
    latest: Floats
    widest: Floats
    present: Ints
    gap: Ints


def list_candidates(
    events: Events, rows: list[Ints], groups: list[Ints], group_count: int, negated: list[bool]
) -> Candidates:
    """Sort the rows of every component by their group and latest moment."""
    count = len(rows)
    start = np.zeros((count, group_count + 1), dtype=np.int64)
    lists, widest, used = [], np.zeros(count), 0
    for component, (row, group) in enumerate(zip(rows, groups, strict=True)):
        latest = events.latest[row]
        order = np.argsort(latest, kind="stable") if group_count == 1 else np.lexsort((latest, group))
        chosen = row[order]
        lists.append(chosen)
        sizes = np.bincount(group, minlength=group_count)
        start[component, 0] = used
        start[component, 1:] = used + np.cumsum(sizes)
        used += len(row)
        if len(row):
            widest[component] = float((latest - events.earliest[row]).max())
    row = np.concatenate(lists).astype(np.int64) if lists else np.zeros(0, dtype=np.int64)
    present = np.array([place for place, absent in enumerate(negated) if not absent], dtype=np.int64)
    gap = np.cumsum(~np.array(negated, dtype=np.bool_)).astype(np.int64) - 1
    return Candidates(start, row, events.earliest[row], events.latest[row], widest, present, gap)


@jit
def first_beginning_after(earliest: Floats, latest: Floats, begin: int, end: int, t: float) -> int:
    """The first place from `begin` on of an event that begins after t, whatever its time turns out to be."""
    place = first_later(latest, begin, end, t)
    while place < end and earliest[place] <= t:
        place += 1
    return place


@jit
def first_later(latest: Floats, begin: int, end: int, t: float) -> int:
    """The first place from `begin` on whose latest moment lies after t; found by doubling steps, so near is cheap."""
    if begin >= end or latest[begin] > t:
        return begin
    step = 1
    while begin + step < end and latest[begin + step] <= t:
        begin += step
        step *= 2
    end = min(end, begin + step)
    begin += 1
    while begin < end:
        middle = (begin + end) // 2
        if latest[middle] > t:
            end = middle
        else:
            begin = middle + 1
    return begin
