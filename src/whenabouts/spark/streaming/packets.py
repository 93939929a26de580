"""Packets: the rows of a task for one group, as one blob of Arrow columns.

A shuffle, a sort and a pandas frame cost by the row. So a task reads its rows once, column by column, and sends every
group one row that holds all of its rows. Every group hears from every task, if only the clock: the largest moment that
the task saw. So all groups have the same clocks after every micro-batch, and whether a row is late does not depend on
how rows were spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from whenabouts.spark.packets import chunks
from whenabouts.spark.workers import begin_task
from whenabouts.state.inlet import Arrivals, Inlet
from whenabouts.state.machine import MOMENT, OWNED, SLICE
from whenabouts.state.snapshot import as_bytes

SCHEMA = "group int, input int, kind string, clock double, rows long, blob binary"
ROWS = "rows"
SENT_REASON = "__reason"


def packed_schema(rows: pa.Schema) -> pa.Schema:
    """The columns of rows in a packet."""
    more = [pa.field(MOMENT, pa.float64()), pa.field(OWNED, pa.bool_()), pa.field(SLICE, pa.int64())]
    return pa.schema([*(pa.field(one.name, one.type) for one in rows), *more])


@dataclass(frozen=True)
class Packer:
    """What a task does with the rows of one input.

    `labels` are the names by which Spark knows the groups. Rows that are set aside go along where `keep` says so, and
    are counted always.
    """

    number: int
    inlet: Inlet
    schema: pa.Schema
    labels: tuple[int, ...]
    keep: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Packets of a partition, in chunks."""
        begin_task()
        yield from map(self._pack, chunks(batches))

    def _pack(self, rows: pa.Table) -> pa.RecordBatch:
        taken = self.inlet.take(rows)
        rows = rows.select(self.schema.names).cast(self.schema)
        clock = float(np.max(taken.moment[taken.code == 0], initial=-math.inf))
        packets = [*self._to_groups(rows, taken), *self._set_aside(rows, taken.code, taken.refusals)]
        group, kind, count, blob = zip(*packets, strict=True)
        columns = [
            pa.array(group, pa.int32()), pa.array([self.number] * len(group), pa.int32()), pa.array(kind, pa.string()),
            pa.array([clock] * len(group), pa.float64()), pa.array(count, pa.int64()),
            pa.array(blob, pa.binary()),
        ]  # fmt: skip
        return pa.RecordBatch.from_arrays(columns, ["group", "input", "kind", "clock", "rows", "blob"])

    def _to_groups(self, rows: pa.Table, taken: Arrivals) -> Iterator[tuple[int, str, int, bytes]]:
        copies = taken.copies
        order = np.argsort(copies.group.astype(np.min_scalar_type(len(self.labels))), kind="stable")
        row = copies.row[order]
        sent = rows.take(pa.array(row))
        sent = sent.append_column(MOMENT, pa.array(taken.moment[row]))
        sent = sent.append_column(OWNED, pa.array(copies.owned[order]))
        sent = sent.append_column(SLICE, pa.array(copies.slice[order]))
        ends = np.searchsorted(copies.group[order], np.arange(len(self.labels)), side="right")
        start = 0
        for label, end in zip(self.labels, ends.tolist(), strict=True):
            yield label, ROWS, end - start, as_bytes(sent.slice(start, end - start)) if end > start else b""
            start = end

    def _set_aside(
        self, rows: pa.Table, code: np.ndarray, refusals: list[tuple[str, str]]
    ) -> Iterator[tuple[int, str, int, bytes]]:
        for number, (disposition, reason) in enumerate(refusals, start=1):
            at = np.flatnonzero(code == number)
            blob = b""
            if self.keep:
                refused = rows.take(pa.array(at))
                blob = as_bytes(refused.append_column(SENT_REASON, pa.array([reason] * len(at), pa.string())))
            yield self.labels[0], disposition, len(at), blob


def group_labels(groups: int, partitions: int) -> tuple[int, ...]:
    """Names for groups that Spark's hash spreads evenly over partitions.

    The first is always 0: whatever the number of groups was when a query first started, its group 0 has a state, which
    tells that number.
    """
    labels, candidate, first = [], 0, _spark_hash(0)
    for group in range(groups):
        while _spark_hash(candidate) % partitions != (first + group) % partitions:
            candidate += 1
        labels.append(candidate)
        candidate += 1
    return tuple(labels)


def _spark_hash(value: int) -> int:
    """Spark's hash of an int: Murmur3 with seed 42, as a signed number."""
    mask = 0xFFFFFFFF

    def rotated(x: int, by: int) -> int:
        return ((x << by) | (x >> (32 - by))) & mask

    k = rotated((value * 0xCC9E2D51) & mask, 15) * 0x1B873593 & mask
    h = (rotated(42 ^ k, 13) * 5 + 0xE6546B64) & mask
    h ^= 4
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & mask
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & mask
    h ^= h >> 16
    return h - (1 << 32) if h >= 1 << 31 else h
