"""The timing join on Spark: rows are cut into slices where they are read, and joined where a slice's rows meet.

Two tasks in Python with one shuffle between them. The first reads the times of the rows, which go on as packets of
Arrow columns; the second has all rows of a slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, LongType, StructField, StructType

from whenabouts.kernels.slicing import COUNTED, OWNED
from whenabouts.model.stats import Stats, merge_counts
from whenabouts.ops.timing.join import execute
from whenabouts.ops.timing.prepare import prepare, settle
from whenabouts.ops.timing.question import Side, TimingJoin
from whenabouts.schema import Refusals
from whenabouts.schema.arrow import in_one
from whenabouts.spark import statistics
from whenabouts.spark.cutting import DOOR, MARKS, CutTask
from whenabouts.spark.door import suspect_problems
from whenabouts.spark.grid import Grid
from whenabouts.spark.packets import SCHEMA, TASK, unpacked
from whenabouts.spark.slices import Sliced, plan, sides
from whenabouts.spark.wire import sent_to
from whenabouts.spark.workers import begin_task


def spark_join(join: TimingJoin, left: DataFrame, right: DataFrame, stats: Stats | None = None) -> DataFrame:
    """The pairs as a DataFrame: lazy but for the counts by which the slices are planned."""
    both = sides(join, left, right)
    return sliced_join(join, both, plan(join, both)[0], stats)


def sliced_join(join: TimingJoin, both: tuple[Sliced, Sliced], grid: Grid, stats: Stats | None = None) -> DataFrame:
    """The join over a given grid. Rows that do not pass go to the door, a packet of their own."""
    cut = [
        side.rows(grid).mapInArrow(CutTask(join, number, grid, side.schema.names), SCHEMA)
        for number, side in enumerate(both)
    ]
    packets = sent_to(cut[0].unionAll(cut[1]), grid.tasks, F.col(TASK))
    schema = _output(join, both, nullable=stats is not None)
    task = SliceTask(join, tuple(side.schema for side in both), counting=stats is not None)
    if stats is None:
        return packets.mapInArrow(task, schema)
    stats.strategy, stats.slices = join.strategy, grid.tasks
    counted = StructType([*schema.fields, StructField(statistics.COLUMN, ArrayType(LongType()))])
    return statistics.observe(packets.mapInArrow(task, counted), stats)


def _output(join: TimingJoin, both: tuple[Sliced, Sliced], nullable: bool) -> StructType:
    """The columns of the result. Ids and confidences are never null, and Spark reads them faster for knowing it.

    Only the rows of counts, which never leave, are null there.
    """
    kinds = [{one.name: one.dataType for one in side.data.schema.fields} for side in both]
    fields = [
        StructField("left_id", kinds[0][join.left.contract.id], nullable),
        StructField("right_id", kinds[1][join.right.contract.id], nullable),
    ]
    if join.measure:
        fields.append(StructField("confidence", DoubleType(), nullable))
    for side, own in zip((join.left, join.right), kinds, strict=True):
        fields += [StructField(f"{side.name}_{name}", own[name]) for name in side.carry]
    return StructType(fields)


@dataclass(frozen=True)
class SliceTask:
    """What a task does where rows meet: join those of its slice, and hand out the pairs."""

    join: TimingJoin
    schemas: tuple[pa.Schema, pa.Schema]
    counting: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Join the partition's slices; rows at the door are counted as they come, not gathered."""
        begin_task()
        refusals = [Refusals(side.contract, f"the {side.name} events") for side in self._sides]
        slices: dict[int, tuple[list[pa.Table], list[pa.Table]]] = {}
        for packet in chain.from_iterable(map(unpacked, batches)):
            if packet.kind < DOOR:
                slices.setdefault(packet.task, ([], []))[packet.kind].append(packet.rows)
            else:
                self._refuse(packet.rows, packet.kind - DOOR, refusals)
        counts = {"rejected": sum(refusal.count for refusal in refusals)}
        for refusal, side in zip(refusals, self._sides, strict=True):
            settle(refusal, side, self.join.clock)
        schema = self.join.output_schema(*self.schemas)
        for tables in slices.values():
            for batch in self._join(tables, counts):
                schema = batch.schema  # as rows came, which differs in the session's time zone and in kinds of text
                yield statistics.with_no_counts(batch) if self.counting else batch
        if self.counting:
            yield statistics.count_row(counts, schema)

    @property
    def _sides(self) -> tuple[Side, Side]:
        return self.join.left, self.join.right

    def _refuse(self, rows: pa.Table, number: int, refusals: list[Refusals]) -> None:
        """Take note of rows that broke the contract."""
        table = rows.rename_columns(self.schemas[number].names)
        problems = suspect_problems(table, self._sides[number].contract, self.join.clock)
        refusals[number].add(table, problems)

    def _join(self, packets: Sequence[list[pa.Table]], counts: dict[str, int]) -> Iterator[pa.RecordBatch]:
        """The pairs of one slice."""
        (left, one), (right, other) = map(self._gathered, (0, 1), packets)
        prepared = prepare(self.plain_join, left, right, (one & OWNED > 0, other & OWNED > 0))
        yield from execute(prepared, reuse=True)
        rows = [int(np.count_nonzero(marks & COUNTED)) for marks in (one, other)]
        merge_counts(counts, prepared.counts | {"left_rows": rows[0], "right_rows": rows[1]})

    def _gathered(self, number: int, packets: list[pa.Table]) -> tuple[pa.Table, NDArray[np.uint8]]:
        """All rows of a side, under their own names, and their marks."""
        schema = self.schemas[number]
        if not packets:
            return schema.empty_table(), np.empty(0, dtype=np.uint8)
        rows = pa.concat_tables(packets).combine_chunks()
        marks = in_one(rows.column(MARKS)).to_numpy()
        return rows.drop_columns(MARKS).rename_columns(schema.names), marks

    @property
    def plain_join(self) -> TimingJoin:
        """The join without what only the whole data can tell: whether an id is unique."""
        left, right = (
            replace(side, contract=replace(side.contract, unique_ids=False))
            for side in (self.join.left, self.join.right)
        )
        return replace(self.join, left=left, right=right)
