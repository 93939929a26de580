"""Interval queries on Spark: keys are dealt into blocks, and a task has a block of left and one of right keys.

All pairs of a left and a right block are worked out where both are. So what is moved are the events, once for each
block of the other side, and never the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, LongType, StructField, StructType

from whenabouts.model.clock import Clock
from whenabouts.model.stats import Stats, merge_counts
from whenabouts.ops.intervals.evaluate import execute
from whenabouts.ops.intervals.prepare import prepare
from whenabouts.ops.intervals.prepare import rejected_rows as rejected_table
from whenabouts.ops.intervals.question import IntervalQuestion
from whenabouts.schema import SegmentContract
from whenabouts.spark import statistics
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.interval_blocks import PAIR_COLUMNS, Blocks, one_frame, plan_blocks
from whenabouts.spark.whole_keys import by_whole_keys
from whenabouts.spark.wire import Wire, as_they_are, sent_to, share_places
from whenabouts.spark.workers import begin_task

_CODE = "__code"
"""The column that packs a row's task and side; see `Blocks.codes`."""


def spark_query(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None, stats: Stats | None = None
) -> DataFrame:
    """The pairs as a DataFrame: lazy but for the counts by which the blocks are planned."""
    return blocked_query(question, left, right, pairs, plan_blocks(question, left, right, pairs), stats)


def blocked_query(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None, blocks: Blocks,
    stats: Stats | None = None,
) -> DataFrame:  # fmt: skip
    """The query over given blocks: one tagged union, one shuffle, one mapInArrow."""
    frames, columns = [left, right], [question.left.contract.columns, question.right.contract.columns]
    if pairs is not None:
        frames.append(pairs)
        columns.append(PAIR_COLUMNS)
    wire, selections = share_places(list(map(as_they_are, frames, columns)))
    codes = [blocks.codes(side, frames[side], question.sides[side].contract.key) for side in range(2)]
    if one_frame(question, left, right):
        sent = [left.select(*selections[0], F.explode(F.concat(*codes)).alias(_CODE))]
    else:
        sent = [frames[side].select(*selections[side], F.explode(codes[side]).alias(_CODE)) for side in range(2)]
    if pairs is not None:
        sent.append(pairs.select(*selections[2], blocks.code_of_pair(pairs).alias(_CODE)))
    rows, task = reduce(DataFrame.unionAll, sent), F.floor(F.col(_CODE) / 3).cast("int")
    rows = sent_to(rows, blocks.tasks, task)
    schema = _output(question, left, right, nullable=stats is not None)
    run = BlockTask(question, wire, blocks.counts[1], pairs is not None, stats is not None)
    if stats is None:
        return rows.mapInArrow(run, schema)
    stats.strategy, stats.slices = question.method, blocks.tasks
    counted = StructType([*schema.fields, StructField(statistics.COLUMN, ArrayType(LongType()))])
    return statistics.observe(rows.mapInArrow(run, counted), stats)


def _output(question: IntervalQuestion, left: DataFrame, right: DataFrame, nullable: bool) -> StructType:
    fields = [
        StructField("left_key", left.schema[question.left.contract.key].dataType, nullable),
        StructField("right_key", right.schema[question.right.contract.key].dataType, nullable),
    ]
    return StructType([*fields, StructField("confidence", DoubleType(), nullable)] if question.measure else fields)


@dataclass(frozen=True)
class BlockTask:
    """What a Spark task does: gather the events of its blocks, and ask the question of their pairs."""

    question: IntervalQuestion
    wire: Wire
    right_blocks: int
    given: bool
    counting: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The pairs of the partition's blocks."""
        begin_task()
        gathered = [batch for batch in batches if len(batch)]
        if not gathered:
            return
        rows = pa.Table.from_batches(gathered)
        task, side = np.divmod(rows.column(_CODE).to_numpy(), 3)
        counts: dict[str, int] = {}
        schema = None
        for number in np.unique(task):
            here = [rows.filter(pa.array((task == number) & (side == one))) for one in range(len(self.wire.places))]
            tables = [self.wire.table(part, one) for one, part in enumerate(here)]
            schema = self.question.output_schema(tables[0].schema, tables[1].schema)
            prepared = prepare(self.question, tables[0], tables[1])
            for batch in execute(prepared, schema, tables[2] if self.given else None):
                if len(batch):
                    yield statistics.with_no_counts(batch) if self.counting else batch
            merge_counts(counts, self._owned(prepared.counts, int(number)))
        if self.counting and schema is not None:
            yield statistics.count_row(counts, schema)

    def _owned(self, counts: dict[str, int], task: int) -> dict[str, int]:
        """Rows are copied to several tasks, and counted in the first of them."""
        first = {"left_rows": task % self.right_blocks == 0, "right_rows": task < self.right_blocks}
        return {name: count if first.get(name, True) else 0 for name, count in counts.items()}


def rejected_rows(data: DataFrame, contract: SegmentContract, clock: Clock) -> DataFrame:
    """The rows of keys that break the contract, as they are, with a `reason` column; lazily, like any DataFrame."""
    schema = arrow_schema(data).append(pa.field("reason", pa.string()))
    return by_whole_keys(data, lambda rows: rejected_table(rows, contract, clock), schema, contract.key)
