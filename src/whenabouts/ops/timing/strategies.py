"""The papers' algorithms as strategies of the timing join: the same pairs, with what each had to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints, with_shapes
from whenabouts.kernels.timing import correlate as algorithms
from whenabouts.kernels.timing.bounds import Bounds, shaped_bounds, uniform_bounds
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.streams import Condition, Pairs, Stream
from whenabouts.ops.timing.prepare import Prepared, Sorted
from whenabouts.ops.timing.probing import shift_table
from whenabouts.ops.timing.question import TimingJoin
from whenabouts.ops.timing.writer import Writer

ALGORITHMS = {
    "simple": algorithms.SIMPLE,
    "sorted": algorithms.SORTED,
    "eager": algorithms.EAGER,
    "partition": algorithms.PARTITION,
    "lazy": algorithms.LAZY,
    "lookup": algorithms.LOOKUP,
}


def correlated(prepared: Prepared, threads: int = 1) -> Iterator[pa.RecordBatch]:
    """Run the join's strategy; events arrive in the order of their latest times."""
    left, right = prepared.left, prepared.right
    if not len(left.rows) or not len(right.rows):
        return
    order, now = arrivals_by(left.events.latest, right.events.latest)
    writer = Writer(prepared)
    pairs, counts = correlate(prepared, order, now, threads)
    prepared.counts |= counts
    if len(pairs.left):
        yield writer.batch(writer.left_key[pairs.left], writer.right_key[pairs.right], pairs.confidence)


def arrivals_by(left: Floats, right: Floats) -> tuple[Ints, Floats]:
    """Arrivals in the order of the given times; of two at once the left one comes first."""
    codes = np.concatenate([np.arange(len(left)), ~np.arange(len(right))])
    times = np.concatenate([left, right])
    order = np.argsort(times, kind="stable")
    return codes[order], times[order]


def correlate(prepared: Prepared, order: Ints, now: Floats, threads: int = 1) -> tuple[Pairs, dict[str, int]]:
    """Run an algorithm over given arrivals; pairs are positions in the sorted sides."""
    join = prepared.join
    if prepared.left.uniform and prepared.right.uniform:
        shaped = [replace(side, events=with_shapes(side.events)) for side in (prepared.left, prepared.right)]
        prepared = replace(prepared, left=shaped[0], right=shaped[1])
    table = Table(np.empty((0, 0)), np.empty((0, 0)))
    if join.strategy == "partition":
        shapes = prepared.left.events.shapes, prepared.right.events.shapes
        table = shift_table(*shapes, join.low, join.high, join.min_confidence, threads)
    streams = (
        _stream(join, prepared.left, prepared.right, table, join.low, join.high, join.delays[0]),
        _stream(join, prepared.right, prepared.left, mirror(table), -join.high, -join.low, join.delays[1]),
    )
    ask = Condition(join.low, join.high, join.min_confidence, join.measure)
    pairs, effort = algorithms.correlate(
        ALGORITHMS[join.strategy], streams, order, now, ask, table, join.block_size, join.every
    )
    return pairs, {
        "emitted": len(pairs.left),
        "candidates": effort.candidates,
        "surely_yes": effort.sure,
        "probed": effort.probed,
        "computed": effort.computed,
        "lookup_hits": effort.hits,
        "buffer_total": effort.buffered,
        "buffer_max": effort.longest,
        "arrivals": len(order),
    }


def mirror(table: Table) -> Table:
    """The same table seen from the other side: X - Y in [-high, -low], shifts with the other sign."""
    return Table(np.ascontiguousarray(-table.most.T), np.ascontiguousarray(-table.least.T))


def _stream(
    join: TimingJoin, base: Sorted, target: Sorted, table: Table, low: float, high: float, delay: float
) -> Stream:
    """One side as a base stream: its bounds over the other, and how far back they can reach."""
    bounds = _bounds(join, base, target, table, low, high)
    reach = float(np.min(bounds.no_before - base.events.latest))
    return Stream(base.events, base.group, bounds, reach, delay)


def _bounds(join: TimingJoin, base: Sorted, target: Sorted, table: Table, low: float, high: float) -> Bounds:
    if join.strategy == "partition":
        return partition_bounds(base.events, target.events, table, low, high, join.measure)
    if base.uniform and target.uniform:
        width = target.events.latest - target.events.earliest
        one_group = np.zeros(len(base.rows), dtype=np.int64)
        ends = np.array([width.min()]), np.array([width.max()])
        return uniform_bounds(
            base.events.earliest, base.events.latest, one_group, *ends, low, high, join.min_confidence, join.measure
        )
    return shaped_bounds(base.events, target.events.shapes, low, high, join.min_confidence, join.measure)
