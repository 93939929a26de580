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
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.bounds import Bounds
from whenabouts.kernels.timing.probing import UNIFORM, Table, shaped_verdicts, uniform_probabilities

BLOCK = 1024
"""How many edges are probed at once: as many as their probabilities fit into the first cache."""


class Groups(NamedTuple):
    """The equality keys: the group of each left event, and where it stands in the sorted right side."""

    left: Ints
    right_start: Ints
    right_end: Ints


@jit
def group_widths(right: Events, groups: Groups) -> tuple[Floats, Floats]:
    """The narrowest and the widest right event of each group; zero for an empty one."""
    count = len(groups.right_start)
    narrowest, widest = np.zeros(count), np.zeros(count)
    for group in range(count):
        start, end = groups.right_start[group], groups.right_end[group]
        for row in range(start, end):
            width = right.latest[row] - right.earliest[row]
            if row == start or width < narrowest[group]:
                narrowest[group] = width
            if width > widest[group]:
                widest[group] = width
    return narrowest, widest


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
                    uniform_probabilities(
                        left_earliest[row], left_latest[row], right_earliest, right_latest, block, stop_at,
                        low, high, scratch,
                    )  # fmt: skip
                    computed += stop_at - block
                else:
                    computed += shaped_verdicts(
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
