"""What a query tells while it runs: counts of every turn, summed over groups into its progress events.

They are in `query.lastProgress.observedMetrics["whenabouts"]`, one entry a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.model.clock import Clock

NAME = "whenabouts"
COUNTS = "counts"
_ROWS = ("rows", "too_wide", "malformed")


@dataclass(frozen=True)
class Metric:
    """A number by name, and how those of all groups make one."""

    name: str
    how: Literal["sum", "max", "min"] = "sum"
    clock: Clock | None = None


def input_metrics(names: Sequence[str], clock: Clock | None) -> list[Metric]:
    """What every operator counts: rows, those that were set aside, watermarks, results and state."""
    counted = [Metric(f"{name}_{what}") for name in names for what in (*_ROWS, "late")]
    marks = [Metric(f"{name}_watermark", "min", clock) for name in names]
    return [*counted, *marks, Metric("emitted"), Metric("buffered"), Metric("state_bytes")]


def row_metrics(name: str) -> list[Metric]:
    """What is counted of a stream without state."""
    return [*(Metric(f"{name}_{what}") for what in _ROWS), Metric("emitted")]


def observed(data: DataFrame, metrics: Sequence[Metric]) -> DataFrame:
    """Blobs alone; the counts among them are summed up as they pass: before anything is unpacked, so few rows."""
    sums = [_column(metric, F.get(COUNTS, F.lit(place))).alias(metric.name) for place, metric in enumerate(metrics)]
    return data.observe(NAME, *sums).where(F.col("blob").isNotNull()).drop(COUNTS)


def metrics_of(progress: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a progress event by name; nothing where it has none. Connect tells names apart from values."""
    told = (progress["observedMetrics"] or {}).get(NAME)
    if told is None:
        return {}
    found = dict(told.asDict())
    if set(found) == {"values", "schema"}:
        return {one["name"]: value for one, value in zip(found["schema"]["fields"], found["values"], strict=True)}
    return found


def _column(metric: Metric, value: Column) -> Column:
    total = {"sum": F.sum, "max": F.max, "min": F.min}[metric.how](value)
    if metric.how == "sum":
        return F.coalesce(total, F.lit(0.0))
    known = F.when(F.abs(total) < F.lit(float("inf")), total)
    if metric.clock is None or metric.clock.kind == "number":
        return known
    micros = (known * F.lit(metric.clock.tick / 1000.0)).cast("long")
    if metric.clock.kind == "instant":
        return F.date_format(F.timestamp_micros(micros), "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
    since = F.make_dt_interval(secs=(micros.cast("decimal(20,0)") / 1_000_000).cast("decimal(18,6)"))
    return F.date_format(F.lit("1970-01-01").cast("timestamp_ntz") + since, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
