"""Models of time as Column expressions: enough of each row's time to route it, and whether it may pass.

The exact reading of a row happens once, in Python, by `whenabouts.schema`. Spark itself only needs to know
in which stretch of time a row can lie, which may be generous, and that a bad row goes to the door.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from whenabouts.model.clock import Clock
from whenabouts.model.histogram import MASS_TOLERANCE
from whenabouts.model.times import Around, AroundColumn, At, Between, Detected, HistogramColumns, TimeModel
from whenabouts.schema import Contract

_LARGEST = float(2**62)
_EXACT_INTEGER = float(2**53)


def named(name: str) -> Column:
    """A column by its name, whatever characters it has."""
    return F.col("`" + name.replace("`", "``") + "`")


def unlike(names: Iterable[str]) -> str:
    """How working columns begin beside columns of some names: longer than any of these, they are like none."""
    return "_" * max(map(len, names), default=0)


def ticks(value: Column, kind: pa.DataType) -> Column:
    """A time as a number of its clock's ticks: microseconds for timestamps."""
    if pa.types.is_timestamp(kind):
        if kind.tz:
            return F.unix_micros(value)
        since = value - F.lit("1970-01-01").cast("timestamp_ntz")
        return _micros(since)
    if pa.types.is_duration(kind):
        return _micros(value)
    if pa.types.is_float64(kind) or pa.types.is_int64(kind):
        return value
    return value.cast("double" if pa.types.is_floating(kind) else "long")


def _micros(interval: Column) -> Column:
    return (interval.cast("interval second").cast("decimal(20,6)") * 1_000_000).cast("long")


def stretch(model: TimeModel, schema: pa.Schema, clock: Clock) -> tuple[Column, Column]:
    """Ticks, as doubles, between which a row's time surely lies; null or NaN only in a row that is bad."""
    first, last = _ends(model, schema, clock)
    if isinstance(model, At | Between) and all(pa.types.is_float64(schema.field(name).type) for name in model.columns):
        return first, last
    return first.cast("double"), last.cast("double")


def _ends(model: TimeModel, schema: pa.Schema, clock: Clock) -> tuple[Column, Column]:
    def time(name: str) -> Column:
        return ticks(named(name), schema.field(name).type)

    if isinstance(model, At):
        return time(model.t), time(model.t)
    if isinstance(model, Between):
        return time(model.lo), time(model.hi)
    if isinstance(model, Around):
        before, after = clock.ticks(model.before, "margin"), clock.ticks(model.after, "margin")
        return time(model.t) - F.lit(before), time(model.t) + F.lit(after)
    if isinstance(model, AroundColumn):
        return time(model.t) - time(model.delta), time(model.t) + time(model.delta)
    if isinstance(model, Detected):
        scale = 1.0 if clock.kind == "number" else 1e9 / clock.tick
        spans = [histogram.span for histogram in model.templates.values()]
        least, most = min(span[0] for span in spans), max(span[1] for span in spans)
        return time(model.t) - F.lit(most * scale), time(model.t) - F.lit(least * scale)
    moments = model.edges if isinstance(model, HistogramColumns) else model.points
    kind = schema.field(moments).type.value_type
    return ticks(F.array_min(named(moments)), kind), ticks(F.array_max(named(moments)), kind)


def passes(contract: Contract, schema: pa.Schema, clock: Clock, ends: tuple[Column, Column] | None = None) -> Column:
    """Whether a row of `with_occurrences` keeps the contract: all that do not are sent to the door together.

    It says the same as `schema.read_times`, which has the last word on every row that was let through. `ends` is its
    `stretch`, where that is known.
    """
    model = contract.time
    first, last = ends or stretch(model, schema, clock)
    limit = _LARGEST if clock.exact else _EXACT_INTEGER if _whole(model, schema) else math.inf
    good = named(contract.id).isNotNull() & (first <= last) & (first > F.lit(-limit)) & (last < F.lit(limit))
    if isinstance(model, AroundColumn):
        good = good & (ticks(named(model.delta), schema.field(model.delta).type) >= F.lit(0))
    if isinstance(model, Detected) and model.by:
        good = good & named(model.by).cast("string").isin(list(model.templates))
    if not isinstance(model, At | Between | Around | AroundColumn | Detected):
        good = good & _pieces_pass(model, schema)
    if contract.unique_ids:
        good = good & (occurs(schema.names) == 1)
    return F.coalesce(good, F.lit(False))


def with_occurrences(data: DataFrame, contract: Contract, names: Iterable[str]) -> DataFrame:
    """The data, whose own columns have these names, with how often each id occurs, where `passes` will ask for it."""
    if not contract.unique_ids:
        return data
    return data.withColumn(_occurs(names), F.count(F.lit(1)).over(Window.partitionBy(named(contract.id))))


def occurs(names: Iterable[str]) -> Column:
    """How often the id of a row of `with_occurrences` is there, beside columns of these names."""
    return named(_occurs(names))


def _occurs(names: Iterable[str]) -> str:
    return f"{unlike(names)}_occurs"


def _whole(model: TimeModel, schema: pa.Schema) -> bool:
    kind = schema.field(model.columns[0]).type
    return pa.types.is_integer(getattr(kind, "value_type", None) or kind)


def _pieces_pass(model: TimeModel, schema: pa.Schema) -> Column:
    kind = schema.field(model.columns[0]).type.value_type
    return _arrays_pass(*model.columns, isinstance(model, HistogramColumns), pa.types.is_floating(kind), is_remote())


@cache
def _arrays_pass(times: str, masses: str, edges: bool, floating: bool, remote: bool) -> Column:
    """The same for columns of some names; `remote` tells kinds of Columns apart.

    Spark gives the arguments of functions new names whenever they are written down, and compiles a query for the names
    in it: a Column that is kept is compiled once.
    """
    moments, mass = named(times), named(masses)
    extra = 1 if edges else 0
    good = (F.size(mass) > 0) & (F.size(moments) == F.size(mass) + extra)
    good = good & F.forall(mass, lambda m: m.isNotNull() & (m >= 0) & (m <= 2.0))
    good = good & F.forall(moments, lambda t: t.isNotNull())
    if floating:
        good = good & F.forall(moments, lambda t: F.abs(t) < F.lit(math.inf))
    total = F.aggregate(mass, F.lit(0.0), lambda sum, m: sum + m.cast("double"))
    good = good & (F.abs(total - 1.0) <= MASS_TOLERANCE)
    return good & (F.array_sort(moments) == moments) if extra else good
