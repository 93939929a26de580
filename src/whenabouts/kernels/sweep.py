"""The range sweep: pairs of two sorted sides, block by block into a reused buffer.

Both sides are sorted by group, then by latest time. For an event x of the left side, its bounds cut the right
side into a window of candidates, outside of which a pair is surely not, and within it a sure range that is
filled without arithmetic; only the edges between the two are probed. The window moves slowly along the left
side, so its four ends are found by galloping from where they were.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.bounds import Bounds
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.probability import level_of, lost, probability, uniform_at_most, uniform_below

BLOCK = 1024
"""How many edges are probed at once: as many as their probabilities fit into the first cache."""
SHORT = 24
"""A window of so few candidates is walked: looking for its ends would cost more."""


UNIFORM = 0
"""Probe with the vectorised closed form: both sides are uniform."""
SHAPED = 1
"""Probe with the exact probability of any two shapes."""
TABLE = 2
"""Probe by comparing with the table of satisfaction shifts (paper 000, theorem 2)."""


class Groups(NamedTuple):
    """The equality keys: the group of each left event, and where it stands in the sorted right side."""

    left: Ints
    right_start: Ints
    right_end: Ints


class Table(NamedTuple):
    """The shifts of a right shape at which a pair of shapes reaches the confidence."""

    least: Floats
    most: Floats


class Cursor(NamedTuple):
    """Where a sweep stands: the left row, the right row within it, and the four ends of the window."""

    row: int
    column: int
    first: int
    sure_first: int
    sure_end: int
    end: int


class Count(NamedTuple):
    """What a sweep has done since it was started."""

    emitted: int
    candidates: int
    sure: int
    probed: int
    computed: int


@jit
def first_at_least(values: Floats, start: int, end: int, hint: int, bound: float) -> int:
    """The first position in [start, end) with values[p] >= bound, or end; galloping from `hint`."""
    low = start
    high = end
    at = min(max(hint, start), end)
    step = 1
    if at < end and values[at] < bound:
        low = at + 1
        while low + step < end and values[low + step] < bound:
            low += step
            step *= 2
        high = min(low + step, end)
    else:
        high = at
        while high - step >= start and values[high - step] >= bound:
            high -= step
            step *= 2
        low = max(high - step, start)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def first_above(values: Floats, start: int, end: int, hint: int, bound: float) -> int:
    """The first position in [start, end) with values[p] > bound, or end."""
    return first_at_least(values, start, end, hint, np.nextafter(bound, np.inf))


@jit
def _inside_flat(head: float, tail: float, narrow: float, wide: float) -> float:
    """The trapezoid's distribution function without branches, to the same bit as with them."""
    corner = head if head <= narrow else tail
    in_corner = head <= narrow or tail <= narrow
    height = (corner if in_corner else head - 0.5 * narrow) / wide
    area = 0.5 * (corner / narrow) * height
    return area if head <= narrow else (1.0 - area if tail <= narrow else height)


@jit
def _uniform_probabilities(
    x1: float,
    x2: float,
    right_earliest: Floats,
    right_latest: Floats,
    start: int,
    end: int,
    low: float,
    high: float,
    out: Floats,
) -> None:
    """`probability` for one uniform x and a run of uniform y, free of branches so that it vectorises."""
    u = x2 - x1
    for k in range(end - start):
        y1 = right_earliest[start + k]
        y2 = right_latest[start + k]
        v = y2 - y1
        narrow = min(u, v)
        wide = max(u, v)
        least = y1 - x2
        most = y2 - x1
        least_lost = lost(y1, x2, least)
        most_lost = lost(y2, x1, most)
        head = (high - least) - least_lost
        tail = (most - high) + most_lost
        upper = _inside_flat(head, tail, narrow, wide)
        upper = 0.0 if head <= 0.0 else upper
        upper = 1.0 if tail <= 0.0 else upper
        head = (low - least) - least_lost
        tail = (most - low) + most_lost
        lower = _inside_flat(head, tail, narrow, wide)
        lower = 1.0 if tail <= 0.0 else lower
        lower = 0.0 if head <= 0.0 else lower
        out[k] = min(max(upper - lower, 0.0), 1.0)


@jit
def table_says(table: Table, left: Events, i: int, right: Events, j: int, band: float) -> int:
    """1 where the table decides yes, 0 where it decides no, -1 where the probability must be computed.

    It must be computed within rounding of a limit, and where the difference of the two times can stick out
    of the band on both ends, so that each one-sided confidence is necessary but not sufficient.
    """
    u = left.shape[i]
    v = right.shape[j]
    shift = right.anchor[j] - left.anchor[i]
    reach = (left.latest[i] - left.earliest[i]) + (right.latest[j] - right.earliest[j])
    near = 1e-9 * reach + 1e-14 * abs(shift)
    if shift < table.least[u, v] - near or shift > table.most[u, v] + near:
        return 0
    if shift < table.least[u, v] + near or shift > table.most[u, v] - near or reach > band:
        return -1
    return 1


@jit
def _keep(
    probabilities: Floats,
    count: int,
    start: int,
    right_key: Ints,
    level: float,
    measure: bool,
    out_left: Ints,
    out_right: Ints,
    out_confidence: Floats,
    n: int,
    key: int,
) -> int:
    """Append the pairs with right[start:start + count] whose probability reaches the level."""
    for k in range(count):
        p = probabilities[k]
        out_left[n] = key
        out_right[n] = right_key[start + k]
        if measure:
            out_confidence[n] = p
        n += p >= level
    return n


@jit
def _probe_shaped(
    left: Events,
    i: int,
    right: Events,
    kind: int,
    table: Table,
    start: int,
    end: int,
    low: float,
    high: float,
    measure: bool,
    out: Floats,
) -> int:
    """Probabilities of x with right[start:end], or the table's verdicts as 0 and 1; counts the computed ones."""
    if kind == SHAPED:
        for j in range(start, end):
            out[j - start] = probability(left, i, right, j, low, high)
        return end - start
    computed = 0
    for j in range(start, end):
        verdict = table_says(table, left, i, right, j, high - low)
        if verdict < 0 or (measure and verdict > 0):
            computed += 1
            out[j - start] = probability(left, i, right, j, low, high)
        else:
            out[j - start] = float(verdict)
    return computed


@jit
def _scan(
    x1: float,
    x2: float,
    right_earliest: Floats,
    right_latest: Floats,
    right_key: Ints,
    start: int,
    stop: int,
    no_after: float,
    yes_from: float,
    yes_to: float,
    low: float,
    high: float,
    level: float,
    measure: bool,
    out_left: Ints,
    out_right: Ints,
    out_confidence: Floats,
    n: int,
    key: int,
) -> tuple[int, int, int]:
    """The pairs of a uniform x with a short window that begins at `start`: one walk, its ends not looked for."""
    sure = 0
    j = start
    while j < stop:
        y2 = right_latest[j]
        if y2 > no_after:
            break
        if yes_from <= y2 <= yes_to:
            sure += 1
            p = 1.0
        else:
            y1 = right_earliest[j]
            p = uniform_at_most(x1, x2, y1, y2, high) - uniform_below(x1, x2, y1, y2, low)
            p = min(max(p, 0.0), 1.0)
        out_left[n] = key
        out_right[n] = right_key[j]
        if measure:
            out_confidence[n] = p
        n += p >= level
        j += 1
    return n, j, sure


@jit
def sweep(
    left: Events,
    left_key: Ints,
    right: Events,
    right_key: Ints,
    bounds: Bounds,
    groups: Groups,
    kind: int,
    table: Table,
    low: float,
    high: float,
    confidence: float,
    measure: bool,
    last_row: int,
    cursor: Cursor,
    out_left: Ints,
    out_right: Ints,
    out_confidence: Floats,
) -> tuple[Cursor, Count]:
    """Fill the buffers with pairs until they are full or the left rows are done.

    Parameters
    ----------
    left, right : Events
        Sorted by group, then latest time.
    left_key, right_key : int64 arrays
        What is written for an event: its id, or its row.
    bounds : Bounds
        Of the left events over the right side.
    groups : Groups
        The right range of every left event's group.
    kind : {UNIFORM, SHAPED, TABLE}
        How an edge is probed.
    table : Table
        Of the satisfaction shifts, for `TABLE`; else empty.
    low, high, confidence : float
        The band on Y - X and the threshold.
    measure : bool
        Whether the confidence is wanted; else `out_confidence` is left alone.
    last_row : int
        The left row to stop at.
    cursor : Cursor
        Where to go on; the returned one is the next call's.

    Returns
    -------
    (Cursor, Count)
        The sweep is over when `cursor.row` has reached `last_row`.
    """
    level = level_of(confidence)
    capacity = len(out_left)
    scratch = np.empty(BLOCK)
    n = 0
    candidates = 0
    sure = 0
    probed = 0
    computed = 0
    row, column, first, sure_first, sure_end, end = cursor
    left_earliest, left_latest = left.earliest, left.latest
    right_earliest, right_latest = right.earliest, right.latest
    no_before, yes_from, yes_to, no_after = bounds
    while row < last_row:
        group = groups.left[row]
        start = groups.right_start[group]
        stop = groups.right_end[group]
        first = first_at_least(right_latest, start, stop, first, no_before[row])
        if kind == UNIFORM and column == 0 and n + SHORT <= capacity:
            near = min(first + SHORT, stop)
            if near == stop or right_latest[near] > no_after[row]:
                n, end, filled = _scan(
                    left_earliest[row], left_latest[row], right_earliest, right_latest, right_key, first, near,
                    no_after[row], yes_from[row], yes_to[row], low, high, level, measure,
                    out_left, out_right, out_confidence, n, left_key[row],
                )  # fmt: skip
                candidates += end - first
                sure += filled
                probed += end - first - filled
                computed += end - first - filled
                row += 1
                continue
        end = first_above(right_latest, start, stop, end, no_after[row])
        sure_first = first_at_least(right_latest, start, stop, sure_first, yes_from[row])
        sure_end = first_above(right_latest, start, stop, sure_end, yes_to[row])
        at = max(column, first)
        until = max(at, min(end, at + capacity - n))
        fill_from = min(max(sure_first, at), until)
        fill_to = min(max(sure_end, fill_from), until)
        key = left_key[row]
        for edge in range(2):
            probe_from = at if edge == 0 else fill_to
            probe_to = fill_from if edge == 0 else until
            for block in range(probe_from, probe_to, BLOCK):
                stop_at = min(block + BLOCK, probe_to)
                if kind == UNIFORM:
                    _uniform_probabilities(
                        left_earliest[row], left_latest[row], right_earliest, right_latest, block, stop_at,
                        low, high, scratch,
                    )  # fmt: skip
                    computed += stop_at - block
                else:
                    computed += _probe_shaped(
                        left, row, right, kind, table, block, stop_at, low, high, measure, scratch
                    )
                n = _keep(
                    scratch, stop_at - block, block, right_key, level, measure,
                    out_left, out_right, out_confidence, n, key,
                )  # fmt: skip
            if edge == 0:
                for j in range(fill_from, fill_to):
                    out_left[n + j - fill_from] = key
                    out_right[n + j - fill_from] = right_key[j]
                if measure:
                    for j in range(fill_from, fill_to):
                        out_confidence[n + j - fill_from] = 1.0
                n += fill_to - fill_from
        candidates += until - at
        sure += fill_to - fill_from
        probed += (until - at) - (fill_to - fill_from)
        if until < end:
            column = until
            break
        column = 0
        row += 1
    return Cursor(row, column, first, sure_first, sure_end, end), Count(n, candidates, sure, probed, computed)
