"""The timing join of two Arrow tables: pairs whose times satisfy a band with enough confidence.

The join runs on any two tables that hold all partners of each other, the whole data in this process or one
slice of it in a Spark task: read and check the rows, sort both sides by key and latest time, cut by bounds,
sweep, and hand out the pairs as record batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, pairwise
from threading import Lock

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Ints, take
from whenabouts.kernels.timing import sweep as sweeping
from whenabouts.kernels.timing.near import sweep_near, typical_window
from whenabouts.kernels.timing.probing import UNIFORM
from whenabouts.kernels.timing.streams import Condition, Pairs
from whenabouts.model.stats import merge_counts
from whenabouts.ops.timing.prepare import Prepared, grouped, some_of
from whenabouts.ops.timing.probing import Probing, choose_probing
from whenabouts.ops.timing.spans import spans
from whenabouts.ops.timing.strategies import correlated
from whenabouts.ops.timing.widths import width_classes
from whenabouts.ops.timing.writer import Writer, allocate

CHUNK = 1 << 20
_ROWS_A_TASK = 1 << 11
_LOOKS = 64
_FEW_PARTNERS = 48
"""Up to so many partners of an event, looking at each of them is faster than looking for ranges."""
_Step = Callable[[sweeping.Cursor, Pairs], tuple[sweeping.Cursor, sweeping.Count]]
_COUNTING = Lock()
"""Held while a task adds its counts to those of the others."""


def execute(prepared: Prepared, *, threads: int = 1, reuse: bool = False) -> Iterator[pa.RecordBatch]:
    """The pairs of a prepared join, as record batches; counts gather in `prepared.counts`.

    With `reuse` the memory of a batch is overwritten by the next one: for a consumer that writes each batch
    away before it asks for another. It keeps the pages warm, which is worth an order of magnitude.
    """
    prepared.counts.setdefault("candidates", 0)
    for part in chain.from_iterable(map(spans, _owned_parts(prepared))):
        if prepared.join.strategy in ("auto", "sweep"):
            for alike in width_classes(part):
                yield from _sweep(alike, threads, reuse)
                merge_counts(prepared.counts, alike.counts)
        else:
            yield from correlated(part, threads)
            merge_counts(prepared.counts, part.counts)


def _owned_parts(prepared: Prepared) -> list[Prepared]:
    """The pairs of a slice as one or two plain joins: owned left with all, then the rest with owned right."""
    left, right = prepared.left, prepared.right
    if left.owned.all() or right.owned.all():
        return [replace(prepared, counts={})]
    return [
        _part(prepared, np.flatnonzero(left.owned), np.arange(len(right.rows))),
        _part(prepared, np.flatnonzero(~left.owned), np.flatnonzero(right.owned)),
    ]


def _part(prepared: Prepared, left_at: Ints, right_at: Ints) -> Prepared:
    """The join of some rows of either side, which keep their order."""
    sides = [
        side if len(at) == len(side.rows) else some_of(side, at)
        for side, at in ((prepared.left, left_at), (prepared.right, right_at))
    ]
    return grouped(prepared.join, sides[0], sides[1], len(prepared.groups.right_start), {})


def _sweep(prepared: Prepared, threads: int, reuse: bool) -> Iterator[pa.RecordBatch]:
    """Sweep the left rows in tasks of equal size, several at a time where there are threads for it."""
    count = len(prepared.left.rows)
    if not count or not len(prepared.right.rows):
        return
    probing = choose_probing(prepared, threads)
    writer = Writer(prepared)
    if threads <= 1 or count < 2 * _ROWS_A_TASK:
        yield from _sweep_rows(prepared, probing, writer, 0, count, CHUNK if not reuse else CHUNK // 16, reuse)
        return
    cuts = np.linspace(0, count, max(2 * threads, count // (128 * _ROWS_A_TASK)) + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        tasks = [
            pool.submit(lambda a, b: list(_sweep_rows(prepared, probing, writer, a, b, CHUNK, False)), a, b)
            for a, b in pairwise(cuts)
        ]
        for task in tasks:
            yield from task.result()


def _sweep_rows(
    prepared: Prepared, probing: Probing, writer: Writer, start: int, stop: int, capacity: int, reuse: bool
) -> Iterator[pa.RecordBatch]:
    step = _step(prepared, probing, writer, slice(start, stop))
    cursor = sweeping.Cursor(0, 0, 0, 0, 0, 0)
    buffers: Pairs | None = None
    tally = np.zeros(5, dtype=np.int64)
    while cursor.row < stop - start:
        if buffers is None or not reuse:
            buffers = allocate(capacity, prepared.join.measure)
        cursor, count = step(cursor, buffers)
        tally += count
        if count.emitted:
            n = count.emitted
            yield writer.batch(buffers.left[:n], buffers.right[:n], buffers.confidence[:n])
    counted = dict(zip(("emitted", "candidates", "surely_yes", "probed", "computed"), tally.tolist(), strict=True))
    with _COUNTING:
        merge_counts(prepared.counts, counted)


def _step(prepared: Prepared, probing: Probing, writer: Writer, rows: slice) -> _Step:
    """How to go on with some left rows: range by range, or pair by pair where events have few partners."""
    join, right, widest = prepared.join, prepared.right.events, prepared.widest
    left, left_key = take(prepared.left.events, rows), writer.left_key[rows]
    groups = prepared.groups._replace(left=prepared.groups.left[rows])
    if join.strategy == "auto" and probing.kind == UNIFORM:
        ask = Condition(join.low, join.high, join.min_confidence, join.measure)
        every = max(len(left.latest) // _LOOKS, 1)
        if typical_window(left, right, groups, widest, ask, every) < _FEW_PARTNERS:
            keys = left_key, writer.right_key
            return lambda cursor, out: sweep_near(left, right, keys, groups, widest, ask, cursor, out)
    bounds = probing.bounds(rows)
    return lambda cursor, out: sweeping.sweep(
        left, left_key, right, writer.right_key, bounds, groups, probing.kind, probing.table,
        join.low, join.high, join.min_confidence, join.measure, len(left.latest), cursor, *out,
    )  # fmt: skip
