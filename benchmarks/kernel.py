"""The sweep alone: sorted arrays in, pairs with their confidence into a buffer that is used again, on one core."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.data import QUESTION, Scale, cases
from benchmarks.measure import Row, interleaved, row
from whenabouts.kernels.events import Events, uniform_events
from whenabouts.kernels.timing.bounds import uniform_bounds
from whenabouts.kernels.timing.near import sweep_near
from whenabouts.kernels.timing.probing import UNIFORM, Table
from whenabouts.kernels.timing.streams import Condition, Pairs
from whenabouts.kernels.timing.sweep import Cursor, Groups, sweep

ROOM = 1 << 16
"""Pairs that the buffer holds: 1.5 MB, which stay in the second cache."""


def run(scale: Scale) -> list[Row]:
    """Sweep few and many partners; bounds are part of the work, sorting is not."""
    rows: list[Row] = []
    for case in cases(scale):
        left, right = (_sorted(table) for table in case.tables())
        write_pairs = swept if case.partners > 48 else swept_near
        run_once = partial(write_pairs, left, right)
        timing, pairs = interleaved({"sweep": run_once}, repetitions=7)["sweep"], run_once()
        rate = pairs / timing.median / 1e6
        rows.append(row("kernel", case.name, "sweep", rate, "M pairs/s", better="higher", timing=timing, pairs=pairs))
    return rows


def _sorted(table: object) -> Events:
    lo, hi = (table[name].to_numpy() for name in ("lo", "hi"))  # type: ignore[index]
    order = np.argsort(hi)
    return uniform_events(lo[order], hi[order])


def swept(left: Events, right: Events) -> int:
    """Write every pair once, and count them."""
    low, high, confidence = -QUESTION.window, QUESTION.window, QUESTION.threshold
    width = right.latest - right.earliest
    rows = len(left.earliest)
    groups = Groups(np.zeros(rows, np.int64), np.array([0]), np.array([len(width)]))
    ends = np.array([width.min()]), np.array([width.max()])
    bounds = uniform_bounds(left.earliest, left.latest, groups.left, *ends, low, high, confidence, True)
    keys = np.arange(rows), np.arange(len(width))
    out = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64), np.empty(ROOM)
    table = Table(np.empty((0, 0, 2)))
    cursor, pairs = Cursor(0, 0, 0, 0, 0, 0), 0
    while cursor.row < rows:
        cursor, count = sweep(
            left, keys[0], right, keys[1], bounds, groups, UNIFORM, table, low, high, confidence, True, rows, cursor,
            *out,
        )  # fmt: skip
        pairs += count.emitted
    return pairs


def swept_near(left: Events, right: Events) -> int:
    """The same, pair by pair, as it is done where partners are few."""
    ask = Condition(-QUESTION.window, QUESTION.window, QUESTION.threshold, True)
    rows, others = len(left.latest), len(right.latest)
    groups = Groups(np.zeros(rows, np.int64), np.array([0]), np.array([others]))
    widest, keys = np.array([(right.latest - right.earliest).max()]), (np.arange(rows), np.arange(others))
    out = Pairs(np.empty(ROOM, np.int64), np.empty(ROOM, np.int64), np.empty(ROOM))
    cursor, pairs = Cursor(0, 0, 0, 0, 0, 0), 0
    while cursor.row < rows:
        cursor, count = sweep_near(left, right, keys, groups, widest, ask, cursor, out)
        pairs += count.emitted
    return pairs
