"""Slicing for patterns: every match is found in one slice, that of its first event.

A match whose first event can begin at time x lies within [x, x + pi + W): its first event is at most pi wide, pi
being the widest timestamp of events that fit the first component, and the window is W. So a row lies in the slices of
all such x that it can meet: from its own earliest moment less pi and W to its latest. A match is owned by the slice in
which its first event begins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.ops.match.question import FITS, PatternMatch
from whenabouts.spark.columns import named, passes, stretch, unlike, with_occurrences
from whenabouts.spark.conditions import Columns
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.grid import Grid, Level, Sample, grid_of, together
from whenabouts.spark.lookups import constants, with_slices

BUCKETS = 64
_SHARE = 1 / 16
_KNOTS = 256
_ACCURACY = 2_000


@dataclass
class Look:
    """What a look at the data brings: the grid, about how many rows fit, and the widest first event in ticks."""

    grid: Grid
    rows: int
    widest: float


def fitting(question: PatternMatch, data: DataFrame) -> DataFrame:
    """The rows that fit some component, with a bit for each that they fit; the rest is filtered at the source."""
    schema = arrow_schema(data)
    rows = data.where(reduce(or_, _fits(question, schema)))
    for part in question.conditions.constant:
        rows = rows.where(Columns(schema, question.kinds).condition(part))
    return with_occurrences(with_fits(question, rows, fits_of(schema)), question.contract, data.columns)


def fits_of(schema: pa.Schema) -> str:
    """The column that says which components a row fits, beside the columns of the data."""
    return unlike(schema.names) + FITS


def with_fits(question: PatternMatch, data: DataFrame, name: str = FITS) -> DataFrame:
    """All rows, with a bit for each component that they fit; none where a constant condition does not hold."""
    schema = arrow_schema(data)
    columns = Columns(schema, question.kinds)
    bits = [
        F.when(fit, F.lit(1 << place)).otherwise(F.lit(0)).cast("long")
        for place, fit in enumerate(_fits(question, schema))
    ]
    mask = reduce(lambda one, other: one.bitwiseOR(other), bits)
    for part in question.conditions.constant:
        mask = F.when(columns.condition(part), mask).otherwise(F.lit(0).cast("long"))
    return data.withColumn(name, mask)


def _fits(question: PatternMatch, schema: pa.Schema) -> list[Column]:
    """Whether a row fits, for each component; a key that is null fits nothing."""
    columns, fits = Columns(schema, question.kinds), []
    for place, (one, parts) in enumerate(zip(question.pattern.components, question.conditions.single, strict=True)):
        fit = columns.fits(one, parts, question.type)
        for key in question.conditions.keys:
            fit = fit & named(key[place]).isNotNull()
        fits.append(fit)
    return fits


def routing_keys(question: PatternMatch) -> list[tuple[str, ...]]:
    """The keys by which rows may be sent to different slices: those whose attribute a row tells by itself.

    That is so where all components have the same attribute, or where those that differ in it differ in type.
    """
    components = question.pattern.components
    chosen = []
    for key in question.conditions.keys:
        pairs = [(one, other) for one in range(len(key)) for other in range(one) if key[one] != key[other]]
        kinds = [(components[one].type, components[other].type) for one, other in pairs]
        if all(one is not None and other is not None and one != other for one, other in kinds):
            chosen.append(key)
    return chosen


def bucket_of(question: PatternMatch, schema: pa.Schema, buckets: int) -> Column:
    """The bucket of a row's keys."""
    keys = routing_keys(question)
    if not keys or buckets == 1:
        return F.lit(0)
    parts = []
    for key in keys:
        names = list(dict.fromkeys(key))
        parts.append(_hashable(names[0], schema) if len(names) == 1 else _by_component(key, schema))
    return F.pmod(F.xxhash64(*parts), F.lit(buckets)).cast("int")


def _by_component(key: tuple[str, ...], schema: pa.Schema) -> Column:
    """The attribute that belongs to the component which a row fits."""
    column: Column | None = None
    for place, name in enumerate(key):
        here = F.col(fits_of(schema)).bitwiseAND(F.lit(1 << place)) != 0
        value = _hashable(name, schema)
        column = F.when(here, value) if column is None else column.when(here, value)
    assert column is not None
    return column


def _hashable(name: str, schema: pa.Schema) -> Column:
    return named(name).cast("long") if pa.types.is_integer(schema.field(name).type) else named(name)


def placed(question: PatternMatch, rows: DataFrame, grid: Grid, widest: float, schema: pa.Schema) -> DataFrame:
    """The fitting rows with the slices from `_first` to `_last` that they lie in, and `_own`, where they begin.

    Rows that do not pass go to the door, the slice after the last. The names are `unlike` those of the data.
    """
    first, last = stretch(question.contract.time, schema, question.clock)
    bucket = bucket_of(question, schema, grid.buckets)
    reach = question.window + widest
    slack = (F.abs(first) + F.abs(last) + F.lit(reach if math.isfinite(reach) else 0.0)) * 1e-14
    earliest = first - F.lit(reach) - slack if math.isfinite(reach) else F.lit(-math.inf)
    own = unlike(schema.names)
    times = {f"{own}_first": earliest, f"{own}_last": last + slack, f"{own}_own": first}
    rows = with_slices(grid, rows, bucket, times)
    through = passes(question.contract, schema, question.clock, (first, last))
    return rows.withColumns({name: F.when(through, F.col(name)).otherwise(F.lit(grid.slices)) for name in times})


def look_at(question: PatternMatch, data: DataFrame) -> Look:
    """Choose the slices: one pass over times and conditions brings a few hundred numbers."""
    schema = arrow_schema(data)
    first, last = stretch(question.contract.time, schema, question.clock)
    buckets = BUCKETS if routing_keys(question) else 1
    bucket = bucket_of(question, schema, buckets)
    begins = F.col(fits_of(schema)).bitwiseAND(F.lit(1)) != 0
    rows = fitting(question, data).where(passes(question.contract, schema, question.clock, (first, last)))
    looked = rows.select(
        bucket.alias("bucket"),
        F.when(F.rand(20_000) < _SHARE, first).alias("begins"),
        F.when(begins, last - first).alias("width"),
    )
    quantiles = F.percentile_approx("begins", constants([k / _KNOTS for k in range(_KNOTS + 1)]), _ACCURACY)
    counted = looked.groupBy("bucket").agg(
        F.count(F.lit(1)).alias("rows"), quantiles.alias("begins"), F.max("width").alias("width")
    )
    seen = counted.collect()
    parts = [Sample.of_quantiles(buckets, row["bucket"], row["begins"], row["rows"]) for row in seen]
    sample, widest = together(buckets, parts), max((row["width"] or 0.0 for row in seen), default=0.0)
    return Look(_grid(sample, question.window + widest), sample.rows, widest)


def _grid(sample: Sample, reach: float) -> Grid:
    """Slices of about equal work, none much shorter than what a match can reach: shorter ones only copy rows."""
    grid = grid_of(sample, Sample.of(sample.buckets), 0.0)
    if grid.buckets < sample.buckets:
        return grid
    return merged(grid, reach)


def merged(grid: Grid, reach: float) -> Grid:
    """The grid with slices merged until each is at least as long as the reach; keys stay apart."""
    new, number, begin = [0], 0, (0, -math.inf)
    boundaries = []
    for boundary in grid.boundaries:
        if boundary[0] != begin[0] or (math.isfinite(reach) and boundary[1] - begin[1] >= reach):
            number += 1
            boundaries.append(boundary)
            begin = boundary
        new.append(number)
    renumbered = np.array(new, dtype=np.int64)
    levels = [replace(level, entries=_renumber(level, renumbered)) for level in grid.levels]
    return Grid(levels, boundaries, np.ones(number + 1, dtype=np.int64))


def _renumber(level: Level, numbers: np.ndarray) -> np.ndarray:
    return np.where(level.entries >= 0, numbers[np.maximum(level.entries, 0)], level.entries)
