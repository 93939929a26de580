"""Carry a state machine: streams in, a stream of its results out.

    stream --mapInArrow--> packets --+
                                     +-- groupBy(group).applyInPandasWithState --> blobs --mapInArrow--> rows
    stream --mapInArrow--> packets --+

`applyInPandasWithState` keeps one binary value a group in the state store. Only packets and blobs pass through its
pandas frames, a few rows a turn, so that no row of the data is ever handled by itself. `transformWithStateInPandas` has
timers and lists that nothing here needs. It is slower by far where it gets every row; with packets, the two cost about
the same (`benchmarks/stream_carriers.py`), and the one is taken that needs no protobuf and gRPC on every worker.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupStateTimeout
from pyspark.sql.types import StructField, StructType

from whenabouts.model.clock import Clock
from whenabouts.spark.columns import named
from whenabouts.spark.door import arrow_schema, arrow_schema_of
from whenabouts.spark.streaming import packets, turns
from whenabouts.spark.streaming.metrics import Metric, input_metrics, observed
from whenabouts.spark.streaming.unpack import Unpacker, output_schema
from whenabouts.state.inlet import Inlet
from whenabouts.state.keeper import Keeper
from whenabouts.state.route import BUCKET

_MANY = 64
_SETTING = "spark.sql.shuffle.partitions"
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


@dataclass(frozen=True)
class Feed:
    """One streaming input: its name, its rows, how they come in, and which columns go along.

    `keys` are hashed into the column `BUCKET` that `ByKeys` reads.
    """

    name: str
    data: DataFrame
    inlet: Inlet
    columns: tuple[str, ...]
    keys: tuple[str, ...] = ()


def carry(
    feeds: Sequence[Feed],
    make_keeper: Callable[[], Keeper],
    *,
    groups: int,
    result: StructType,
    clock: Clock | None = None,
    metrics: Sequence[Metric] = (),
    side_output: bool = False,
) -> DataFrame:
    """The results of a machine as a streaming DataFrame.

    Parameters
    ----------
    feeds : sequence of Feed
        The inputs, in the machine's order.
    make_keeper : callable
        Makes a group's keeper. It is sent to the workers: a frozen dataclass with `__call__`.
    groups : int
        How many groups there are; the inlets' routes number them from 0.
    result : StructType
        The columns that the machine emits.
    clock : Clock, optional
        In whose ticks moments are counted; watermarks of timestamps are then shown as such.
    metrics : sequence of Metric
        What the machine counts besides what every operator does.
    side_output : bool
        Whether rows that are set aside come out too, with their `disposition`, `reason` and all their columns.
    """
    names = tuple(feed.name for feed in feeds)
    labels = packets.group_labels(groups, partitions_of(feeds[0].data))
    rows = {feed.name: rows_of(feed, side_output) for feed in feeds}
    sent = [packed(number, feed, labels, side_output) for number, feed in enumerate(feeds)]
    told = (*input_metrics(names, clock), *metrics)
    schemas = {name: _nullable(frame) for name, frame in rows.items()}
    columns = tuple(packets.packed_schema(schemas[name]) for name in names)
    turn = turns.Turns(make_keeper, columns, names, told, _gathered(feeds[0].data), side_output)
    blobs = (
        reduce(lambda one, other: one.unionAll(other), sent)
        .groupBy("group")
        .applyInPandasWithState(turn, turns.SCHEMA, turns.STATE, "append", GroupStateTimeout.NoTimeout)
    )
    return unpacked(blobs, result, rows, told, side_output)


def rows_of(feed: Feed, everything: bool) -> DataFrame:
    """The columns that go along."""
    columns = list(feed.data.columns) if everything else list(dict.fromkeys(feed.columns))
    return feed.data.select(*(named(name) for name in columns))


def packed(number: int, feed: Feed, labels: tuple[int, ...], keep: bool) -> DataFrame:
    """A feed's rows as packets to the groups."""
    rows = rows_of(feed, keep)
    schema = _nullable(rows)
    if feed.keys:
        hashed = F.pmod(F.xxhash64(*_hashable(rows, feed.keys)), F.lit(len(labels)))
        rows = rows.withColumn(BUCKET, hashed.cast("long"))
    return rows.mapInArrow(packets.Packer(number, feed.inlet, schema, labels, keep), packets.SCHEMA)


def unpacked(
    blobs: DataFrame, result: StructType, rows: dict[str, DataFrame], metrics: Sequence[Metric], keep: bool
) -> DataFrame:
    """Blobs as rows of the result, and of what was set aside where it is kept; counts are observed."""
    schema = output_schema(result, {name: frame.schema for name, frame in rows.items()}, keep)
    schemas = {name: _nullable(frame) for name, frame in rows.items()}
    return observed(blobs, metrics).mapInArrow(Unpacker(arrow_schema_of(result), schemas, keep), schema)


def _nullable(rows: DataFrame) -> pa.Schema:
    """The Arrow types of the columns, any of which may be null: a source may change its mind about that."""
    return pa.schema([pa.field(one.name, one.type) for one in arrow_schema(rows)])


def partitions_of(data: DataFrame) -> int:
    """How many tasks a turn has: Spark fixes it when a query first starts."""
    count = int(data.sparkSession.conf.get(_SETTING, "200") or 200)
    if count > _MANY:
        warnings.warn(
            f"{_SETTING} is {count}: every micro-batch of a stateful stream runs so many tasks. "
            f'Set it to the number of cores first: spark.conf.set("{_SETTING}", 8).',
            stacklevel=2,
        )
    return count


def _gathered(data: DataFrame) -> int:
    """So many rows of a function's output Spark gathers before they go on; none of them where it has no limit."""
    return max(int(data.sparkSession.conf.get(_BATCH, "10000") or 10000), 0)


def _hashable(rows: DataFrame, keys: Sequence[str]) -> list[Column]:
    """Keys as their hash needs them: integers of any size are one type."""
    whole = ("tinyint", "smallint", "int", "bigint")
    kinds: dict[str, StructField] = {one.name: one for one in rows.schema}
    return [named(name).cast("long") if kinds[name].dataType.simpleString() in whole else named(name) for name in keys]
