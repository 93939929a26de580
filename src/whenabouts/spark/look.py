"""A look at the data before it is cut: about how many rows there are, and when they begin.

It is one stage that shuffles nothing: every partition sends a few hundred of its rows, evenly spread over keys and
time, and each stands for as many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from whenabouts.kernels.events import Ints
from whenabouts.schema.arrow import in_one
from whenabouts.spark.grid import Sample, together
from whenabouts.spark.workers import begin_task

_POINTS = 256
"""Of the rows that are looked at, a partition sends at most so many."""
_SEEN = StructType([
    StructField("side", IntegerType()),
    StructField("rows", LongType()),
    StructField("bucket", BinaryType()),
    StructField("begins", BinaryType()),
])  # fmt: skip
"""Rows of one partition and side: how many there are, and of some of them the buckets and moments."""


@dataclass(frozen=True)
class Asked:
    """What is to be seen of a frame: the bucket of each row's keys, one of so many, and the moment it begins at."""

    data: DataFrame
    bucket: Column
    buckets: int
    begins: Column


def look_at(asked: Sequence[Asked], share: float) -> list[Sample]:
    """Samples from one pass over some frames, by a look at this share of their rows."""
    some = [
        one.data.where(F.rand(20_000 + side) < share).select(
            F.lit(side).alias("side"), one.bucket.alias("bucket"), one.begins.alias("begins")
        )
        for side, one in enumerate(asked)
    ]
    seen = reduce(DataFrame.unionAll, some).mapInArrow(LookTask(len(some)), _SEEN).collect()
    samples = []
    for number, one in enumerate(asked):
        parts = []
        for row in seen:
            if row["side"] == number:
                buckets, begins = np.frombuffer(row["bucket"], np.int64), np.frombuffer(row["begins"])
                parts.append(Sample.of(one.buckets, buckets, begins, row["rows"] / share))
        samples.append(together(one.buckets, parts))
    return samples


@dataclass(frozen=True)
class LookTask:
    """What a task does with the rows that are looked at: thin them out."""

    sides: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For each side that has rows in this partition, how many and a few of them."""
        begin_task()
        gathered = list(batches)
        if not gathered:
            return
        rows = pa.Table.from_batches(gathered)
        side, bucket, begins = (in_one(column).to_numpy(zero_copy_only=False) for column in rows.columns)
        for number in range(self.sides):
            here = np.flatnonzero((side == number) & np.isfinite(begins))  # null is NaN by now
            if len(here):
                few = thinned(here[np.lexsort((begins[here], bucket[here]))])
                seen = pa.array([bucket[few].astype(np.int64).tobytes()]), pa.array([begins[few].tobytes()])
                counts = pa.array([number], pa.int32()), pa.array([len(here)])
                yield pa.RecordBatch.from_arrays([*counts, *seen], names=_SEEN.names)


def thinned(rows: Ints) -> Ints:
    """Some of the rows, evenly spread: each is in the middle of those that it stands for."""
    few = min(len(rows), _POINTS)
    return rows[((np.arange(few) + 0.5) * (len(rows) / few)).astype(np.int64)]
