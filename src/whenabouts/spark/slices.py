"""Slicing: which rows of two sides must meet, and where each pair is owned.

A left row lies in the slices that its own stretch of time touches. A right row lies in those where its
partners can: its stretch, moved by the band. A pair that can satisfy the predicate therefore meets in some
slice, and it is owned by the later of the two slices in which its rows begin: `slice_of` never falls with
time, so that one holds both rows, and a row's first copy is marked. One wide event is copied into many
slices, and costs no other row anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.ops.timing_join import TimingJoin
from whenabouts.spark.columns import passes, stretch
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.grid import Grid, Level, cut, refine, root_level, splittable

TARGET = 400_000.0
"""The work of a slice, in rows; a pair counts as a twentieth of a row."""
_PAIR = 1 / 20
_FEW_SLICES = 4
_SMALL = 50_000
_CELLS = 1024
_FINER = 256
_DEPTH = 4
_SAMPLE = 2_000_000


@dataclass
class Sliced:
    """One side, ready to be sent: its rows, where each begins and ends, and whether it passes the door."""

    data: DataFrame
    first: Column
    last: Column
    bucket: Column
    passes: Column


def sides(join: TimingJoin, left: DataFrame, right: DataFrame, buckets: int) -> tuple[Sliced, Sliced]:
    """Both sides with the stretch of left time in which a row or its partners lie."""
    result = []
    for side, data, keys in (
        (join.left, left, [one for one, _ in join.by]),
        (join.right, right, [other for _, other in join.by]),
    ):
        schema = arrow_schema(data)
        first, last = stretch(side.contract.time, schema, join.clock)
        if side.name == "right":
            first, last = _partners(first, last, join.low, join.high)
        key = [F.col(name) for name in keys]
        bucket = F.pmod(F.xxhash64(*key), F.lit(buckets)).cast("int") if key and buckets > 1 else F.lit(0)
        result.append(Sliced(data, first, last, bucket, passes(side.contract, schema, join.clock)))
    return result[0], result[1]


def _partners(first: Column, last: Column, low: float, high: float) -> tuple[Column, Column]:
    """Where partners X of a right row Y can lie: low <= Y - X <= high, wider than rounding can shift it."""
    slack = (F.abs(first) + F.abs(last) + F.lit(sum(abs(x) for x in (low, high) if math.isfinite(x)))) * 1e-14
    return (
        F.lit(-math.inf) if high == math.inf else first - F.lit(high) - slack,
        F.lit(math.inf) if low == -math.inf else last - F.lit(low) + slack,
    )


def plan_grid(join: TimingJoin, left: DataFrame, right: DataFrame) -> Grid:
    """Look at counts of the data, never at rows, and choose the slices.

    The first look takes the ends of time and the sizes, the second counts a sample in cells of time, and
    each further one cuts cells that turned out to be too full.
    """
    one, other = sides(join, left, right, 1)
    ends = (
        F.count(F.lit(1)).alias("rows"), F.min("first").alias("first"), F.max("first").alias("last")
    )  # fmt: skip
    looks = [
        side.data.where(side.passes).select(_finite(side.first).alias("first")).agg(*ends) for side in (one, other)
    ]
    left_ends, right_ends = looks[0].unionAll(looks[1]).collect()
    sizes = left_ends["rows"], right_ends["rows"]
    total = sum(sizes)
    moments = [value for row in (left_ends, right_ends) for value in (row["first"], row["last"]) if value is not None]
    slices = max(math.ceil(total / TARGET), _FEW_SLICES if total > _SMALL else 1)
    if not moments or total <= _SMALL:
        return _one_slice()
    buckets = slices if join.by else 1
    cells = max(_CELLS // buckets, 16)
    levels = [root_level(buckets, min(moments), max(moments), cells)]
    counts = [_count(join, left, right, levels, buckets, total)]
    target = min(TARGET, total / _FEW_SLICES)
    while len(levels) < _DEPTH:
        rows = counts[-1].sum(axis=0)
        hot = np.flatnonzero(rows > target)
        hot = hot[splittable(levels[-1], hot)]
        if not len(hot):
            break
        levels.append(refine(levels[-1], hot, _FINER))
        counts.append(_count(join, left, right, levels, buckets, total))
    costs = [_cost(level, count, join.high - join.low, sizes[1]) for level, count in zip(levels, counts, strict=True)]
    rows_held = [count.sum(axis=0) for count in counts]
    work = sum(
        float(cost[level.entries >= 0].sum()) for cost, level in zip(costs, levels, strict=True)
    )
    return cut(levels, costs, rows_held, min(TARGET, max(work, total) / _FEW_SLICES))


def _one_slice() -> Grid:
    return Grid([Level(np.zeros(1), np.zeros(1), 1, np.zeros(1, dtype=np.int64))])


def _finite(moment: Column) -> Column:
    """A moment that can bound the grid; one without end cannot."""
    return F.when(F.abs(moment) < F.lit(math.inf), moment)


def _count(
    join: TimingJoin, left: DataFrame, right: DataFrame, levels: list[Level], buckets: int, total: int
) -> np.ndarray:
    """How many rows of either side begin in each cell of the deepest level, from a sample of large data."""
    share = min(1.0, _SAMPLE / total)
    grid = Grid(levels)
    looks = []
    for number, side in enumerate(sides(join, left, right, buckets)):
        data = side.data.where(side.passes)
        if share < 1.0:
            data = data.sample(fraction=share, seed=20_000 + number)
        cell = grid.cell_of(side.bucket, side.first).alias("cell")
        looks.append(data.select(cell).groupBy("cell").count().withColumn("side", F.lit(number)))
    counts = np.zeros((2, len(levels[-1].entries)))
    for row in looks[0].unionAll(looks[1]).collect():
        if row["cell"] is not None:
            counts[row["side"], row["cell"]] += row["count"] / share
    return counts


def _cost(level: Level, counts: np.ndarray, band: float, right_rows: int) -> np.ndarray:
    """The work that a cell makes: its rows, and the pairs that its density lets expect."""
    scale = np.repeat(level.scale, level.cells)
    partners = np.minimum(counts[1] * np.minimum(band * scale, 1e300), right_rows)
    return counts.sum(axis=0) + _PAIR * counts[0] * partners
