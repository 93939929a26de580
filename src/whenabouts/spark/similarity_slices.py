"""Slices of a similarity join: of places, each with a halo of a window, and strips of space where one holds too much.

A row lies in the slices from its place to its place plus the window, so two rows whose windows meet lie together in the
slice of the later one, where that row begins. In space a row takes the stretch from eps before its first sample to
its last, along the first axis; two rows that can be close have stretches that overlap, and lie together in the strip
where the later stretch begins. A pair belongs to the task in which some row of it begins in place and some row in
space.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.ops.similarity.question import SimilarityJoin
from whenabouts.schema.objects import ObjectContract
from whenabouts.spark.columns import stretch
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.grid import together
from whenabouts.spark.look import Asked, look_at
from whenabouts.spark.lookups import constants
from whenabouts.spark.memory import once
from whenabouts.spark.similarity_door import dimension_of
from whenabouts.spark.similarity_samples import first_coordinates

ROWS_A_TASK = 40_000
_WORTH_A_TASK = 5_000
"""Rows that a task has at least where there are several."""
_WAVE = 4
"""Tasks are as many as some machines have cores, or a multiple, so that none is idle while the last ones run."""
_MOST = 48
"""So many slices, and strips of one: more would make the search for a row's slice long."""
_SHARE = 1 / 4
_KNOTS = 512
_WINDOWS = 3.0
"""A slice is at least so many windows long, so that at most every third row is copied."""


@dataclass(frozen=True)
class Slices:
    """Where places and space are cut; `hot[k]` says that slice k is cut into strips."""

    places: list[float] = field(default_factory=list)
    strips: list[float] = field(default_factory=list)
    hot: list[bool] = field(default_factory=lambda: [False])
    dimension: int | None = None
    last: float = -math.inf

    @property
    def tasks(self) -> int:
        return sum(len(self.strips) + 1 if hot else 1 for hot in self.hot)

    @property
    def begins(self) -> list[int]:
        """The first task of each slice."""
        widths = [len(self.strips) + 1 if hot else 1 for hot in self.hot]
        return [0, *np.cumsum(widths)[:-1].tolist()]


def place_of(join: SimilarityJoin, number: int, data: DataFrame) -> Column:
    """The place of a row in ticks, as a double; null or NaN in a row that is bad."""
    return stretch(join.streams[number].place(join.by_seq), arrow_schema(data), join.clock)[1]


def ends_in_space(contract: ObjectContract, data: DataFrame, reach: float) -> tuple[Column, Column]:
    """From eps before the first sample to the last, along the first axis, wider than rounding can shift it."""
    first, last = first_coordinates(data, contract)
    slack = (F.abs(first) + F.abs(last)) * 1e-12 + reach * 1e-9
    return first - F.lit(reach) - slack, last + slack


def plan_slices(
    join: SimilarityJoin, frames: Sequence[DataFrame], sources: Sequence[DataFrame], rows_a_task: int = ROWS_A_TASK
) -> Slices:
    """Look at the places, and choose where to cut; samples are read only for space or an undeclared dimension.

    The `frames` are gathered from the `sources`, of which the look at places is kept.
    """
    asked = [Asked(data, F.lit(0), 1, place_of(join, number, data)) for number, data in enumerate(frames)]
    meaning = ("similarity join", join.streams, join.by_seq, join.clock)
    seen = together(1, once(sources, meaning, lambda: look_at(asked, _SHARE)))
    dimension, last = _usual(join, frames)
    if not seen.rows:
        return Slices(dimension=dimension, last=last)
    cuts, loads = _cut_places(seen.quantiles(_KNOTS), seen.rows, join.window, even_load(seen.rows, rows_a_task))
    wanted = [min(math.ceil(load / rows_a_task), _MOST) if load > 2 * rows_a_task else 1 for load in loads]
    strips = _strips(join, frames, max(wanted)) if max(wanted) > 1 else []
    hot = [bool(strips) and want > 1 for want in wanted]
    return Slices(cuts, strips, hot, dimension, last)


def _usual(join: SimilarityJoin, frames: Sequence[DataFrame]) -> tuple[int | None, float]:
    """The dimension that most objects have, and the last place of all: what answers depend on, of all rows.

    The one is asked for where it was not declared, and the other for a changelog.
    """
    known = [stream.contract.gathered.dimension for stream in join.streams]
    if None not in known and not join.changes:
        return known[0], -math.inf
    looks = []
    for number, data in enumerate(frames):
        place, size = place_of(join, number, data), dimension_of(join.streams[number].contract)
        finite = F.when(F.abs(place) < F.lit(math.inf), place).alias("place")
        looks.append(data.select(finite, F.when(size > 0, size).alias("size")))
    row = reduce(DataFrame.unionAll, looks).agg(F.max("place").alias("last"), F.mode("size").alias("size")).collect()[0]
    return row["size"], -math.inf if row["last"] is None else float(row["last"])


def even_load(rows: int, rows_a_task: int) -> float:
    """How many rows a slice has where slices come in full waves of tasks."""
    slices = max(math.ceil(rows / rows_a_task), min(_WAVE, rows // _WORTH_A_TASK), 1)
    return rows / min(math.ceil(slices / _WAVE) * _WAVE if slices >= _WAVE else slices, _MOST)


def _strips(join: SimilarityJoin, frames: Sequence[DataFrame], count: int) -> list[float]:
    """Where to cut space so that about equally many objects begin in each strip."""
    begins = [
        data.select(ends_in_space(stream.contract, data, join.distance)[0].alias("begin"))
        for stream, data in zip(join.streams, frames, strict=True)
    ]
    together = reduce(DataFrame.unionAll, begins).where(F.abs("begin") < F.lit(math.inf))
    levels = constants([k / count for k in range(1, count)])
    found = together.agg(F.percentile_approx("begin", levels, 5_000).alias("cuts")).collect()[0]["cuts"]
    return sorted(set(found or []))


def _cut_places(places: np.ndarray, rows: int, window: float, target: float) -> tuple[list[float], list[float]]:
    """Where to cut places, into slices of about the target that are long enough for their window; and their loads."""
    each = rows / (len(places) - 1) if len(places) > 1 else rows
    cuts: list[float] = []
    loads = [0.0]
    begin = places[0]
    for at in range(1, len(places)):
        loads[-1] += each
        long_enough = places[at] - begin >= _WINDOWS * window and places[at] > begin
        full = loads[-1] >= target and len(cuts) < _MOST - 1
        if full and long_enough and at < len(places) - 1:
            cuts.append(float(places[at]))
            loads.append(0.0)
            begin = places[at]
    return cuts, loads


def steps_before(cuts: Sequence[float], value: Column, low: int = 0, high: int | None = None) -> Column:
    """How many cuts are not after a value, by halving: a tree of comparisons, which Spark compiles."""
    high = len(cuts) if high is None else high
    if low == high:
        return F.lit(low)
    middle = (low + high + 1) // 2
    return F.when(value >= F.lit(cuts[middle - 1]), steps_before(cuts, value, middle, high)).otherwise(
        steps_before(cuts, value, low, middle - 1)
    )
