"""Uncertain times as columns, on their own clock and as the kernels see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Events, Floats, Ints, Shapes, uniform_events
from whenabouts.model.clock import Clock, timestamp_clock
from whenabouts.model.histogram import Histogram
from whenabouts.model.times import Around, At, Detected, TimeModel
from whenabouts.schema.arrow import in_one, nulls
from whenabouts.schema.contract import Problems
from whenabouts.schema.room import room

_EXACT_INTEGER = 2**53
_LARGEST_TICK = 2**62 - 1


@dataclass
class Times:
    """Uncertain times on their own clock: `anchor + shape`, and what is wrong with each row.

    `shapes` is None where every row is uniform on `anchor + [lo, hi]`.
    """

    anchor: NDArray[np.int64] | Floats
    lo: Floats
    hi: Floats
    shape: Ints | None
    shapes: Shapes | None
    problems: Problems


def widest(model: TimeModel, clock: Clock) -> float | None:
    """The widest time that a model can give, in ticks; None where every row brings its own width."""
    if isinstance(model, At):
        return 0.0
    if isinstance(model, Around):
        return clock.ticks(model.before, "the margin") + clock.ticks(model.after, "the margin")
    if isinstance(model, Detected):
        scale = 1.0 if clock.kind == "number" else 1e9 / clock.tick
        spans = [histogram.span for histogram in model.templates.values()]
        return max(last - first for first, last in spans) * scale
    return None


def to_events(times: Times, rows: Ints | slice, origin: int | float) -> Events:
    """The kernel's view of some rows, in the order given: float64 offsets from the origin, never epochs."""
    at, lo, hi = times.anchor[rows], times.lo[rows], times.hi[rows]
    anchor = (at - origin).astype(np.float64, copy=False) if origin else at.astype(np.float64, copy=False)
    earliest = np.add(anchor, lo, out=room(len(at)))
    latest = np.add(anchor, hi, out=room(len(at)))
    if times.shapes is None or times.shape is None:
        return uniform_events(earliest, latest)
    return Events(earliest, latest, anchor, times.shape[rows], times.shapes)


def histogram_shapes(histograms: Sequence[Histogram]) -> Shapes:
    """Histograms as shapes relative to zero; buckets without mass are left out."""
    runs = [histogram.pieces() for histogram in histograms]
    start = np.cumsum([0, *map(len, runs)], dtype=np.int64)
    pieces = np.array([piece for run in runs for piece in run], dtype=np.float64).reshape(-1, 3)
    lo, hi, mass = (np.ascontiguousarray(column) for column in pieces.T)
    return Shapes(start, lo, hi, mass)


def to_ticks(values: pa.Array, clock: Clock) -> tuple[NDArray[np.int64] | Floats, NDArray[np.bool_]]:
    """Non-null values as the clock's ticks (int64 where it is exact, else float64), and which do not fit."""
    kind = values.type
    if pa.types.is_floating(kind):
        numbers = values.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
        return numbers, np.zeros(len(numbers), dtype=np.bool_)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        unit = timestamp_clock(kind.unit, None).tick
        ratio, values = unit // clock.tick, values.view(pa.int64())
    else:
        ratio = 1
    numbers = values.to_numpy(zero_copy_only=False)
    limit = _LARGEST_TICK // ratio if clock.exact else _EXACT_INTEGER
    outside = (numbers > limit) | (numbers < -limit)
    whole = numbers.astype(np.int64, copy=False)
    ticks = np.where(outside, 0, whole) * ratio if ratio != 1 or outside.any() else whole
    return (ticks if clock.exact else ticks.astype(np.float64)), outside


def read_ticks(table: pa.Table, name: str, clock: Clock, problems: Problems) -> NDArray[np.int64] | Floats:
    """A time column as ticks; a row that has none gets a reason and a zero."""
    column = in_one(table.column(name))
    if column.null_count:
        problems.add(nulls(column), f"{name!r} is null")
        column = column.fill_null(pa.scalar(0, pa.int64()).cast(column.type))
    ticks, outside = to_ticks(column, clock)
    problems.add(outside, f"{name!r} is too large to be exact")
    if ticks.dtype == np.float64:
        infinite = ~np.isfinite(ticks)
        if infinite.any():
            problems.add(np.isnan(ticks), f"{name!r} is NaN")
            problems.add(infinite, f"{name!r} is infinite")
            ticks = np.where(infinite, 0.0, ticks)
    return ticks
