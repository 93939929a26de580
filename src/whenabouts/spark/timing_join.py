"""The timing join on Spark: one tagged union, one shuffle into slices, one mapInArrow over each slice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, LongType, StructField, StructType

from whenabouts.model.stats import Stats, merge_counts
from whenabouts.ops.timing.join import execute
from whenabouts.ops.timing.prepare import prepare, settle
from whenabouts.ops.timing.question import TimingJoin
from whenabouts.schema import Refusals
from whenabouts.spark import statistics
from whenabouts.spark.columns import unlike
from whenabouts.spark.door import suspect_problems
from whenabouts.spark.grid import Grid, table
from whenabouts.spark.slices import Sliced, look_at, sides
from whenabouts.spark.wire import CODE, Code, Wire, lay_wire, pack, packed_task, sent_to
from whenabouts.spark.workers import begin_task


def spark_join(join: TimingJoin, left: DataFrame, right: DataFrame, stats: Stats | None = None) -> DataFrame:
    """The pairs as a DataFrame: lazy but for the counts by which the slices are planned."""
    both = sides(join, left, right)
    return sliced_join(join, both, look_at(join, both)[0], stats)


def sliced_join(join: TimingJoin, both: tuple[Sliced, Sliced], grid: Grid, stats: Stats | None = None) -> DataFrame:
    """The join over a given grid. Rows that do not pass go to the door, a slice of their own."""
    frames = both[0].data, both[1].data
    wire, selections = lay_wire(join, *frames)
    tagged = [_copies(side, selections[number], wire.names, grid, number) for number, side in enumerate(both)]
    rows = sent_to(tagged[0].unionAll(tagged[1]), grid.tasks, packed_task())
    schema = _output(join, *frames, nullable=stats is not None)
    if stats is None:
        return rows.mapInArrow(SliceTask(join, wire, counting=False), schema)
    stats.strategy, stats.slices = join.strategy, grid.tasks
    counted = StructType([*schema.fields, StructField(statistics.COLUMN, ArrayType(LongType()))])
    return statistics.observe(rows.mapInArrow(SliceTask(join, wire, counting=True), counted), stats)


def _copies(side: Sliced, columns: list[Column], names: list[str], grid: Grid, number: int) -> DataFrame:
    """Every row once for each slice that it touches, with its code."""
    door = F.lit(grid.slices)
    own = unlike(side.data.columns)
    ends = {f"{own}_first": side.first, f"{own}_last": side.last}
    rows = grid.with_slices(side.data, side.bucket(grid.buckets), ends)
    places = [F.when(side.passes, F.col(end)).otherwise(door).alias(end.removeprefix(own)) for end in ends]
    rows = rows.select(*columns, *places)
    begin, slice_ = F.col("_first"), F.col("__slice")
    touched = F.when(begin == F.col("_last"), F.array(begin)).otherwise(F.sequence(begin, "_last"))
    copies = rows.select(*names, "_first", F.explode(touched).alias("__slice"))
    if grid.tasks == grid.slices:
        task = F.when(slice_ == door, 0).otherwise(slice_)
        return copies.select(*names, pack(task, slice_ == door, slice_ == begin, None, number).alias(CODE))
    return _dealt(copies, names, grid, number)


def _dealt(copies: DataFrame, names: list[str], grid: Grid, number: int) -> DataFrame:
    """The same where a slice has several tasks: a left row goes to one of them and a right row to all."""
    slice_ = F.col("__slice")
    at_door, owned = slice_ == grid.slices, slice_ == F.col("_first")
    count = table([*grid.salts, 1])(slice_)
    begin = table([*(np.cumsum(grid.salts) - grid.salts), 0])(slice_)
    if number == 0:
        task = begin + F.pmod(F.xxhash64("c0"), count).cast("int")
        return copies.select(*names, pack(task, at_door, owned, None, number).alias(CODE))
    tasks = F.explode(F.sequence(begin, begin + count - 1)).alias("__task")
    dealt = copies.select(*names, "_first", "__slice", begin.alias("__begin"), tasks)
    counted = F.col("__task") == F.col("__begin")
    return dealt.select(*names, pack(F.col("__task"), at_door, owned, counted, number).alias(CODE))


def _output(join: TimingJoin, left: DataFrame, right: DataFrame, nullable: bool) -> StructType:
    """The columns of the result. Ids and confidences are never null, and Spark reads them faster for knowing it.

    Only the rows of counts, which never leave, are null there.
    """
    fields = [
        StructField("left_id", left.schema[join.left.contract.id].dataType, nullable),
        StructField("right_id", right.schema[join.right.contract.id].dataType, nullable),
    ]
    if join.measure:
        fields.append(StructField("confidence", DoubleType(), nullable))
    for side, data in ((join.left, left), (join.right, right)):
        fields += [StructField(f"{side.name}_{name}", data.schema[name].dataType) for name in side.carry]
    return StructType(fields)


@dataclass(frozen=True)
class SliceTask:
    """What a Spark task does: gather the rows of its slice, join them, hand out the pairs."""

    join: TimingJoin
    wire: Wire
    counting: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Join the partition's slices; rows at the door are counted as they come, not gathered."""
        begin_task()
        refusals = [Refusals(side.contract, f"the {side.name} events") for side in (self.join.left, self.join.right)]
        gathered: list[pa.RecordBatch] = []
        schema: pa.Schema | None = None
        for batch in batches:
            schema = batch.schema
            gathered += self._past_the_door(batch, refusals)
        counts = {"rejected": sum(refusal.count for refusal in refusals)}
        for refusal, side in zip(refusals, (self.join.left, self.join.right), strict=True):
            settle(refusal, side, self.join.clock)
        if gathered:
            yield from self._join(pa.Table.from_batches(gathered), counts)
        if self.counting and schema is not None:
            empty = [self.wire.table(schema.empty_table(), side).schema for side in (0, 1)]
            yield statistics.count_row(counts, self.join.output_schema(*empty))

    def _past_the_door(self, batch: pa.RecordBatch, refusals: list[Refusals]) -> list[pa.RecordBatch]:
        code = Code.of(batch)
        if not code.at_door.any():
            return [batch]
        for number, (side, refusal) in enumerate(zip((self.join.left, self.join.right), refusals, strict=True)):
            rows = pa.Table.from_batches([batch]).filter(pa.array(code.at_door & (code.side == number)))
            table = self.wire.table(rows, number)
            refusal.add(table, suspect_problems(table, side.contract, self.join.clock))
        return [batch.filter(pa.array(~code.at_door))]

    def _join(self, gathered: pa.Table, counts: dict[str, int]) -> Iterator[pa.RecordBatch]:
        code = Code.of(gathered)
        for task in np.unique(code.task):
            places = [(code.side == side) & (code.task == task) for side in (0, 1)]
            left, right = (self.wire.table(gathered.filter(pa.array(here)), side) for side, here in enumerate(places))
            prepared = prepare(self.plain_join, left, right, (code.owned[places[0]], code.owned[places[1]]))
            for batch in execute(prepared, reuse=True):
                yield statistics.with_no_counts(batch) if self.counting else batch
            rows = [int(np.count_nonzero(code.counted[here])) for here in places]
            merge_counts(counts, prepared.counts | {"left_rows": rows[0], "right_rows": rows[1]})

    @property
    def plain_join(self) -> TimingJoin:
        """The join without what only the whole data can tell: whether an id is unique."""
        left, right = (
            replace(side, contract=replace(side.contract, unique_ids=False))
            for side in (self.join.left, self.join.right)
        )
        return replace(self.join, left=left, right=right)
