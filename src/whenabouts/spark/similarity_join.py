"""The similarity join on Spark: rows copied into slices of places and strips of space, one shuffle, one mapInArrow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import ArrayType, DataType, LongType, StructField, StructType

from whenabouts.model.stats import Stats, merge_counts
from whenabouts.ops.similarity.join import execute
from whenabouts.ops.similarity.prepare import prepare
from whenabouts.ops.similarity.question import SimilarityJoin
from whenabouts.spark import statistics
from whenabouts.spark.columns import unlike
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.lookups import constants
from whenabouts.spark.similarity_door import gathered, nested
from whenabouts.spark.similarity_samples import fitting, flattened, unflattened
from whenabouts.spark.similarity_slices import Slices, ends_in_space, place_of, plan_slices, steps_before
from whenabouts.spark.wire import Carried, Wire, as_they_are, sent_to, share_places
from whenabouts.spark.workers import begin_task

_TASK, _STREAM, _OWNED = "__task", "__stream", "__owned"
_MOST_RUNS = 200
"""Rows in more pieces than that are copied together, which is faster than to go on with the pieces."""
_FITS = "__fits"
_PLACES = ("__first", "__last", "__from", "__to")
"""The first and last slice of a row, and its first and last strip where some slice is cut into strips."""


def spark_similarity_join(
    join: SimilarityJoin, frames: Sequence[DataFrame], stats: Stats | None = None, slices: Slices | None = None
) -> DataFrame:
    """The pairs as a DataFrame: lazy but for one look at the places by which the slices are planned."""
    join, rows = _gathered(join, frames)
    slices = slices or plan_slices(join, rows, frames)
    schemas = tuple(arrow_schema(data) for data in rows)
    join = _settled(join, slices)
    placed = [_placed(join, number, data, slices) for number, data in enumerate(rows)]
    wire, selections = share_places([one.carried for one in placed])
    tagged = [_copies(number, one, selections[number], wire.names, slices) for number, one in enumerate(placed)]
    sent = sent_to(reduce(DataFrame.unionAll, tagged), slices.tasks, F.col(_TASK))
    schema = spark_schema(join.output_schema(schemas), join, frames)
    task = SliceTask(join, wire, stats is not None)
    if stats is None:
        return sent.mapInArrow(task, schema)
    stats.strategy, stats.slices = join.method, slices.tasks
    counted = StructType([*schema.fields, StructField(statistics.COLUMN, ArrayType(LongType()))])
    return statistics.observe(sent.mapInArrow(task, counted), stats)


def plan_windows(join: SimilarityJoin, frames: Sequence[DataFrame]) -> Slices:
    """The slices that the join would have."""
    return plan_slices(*_gathered(join, frames), frames)


def _gathered(join: SimilarityJoin, frames: Sequence[DataFrame]) -> tuple[SimilarityJoin, list[DataFrame]]:
    """The streams with a row an object, and the join of those."""
    streams = tuple(
        replace(stream, contract=nested(stream.contract, data))
        for stream, data in zip(join.streams, frames, strict=True)
    )
    rows = [gathered(data, stream.contract) for data, stream in zip(frames, streams, strict=True)]
    return replace(join, streams=streams), rows


def _settled(join: SimilarityJoin, slices: Slices) -> SimilarityJoin:
    """The join of a slice: what only the whole data can tell is settled before."""
    streams = []
    for stream in join.streams:
        contract = replace(stream.contract, unique_ids=False)
        if contract.dimension is None and slices.dimension is not None and not contract.grouped:
            contract = replace(contract, dimension=slices.dimension)
        streams.append(replace(stream, contract=contract))
    return replace(join, streams=tuple(streams), last=slices.last)


class _Placed(NamedTuple):
    """A stream's rows, with columns that say where each is to go; what is carried of them; and these columns."""

    data: DataFrame
    carried: dict[str, Carried]
    found: dict[str, Column]


def _placed(join: SimilarityJoin, number: int, data: DataFrame, slices: Slices) -> _Placed:
    """The places of rows, and whether their samples can be made flat, as columns whose names are no other column's."""
    contract, own = join.streams[number].contract, unlike(data.columns)
    working, carried = _places(join, number, data, slices), as_they_are(data, data.columns)
    fits = fitting(data, contract)
    if fits is not None:
        working[_FITS] = fits
        carried |= flattened(data, contract, F.col(own + _FITS))
    rows = data.withColumns({own + name: column for name, column in working.items()})
    return _Placed(rows, carried, {name: F.col(own + name) for name in working})


def _places(join: SimilarityJoin, number: int, data: DataFrame, slices: Slices) -> dict[str, Column]:
    """The slices and strips that a row touches.

    A row without a place goes to the first task, which finds out what is wrong with it.
    """
    place = place_of(join, number, data)
    known = F.coalesce(F.abs(place) < F.lit(math.inf), F.lit(False))
    end = F.lit(len(slices.places))
    if not math.isinf(join.window):
        end = steps_before(slices.places, place + F.lit(join.window))
    places = [F.when(known, steps_before(slices.places, place)).otherwise(0), F.when(known, end).otherwise(0)]
    if any(slices.hot):
        ends = ends_in_space(join.streams[number].contract, data, join.distance)
        first, last = (F.coalesce(F.when(F.isnan(x), None).otherwise(x), F.lit(-math.inf)) for x in ends)
        places += [steps_before(slices.strips, first), steps_before(slices.strips, F.greatest(first, last))]
    return dict(zip(_PLACES, places, strict=False))


def _copies(number: int, placed: _Placed, carried: list[Column], names: list[str], slices: Slices) -> DataFrame:
    """What is carried of a row, for each task that it touches, with its stream and how the task owns it."""
    first, last = placed.found["__first"], placed.found["__last"]
    touched = F.when(first == last, F.array(first)).otherwise(F.sequence(first, last))
    space = _PLACES[2:] if any(slices.hot) else ()
    places = [placed.found[name].alias(name) for name in ("__first", *space)]
    rows = placed.data.select(*carried, *places, F.explode(touched).alias("__slice"))
    begins = F.get(constants(np.array(slices.begins)), F.col("__slice"))
    in_place = F.when(F.col("__slice") == F.col("__first"), 1).otherwise(0)
    stream = F.lit(number).cast("int").alias(_STREAM)
    if not space:
        owned = (in_place + 2).cast("int").alias(_OWNED)
        return rows.select(*names, stream, owned, begins.cast("int").alias(_TASK))
    split = F.get(constants(np.array(slices.hot, dtype=np.int64)), F.col("__slice")) == 1
    strips = F.when(split, F.sequence("__from", "__to")).otherwise(F.array("__from"))
    rows = rows.select(*names, "__slice", "__first", "__from", split.alias("__split"), F.explode(strips).alias("__at"))
    in_space = F.when(F.col("__at") == F.col("__from"), 2).otherwise(0)
    task = begins + F.when(F.col("__split"), F.col("__at")).otherwise(0)
    return rows.select(*names, stream, (in_place + in_space).cast("int").alias(_OWNED), task.cast("int").alias(_TASK))


def spark_schema(schema: pa.Schema, join: SimilarityJoin, frames: Sequence[DataFrame]) -> StructType:
    """The result's columns in Spark's types; ids keep the type that they have."""
    first, last = frames[0], frames[-1]
    own = {
        "left_id": first.schema[join.streams[0].contract.id].dataType,
        "right_id": last.schema[join.streams[-1].contract.id].dataType,
    }
    if len(frames) > 2:
        own = {}
    return StructType([StructField(one.name, own.get(one.name) or _spark_type(one.type)) for one in schema])


def _spark_type(kind: pa.DataType) -> DataType:
    if pa.types.is_large_string(kind):
        kind = pa.string()
    if pa.types.is_timestamp(kind):
        return from_arrow_type(pa.timestamp("us", kind.tz), prefer_timestamp_ntz=True)
    return from_arrow_type(kind)


@dataclass(frozen=True)
class SliceTask:
    """What a Spark task does: gather the rows of its slice, join them, hand out the pairs."""

    join: SimilarityJoin
    wire: Wire
    counting: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Join the partition's tasks, one after the other."""
        begin_task()
        counts: dict[str, int] = {}
        schema: pa.Schema | None = None
        gathered_batches: list[pa.RecordBatch] = []
        for batch in batches:
            schema = batch.schema
            gathered_batches.append(batch)
        if gathered_batches:
            rows = pa.Table.from_batches(gathered_batches)
            tasks = rows.column(_TASK).to_numpy()
            for task in np.unique(tasks):
                part = rows if (tasks == task).all() else rows.filter(pa.array(tasks == task))
                yield from self._join(part, counts)
        if self.counting and schema is not None:
            empty = tuple(self._stream(schema.empty_table(), number).schema for number in range(len(self.wire.places)))
            yield statistics.count_row(counts, self.join.output_schema(empty))

    def _join(self, rows: pa.Table, counts: dict[str, int]) -> Iterator[pa.RecordBatch]:
        stream = rows.column(_STREAM).to_numpy()
        owned = rows.column(_OWNED).to_numpy().astype(np.int64)
        tables, bits = [], []
        for number in range(len(self.wire.places)):
            tables.append(self._stream(where(rows, stream == number), number))
            bits.append(owned[stream == number])
        prepared = prepare(self.join, tables, bits)
        for batch in execute(prepared):
            yield statistics.with_no_counts(batch) if self.counting else batch
        merge_counts(counts, prepared.counts)

    def _stream(self, rows: pa.Table, number: int) -> pa.Table:
        """A stream's rows under their own names again."""
        return unflattened(self.wire.table(rows, number), self.join.streams[number].contract)


def where(rows: pa.Table, wanted: NDArray[np.bool_]) -> pa.Table:
    """Some of the rows; those of a stream mostly come one after the other, and then nothing is copied."""
    edges = np.flatnonzero(np.diff(wanted, prepend=False, append=False))
    if len(edges) > _MOST_RUNS:
        return rows.filter(pa.array(wanted))
    return pa.concat_tables(
        [rows.slice(begin, end - begin) for begin, end in edges.reshape(-1, 2)] or [rows.slice(0, 0)]
    )
