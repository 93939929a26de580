"""The papers' algorithms as strategies of the timing join: the same pairs, with what each had to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints, with_shapes
from whenabouts.kernels.timing.arrivals import arrive_and_scan
from whenabouts.kernels.timing.blocks import arrive_and_wait, nobody
from whenabouts.kernels.timing.bounds import Bounds, shaped_bounds, uniform_bounds
from whenabouts.kernels.timing.cutting import arrive_and_cut, empty_buffer
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.streams import Condition, Effort, Pairs, Stream
from whenabouts.ops.timing.prepare import Prepared, Sorted
from whenabouts.ops.timing.probing import shift_table
from whenabouts.ops.timing.question import TimingJoin
from whenabouts.ops.timing.writer import Writer, allocate

ALGORITHMS = ("simple", "sorted", "eager", "partition", "lazy", "lookup")
_ENOUGH = 1 << 20
"""How many pairs make a batch."""
_NO_TABLE = Table(np.empty((0, 0, 2)))


def correlated(prepared: Prepared, threads: int = 1) -> Iterator[pa.RecordBatch]:
    """Run the join's strategy; events arrive in the order of their latest times."""
    left, right = prepared.left, prepared.right
    if not len(left.rows) or not len(right.rows):
        return
    order, now = arrivals_by(left.events.latest, right.events.latest)
    writer = Writer(prepared)
    efforts: list[Effort] = []
    emitted = 0
    for pairs, effort in _rounds(prepared, order, now, (writer.left_key, writer.right_key), threads):
        efforts.append(effort)
        if len(pairs.left):
            yield writer.batch(*pairs)
            emitted += len(pairs.left)
    prepared.counts |= _counts(efforts, len(order)) | {"emitted": emitted}


def arrivals_by(left: Floats, right: Floats) -> tuple[Ints, Floats]:
    """Arrivals in the order of the given times; of two at once the left one comes first."""
    codes = np.concatenate([np.arange(len(left)), ~np.arange(len(right))])
    times = np.concatenate([left, right])
    order = np.argsort(times, kind="stable")
    return codes[order], times[order]


def correlate(prepared: Prepared, order: Ints, now: Floats, threads: int = 1) -> tuple[Pairs, dict[str, int]]:
    """Run an algorithm over given arrivals; pairs are positions in the sorted sides."""
    positions = np.arange(len(prepared.left.rows)), np.arange(len(prepared.right.rows))
    rounds, efforts = zip(*_rounds(prepared, order, now, positions, threads), strict=True)
    pairs = Pairs(*map(np.concatenate, zip(*rounds, strict=True)))
    return pairs, _counts(efforts, len(order)) | {"emitted": len(pairs.left)}


def _rounds(
    prepared: Prepared, order: Ints, now: Floats, keys: tuple[Ints, Ints], threads: int
) -> Iterator[tuple[Pairs, Effort]]:
    """The pairs in rounds, by the keys of their rows, and what a round took."""
    join = prepared.join
    if prepared.left.uniform and prepared.right.uniform:
        shaped = [replace(side, events=with_shapes(side.events)) for side in (prepared.left, prepared.right)]
        prepared = replace(prepared, left=shaped[0], right=shaped[1])
    table = _NO_TABLE
    if join.strategy == "partition":
        shapes = prepared.left.events.shapes, prepared.right.events.shapes
        table = shift_table(*shapes, join.low, join.high, join.min_confidence, threads)
    alone = len(prepared.groups.right_start) == 1
    one, other = (prepared.left, keys[0]), (prepared.right, keys[1])
    streams = (
        _stream(join, *one, prepared.right, table, join.low, join.high, join.delays[0], alone),
        _stream(join, *other, prepared.left, mirror(table), -join.high, -join.low, join.delays[1], alone),
    )
    ask = Condition(join.low, join.high, join.min_confidence, join.measure)
    if join.strategy in ("simple", "sorted"):
        yield _keyed(keys, *arrive_and_scan(streams, order, now, ask, join.strategy == "sorted"))
    elif join.strategy in ("lazy", "lookup"):
        how = join.strategy == "lookup", join.block_size, join.every
        held, at = nobody(len(order)), 0
        while at < len(order) + 2:
            out = allocate(_ENOUGH + len(order), join.measure)
            at, out, n, effort = arrive_and_wait(streams, order, now, ask, *how, held, at, _ENOUGH, out)
            yield Pairs(out.left[:n], out.right[:n], out.confidence[:n]), effort
    else:
        buffer, at = empty_buffer(len(order)), 0
        while at < len(order):
            out = allocate(_ENOUGH + len(order), join.measure)
            at, n, effort = arrive_and_cut(streams, order, now, ask, buffer, at, _ENOUGH, out)
            yield Pairs(out.left[:n], out.right[:n], out.confidence[:n]), effort


def _keyed(keys: tuple[Ints, Ints], out: Pairs, n: int, effort: Effort) -> tuple[Pairs, Effort]:
    """Pairs of positions as pairs of keys."""
    return Pairs(keys[0][out.left[:n]], keys[1][out.right[:n]], out.confidence[:n]), effort


def _counts(efforts: Sequence[Effort], arrivals: int) -> dict[str, int]:
    """What all rounds took together."""
    total = Effort(*(sum(column) for column in zip(*efforts, strict=True))) if efforts else Effort(*[0] * 7)
    return {
        "candidates": total.candidates,
        "surely_yes": total.sure,
        "probed": total.probed,
        "computed": total.computed,
        "lookup_hits": total.hits,
        "buffer_total": total.buffered,
        "buffer_max": max((effort.longest for effort in efforts), default=0),
        "arrivals": arrivals,
    }


def mirror(table: Table) -> Table:
    """The same table seen from the other side: X - Y in [-high, -low], shifts with the other sign."""
    return Table(np.ascontiguousarray(-table.shifts.transpose(1, 0, 2)[:, :, ::-1]))


def _stream(
    join: TimingJoin, base: Sorted, key: Ints, target: Sorted, table: Table, low: float, high: float, delay: float,
    alone: bool,
) -> Stream:  # fmt: skip
    """One side as a base stream: its bounds over the other, and how far back they can reach."""
    bounds = _bounds(join, base, target, table, low, high)
    reach = float(np.min(bounds.no_before - base.events.latest))
    return Stream(base.events, base.group, key, bounds, table, reach, delay, alone)


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
