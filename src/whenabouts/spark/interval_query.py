"""Interval queries on Spark: keys are dealt into blocks, and a task has a block of left and one of right keys.

All pairs of a left and a right block are worked out where both are. So what is moved are the events, once for each
block of the other side, and never the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
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
from whenabouts.spark.whole_keys import by_whole_keys
from whenabouts.spark.wire import Wire, share_places

_TASK, _SIDE = "__task", "__side"
_EVENTS_A_TASK = 400_000
"""Events of pairs that are worth a task of their own: about a fifth of a second."""
_MOST_TASKS = 4096
_PAIR_COLUMNS = ("left_key", "right_key")


@dataclass(frozen=True)
class Blocks:
    """Into how many blocks the keys of each side are dealt."""

    left: int
    right: int

    @property
    def tasks(self) -> int:
        return self.left * self.right


def spark_query(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None, stats: Stats | None = None
) -> DataFrame:
    """The pairs as a DataFrame: lazy but for the counts by which the blocks are planned."""
    return blocked_query(question, left, right, pairs, plan_blocks(question, left, right), stats)


def plan_blocks(question: IntervalQuestion, left: DataFrame, right: DataFrame) -> Blocks:
    """Choose the blocks from how many rows and keys there are."""
    looks = [
        data.agg(
            F.lit(number).alias("side"), F.count(F.lit(1)).alias("rows"),
            F.approx_count_distinct(_named(side.contract.key)).alias("keys"),
        )
        for number, (side, data) in enumerate(zip(question.sides, (left, right), strict=True))
    ]  # fmt: skip
    found = {row["side"]: (row["rows"], row["keys"]) for row in looks[0].unionAll(looks[1]).collect()}
    (left_rows, left_keys), (right_rows, right_keys) = found[0], found[1]
    share = 0.5 if question.unordered else 1.0
    tasks = math.ceil(share * (left_rows * right_keys + right_rows * left_keys) / _EVENTS_A_TASK)
    tasks = max(1, min(tasks, _MOST_TASKS))
    rows = max(1, left_rows), max(1, right_rows)
    count = math.ceil(math.sqrt(tasks * rows[0] / rows[1]))
    blocks = max(1, min(count, tasks, max(1, left_keys)))
    return Blocks(blocks, max(1, min(math.ceil(tasks / blocks), max(1, right_keys))))


def blocked_query(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None, blocks: Blocks,
    stats: Stats | None = None,
) -> DataFrame:  # fmt: skip
    """The query over given blocks: one tagged union, one shuffle, one mapInArrow."""
    frames, columns = [left, right], [question.left.contract.columns, question.right.contract.columns]
    if pairs is not None:
        frames.append(pairs)
        columns.append(_PAIR_COLUMNS)
    wire, selections = share_places(frames, columns)
    sent = []
    for number, (data, selection) in enumerate(zip(frames, selections, strict=True)):
        if number < 2:
            side = (question.left, question.right)[number]
            own = _hashed(data, side.contract.key, (blocks.left, blocks.right)[number])
            task = _copies(own, number, blocks)
        else:
            task = (
                _hashed(data, "left_key", blocks.left) * blocks.right + _hashed(data, "right_key", blocks.right)
            ).alias(_TASK)
        sent.append(data.select(*selection, F.lit(number).alias(_SIDE), task))
    rows = sent[0].unionAll(sent[1])
    rows = rows if pairs is None else rows.unionAll(sent[2])
    if hasattr(rows, "repartitionById"):
        rows = rows.repartitionById(blocks.tasks, F.col(_TASK))
    else:
        rows = rows.repartition(blocks.tasks, _TASK)
    schema = _output(question, left, right, nullable=stats is not None)
    run = BlockTask(question, wire, blocks.right, pairs is not None, stats is not None)
    if stats is None:
        return rows.mapInArrow(run, schema)
    stats.strategy, stats.slices = question.method, blocks.tasks
    counted = StructType([*schema.fields, StructField(statistics.COLUMN, ArrayType(LongType()))])
    return statistics.observe(rows.mapInArrow(run, counted), stats)


def _named(name: str) -> Column:
    return F.col(f"`{name}`")


def _hashed(data: DataFrame, key: str, blocks: int) -> Column:
    """The block of a key; integers of any size are one type."""
    whole = data.schema[key].dataType.simpleString() in ("tinyint", "smallint", "int", "bigint")
    column = _named(key).cast("long") if whole else _named(key)
    return F.pmod(F.xxhash64(column), F.lit(blocks)).cast("int")


def _copies(own: Column, number: int, blocks: Blocks) -> Column:
    """The tasks that need a row: a left row meets every right block, and the other way round."""
    if number == 0:
        return F.explode(F.sequence(own * blocks.right, own * blocks.right + (blocks.right - 1))).alias(_TASK)
    return F.explode(F.sequence(own, own + (blocks.left - 1) * blocks.right, F.lit(blocks.right))).alias(_TASK)


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
        gathered = [batch for batch in batches if len(batch)]
        if not gathered:
            return
        rows = pa.Table.from_batches(gathered)
        task, side = (rows.column(name).to_numpy() for name in (_TASK, _SIDE))
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
