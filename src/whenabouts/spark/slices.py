"""Slicing: which rows of two sides must meet, and where each pair is owned.

A left row lies in the slices that its own stretch of time touches. A right row lies in those where its
partners can: its stretch, moved by the band. A pair that can satisfy the predicate therefore meets in some
slice, and it is owned by the later of the two slices in which its rows begin: slices never fall with
time, so that one holds both rows, and a row's first copy is marked. One wide event is copied into many
slices, and costs no other row anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.ops.timing.question import TimingJoin
from whenabouts.schema import Contract
from whenabouts.spark.columns import named, occurs, stretch, with_occurrences
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.grid import Grid, grid_of
from whenabouts.spark.look import Asked, look_at
from whenabouts.spark.memory import once

BUCKET, DEAL, OCCURS = "bucket", "deal", "occurs"
"""What Spark tells of a row: the bucket of its keys, to whom it is dealt where a slice has several tasks, and how often
its id is there."""
_BUCKETS = 64
_SHARE = 1 / 32


@dataclass
class Sliced:
    """One side, ready to be cut: its rows, which of its columns are read, and where a row begins, about."""

    data: DataFrame
    contract: Contract
    schema: pa.Schema
    first: Column
    keys: list[Column]

    def bucket(self, buckets: int) -> Column:
        """The bucket of a row's equality keys."""
        if not self.keys or buckets == 1:
            return F.lit(0)
        return F.pmod(F.xxhash64(*self.keys), F.lit(buckets)).cast("int")

    def rows(self, grid: Grid) -> DataFrame:
        """The columns that are read, and after them what only Spark can tell of a row."""
        told = []
        if grid.buckets > 1:
            told.append(self.bucket(grid.buckets).alias(BUCKET))
        if grid.tasks > grid.slices:
            told.append(F.xxhash64(named(self.contract.id)).alias(DEAL))
        if self.contract.unique_ids:
            told.append(occurs(self.data.columns).alias(OCCURS))
        if not told and self.data.columns == self.schema.names:
            return self.data  # a step that changes nothing still costs Spark some milliseconds
        columns = [named(name).alias(f"c{place}") for place, name in enumerate(self.schema.names)]
        return with_occurrences(self.data, self.contract, self.data.columns).select(*columns, *told)


def sides(join: TimingJoin, left: DataFrame, right: DataFrame) -> tuple[Sliced, Sliced]:
    """Both sides with the moment at which a row begins."""
    result = []
    for side, data, keys in (
        (join.left, left, [one for one, _ in join.by]),
        (join.right, right, [other for _, other in join.by]),
    ):
        schema = arrow_schema(data)
        first, _ = stretch(side.contract.time, schema, join.clock)
        wanted = {*side.columns, *keys}
        read = pa.schema([schema.field(name) for name in schema.names if name in wanted])
        result.append(Sliced(data, side.contract, read, first, [_key(name, schema) for name in keys]))
    return result[0], result[1]


def _key(name: str, schema: pa.Schema) -> Column:
    """A key column as its hash needs it: integers of any size are one type."""
    return named(name).cast("long") if pa.types.is_integer(schema.field(name).type) else named(name)


def plan(join: TimingJoin, both: tuple[Sliced, Sliced]) -> tuple[Grid, tuple[int, int]]:
    """The slices and the sizes of both sides, from a look at when rows begin; all else is worked out from that."""
    buckets = _BUCKETS if join.by else 1
    meaning = ("timing join", join.left.contract.time, join.right.contract.time, join.clock, join.by)
    asked = [Asked(side.data, side.bucket(buckets), buckets, side.first) for side in both]
    left, right = once([side.data for side in both], meaning, lambda: look_at(asked, _SHARE))
    return grid_of(left, right.earlier(join.high), join.high - join.low), (left.rows, right.rows)
