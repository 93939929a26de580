"""A stream beside a table that does not move: every micro-batch meets the whole table, and no state is kept.

    stream --mapInArrow--> packets --+
                                     +-- join on the group --mapInArrow--> blobs --mapInArrow--> rows
    table  --mapInArrow--> packets --+

Spark reads the table again for every micro-batch, as it does for its own stream-static joins: cache it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.dataframe import DataFrame
from pyspark.sql.types import StructType

from whenabouts.spark.door import arrow_schema
from whenabouts.spark.streaming import packets, turns
from whenabouts.spark.streaming.carry import Feed, packed, partitions_of, rows_of, unpacked
from whenabouts.spark.streaming.metrics import Metric, row_metrics
from whenabouts.state.keeper import RESULT
from whenabouts.state.snapshot import as_bytes, from_bytes

Answer = Callable[[pa.Table, pa.Table, dict[str, float]], Iterator[pa.RecordBatch]]
"""The results of some rows of the stream with those of the table; what it did is added to the counts."""


@dataclass(frozen=True)
class Meetings:
    """What a task does with packets of the stream, each beside all packets of the table for its group."""

    answer: Answer
    name: str
    empty: pa.Schema
    metrics: tuple[Metric, ...]
    keep: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Blobs of results; packets that were set aside go through."""
        counts: dict[str, float] = {}
        for batch in batches:
            for at, (kind, rows) in enumerate(zip(batch["kind"].to_pylist(), batch["rows"].to_pylist(), strict=True)):
                self._count(counts, kind, rows)
                if kind == packets.ROWS and rows:
                    yield from self._meet(batch, at, counts)
                elif kind != packets.ROWS and self.keep:
                    yield _blob(kind, batch["input"][at].as_py(), batch["blob"][at].as_py())
        if counts:
            values = [[counts.get(metric.name, 0.0) for metric in self.metrics]]
            yield _row("counts", -1, None, values)

    def _meet(self, batch: pa.RecordBatch, at: int, counts: dict[str, float]) -> Iterator[pa.RecordBatch]:
        mine = from_bytes(batch["blob"][at].as_buffer())
        others = batch["others"][at].values
        tables = [from_bytes(one.as_buffer()) for one in others] if others is not None else []
        table = pa.concat_tables(tables).combine_chunks() if tables else self.empty.empty_table()
        for result in self.answer(mine, table, counts):
            counts["emitted"] = counts.get("emitted", 0.0) + len(result)
            yield _blob(RESULT, -1, as_bytes(pa.Table.from_batches([result])))

    def _count(self, counts: dict[str, float], kind: str, rows: int) -> None:
        names = [f"{self.name}_rows"]
        if kind != packets.ROWS:
            names.append(f"{self.name}_{kind.replace(' ', '_')}")
        for name in names:
            counts[name] = counts.get(name, 0.0) + rows


def carry_beside(
    feed: Feed,
    table: Feed,
    answer: Answer,
    *,
    groups: int,
    result: StructType,
    metrics: Sequence[Metric] = (),
    side_output: bool = False,
) -> DataFrame:
    """The results of a stream's rows with a table's, as a streaming DataFrame; as `carry`, without state."""
    labels = packets.group_labels(groups, partitions_of(feed.data))
    sent = packed(0, feed, labels, side_output)
    laid = packed(0, table, labels, False).where((F.col("kind") == packets.ROWS) & (F.col("rows") > 0))
    laid = laid.groupBy("group").agg(F.collect_list("blob").alias("others"))
    told = (*row_metrics(feed.name), *metrics)
    empty = packets.packed_schema(arrow_schema(rows_of(table, False)))
    meetings = Meetings(answer, feed.name, empty, told, side_output)
    blobs = sent.join(F.broadcast(laid), "group", "left").mapInArrow(meetings, turns.SCHEMA)
    return unpacked(blobs, result, {feed.name: rows_of(feed, side_output)}, told, side_output)


def _blob(kind: str, number: int, blob: bytes) -> pa.RecordBatch:
    return _row(kind, number, blob, [None])


def _row(kind: str, number: int, blob: bytes | None, counts: Sequence[object]) -> pa.RecordBatch:
    columns = [
        pa.array([kind]), pa.array([number], pa.int32()), pa.array([blob], pa.binary()),
        pa.array(counts, pa.list_(pa.float64())),
    ]  # fmt: skip
    return pa.RecordBatch.from_arrays(columns, ["kind", "input", "blob", "counts"])
