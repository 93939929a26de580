"""Pattern matching on Spark: conditions pushed down, one shuffle into slices of keys and time, one mapInArrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DoubleType,
    LongType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from whenabouts.model.stats import Stats, merge_counts
from whenabouts.ops.match.execute import execute
from whenabouts.ops.match.prepare import prepare
from whenabouts.ops.match.question import FITS, PatternMatch
from whenabouts.schema import Refusals
from whenabouts.spark import statistics
from whenabouts.spark.columns import unlike
from whenabouts.spark.door import arrow_schema, suspect_problems
from whenabouts.spark.match_slices import Look, fits_of, fitting, look_at, placed
from whenabouts.spark.wire import Wire, as_they_are, sent_to, share_places
from whenabouts.spark.workers import begin_task

CODE = "__code"
"""The column that packs a row's slice, and whether it begins there."""


def spark_match(question: PatternMatch, data: DataFrame, stats: Stats | None = None) -> DataFrame:
    """The matches as a DataFrame: lazy but for the look by which the slices are planned."""
    return sliced_match(question, data, look_at(question, data), stats)


def sliced_match(question: PatternMatch, data: DataFrame, look: Look, stats: Stats | None = None) -> DataFrame:
    """The matches over given slices. Rows that do not pass go to the door, a slice of their own."""
    schema, grid = arrow_schema(data), look.grid
    rows = placed(question, fitting(question, data), grid, look.widest, schema)
    begin, end, own = (F.col(unlike(schema.names) + name) for name in ("_first", "_last", "_own"))
    touched = F.when(begin == end, F.array(begin)).otherwise(F.sequence(begin, end))
    wire, (columns,) = share_places([as_they_are(data, question.columns)])
    fits, slice_ = F.col(fits_of(schema)).alias(FITS), F.col("__slice")
    copies = rows.select(*columns, fits, own.alias("__own"), F.explode(touched).alias("__slice"))
    code = slice_.cast("long") * 2 + F.when(slice_ == F.col("__own"), 1).otherwise(0)
    task = F.when(slice_ == grid.slices, 0).otherwise(slice_)
    sent = copies.select(*wire.names, FITS, code.alias(CODE), task.alias("__task"))
    sent = sent_to(sent, grid.slices, F.col("__task")).drop("__task")
    output = match_schema(question, data)
    work = SliceTask(question, wire, schema, grid.slices, counting=stats is not None)
    if stats is None:
        return _surest(question, sent.mapInArrow(work, output))
    stats.strategy, stats.slices = question.method, grid.slices
    counted = StructType([*output.fields, StructField(statistics.COLUMN, ArrayType(LongType()))])
    return _surest(question, statistics.observe(sent.mapInArrow(work, counted), stats))


def _surest(question: PatternMatch, matches: DataFrame) -> DataFrame:
    """The surest of the surest of all slices."""
    if question.top is None:
        return matches
    return matches.orderBy(F.desc("confidence"), "earliest", "latest", "signature").limit(question.top)


def match_schema(question: PatternMatch, data: DataFrame) -> StructType:
    """The columns of the result, as Spark knows them."""
    moment: DataType = {"number": DoubleType(), "instant": TimestampType(), "local": TimestampNTZType()}[
        question.clock.kind
    ]
    fields = [
        StructField("signature", ArrayType(data.schema[question.contract.id].dataType)),
        StructField("earliest", moment),
        StructField("latest", moment),
        StructField("confidence", DoubleType()),
    ]
    for one in question.pattern.returned:
        kind = data.schema if one.attribute is None else data.schema[one.attribute].dataType
        fields.append(StructField(one.column, kind))
    return StructType(fields)


@dataclass(frozen=True)
class SliceTask:
    """What a Spark task does: gather the rows of its slices, match each, hand out the matches."""

    question: PatternMatch
    wire: Wire
    schema: pa.Schema
    door: int
    counting: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Match the partition's slices; rows at the door are counted as they come, not gathered."""
        begin_task()
        contract = self.question.contract
        refusals = Refusals(contract, "the events")
        gathered: list[pa.RecordBatch] = []
        came = False
        for batch in batches:
            came = True
            at_door = batch.column(CODE).to_numpy() // 2 == self.door
            if at_door.any():
                refused = self.wire.table(pa.Table.from_batches([batch]).filter(pa.array(at_door)), 0)
                refusals.add(refused, suspect_problems(refused, contract, self.question.clock))
                batch = batch.filter(pa.array(~at_door))
            gathered.append(batch)
        if not self.question.quarantine:
            refusals.raise_if_any()
        counts = {"rejected": refusals.count}
        schema = self.question.output_schema(self.schema)
        for batch in self._match(pa.Table.from_batches(gathered), counts) if gathered else ():
            schema = batch.schema  # as rows came, which differs in the session's time zone and in kinds of text
            yield statistics.with_no_counts(batch) if self.counting else batch
        if self.counting and came:
            yield statistics.count_row(counts, schema)

    def _match(self, gathered: pa.Table, counts: dict[str, int]) -> Iterator[pa.RecordBatch]:
        code = gathered.column(CODE).to_numpy()
        for number in np.unique(code // 2):
            here = code // 2 == number
            table = gathered if here.all() else gathered.filter(pa.array(here))
            fits = self.question.unpack_fits(table)
            own = code[here] % 2 == 1
            prepared = prepare(self.plain_question, self.wire.table(table, 0), fits=fits, owned=own)
            yield from execute(prepared)
            merge_counts(counts, prepared.counts)

    @property
    def plain_question(self) -> PatternMatch:
        """The question without what only the whole data can tell: whether an id is unique."""
        return replace(self.question, contract=replace(self.question.contract, unique_ids=False))
