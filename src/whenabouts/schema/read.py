"""Reading the columns of a model of time into anchors and shapes, with a reason for every row that has none.

Nothing here raises for a bad row: the caller decides whether to raise or to set the row aside.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.kernels.events import Floats, Ints, Shapes, shape_supports
from whenabouts.model.clock import Clock
from whenabouts.model.times import Around, AroundColumn, At, Between, Detected, HistogramColumns, PmfColumns, TimeModel
from whenabouts.schema.arrow import nulls, plain
from whenabouts.schema.contract import Problems
from whenabouts.schema.pieces import read_pieces
from whenabouts.schema.room import room
from whenabouts.schema.times import Times, histogram_shapes, read_ticks


def read_times(table: pa.Table, model: TimeModel, clock: Clock) -> Times:
    """Read a model's columns into times on `clock`, which is the column's own or a finer one."""
    problems = Problems(len(table))
    if isinstance(model, HistogramColumns | PmfColumns):
        return read_pieces(table, model, clock, problems)
    first = read_ticks(table, model.columns[0], clock, problems)
    zero = np.broadcast_to(0.0, len(table))
    if isinstance(model, At):
        return Times(first, zero, zero, None, None, problems)
    if isinstance(model, Between):
        last = read_ticks(table, model.hi, clock, problems)
        problems.add(first > last, f"{model.lo!r} is after {model.hi!r}")
        return Times(first, zero, np.subtract(last, first, out=room(len(table))), None, None, problems)
    if isinstance(model, Around):
        before = clock.ticks(model.before, "the margin of the time")
        after = clock.ticks(model.after, "the margin of the time")
        return Times(first, zero - before, zero + after, None, None, problems)
    if isinstance(model, AroundColumn):
        delta = _read_margin(table, model.delta, clock, problems)
        return Times(first, -delta, delta, None, None, problems)
    shape, shapes = _read_templates(table, model, clock, problems)
    starts, ends = shape_supports(shapes)
    return Times(first, starts[shape], ends[shape], shape, shapes, problems)


def _read_margin(table: pa.Table, name: str, clock: Clock, problems: Problems) -> Floats:
    delta = read_ticks(table, name, clock, problems).astype(np.float64)
    problems.add(delta < 0, f"{name!r} is negative")
    return delta


def _read_templates(table: pa.Table, model: Detected, clock: Clock, problems: Problems) -> tuple[Ints, Shapes]:
    """The row's template, and all templates as shapes of occurrence - detection = -latency."""
    seconds = 1.0 if clock.kind == "number" else 1e9 / clock.tick
    mirrored = [histogram.mirrored() for histogram in model.templates.values()]
    shapes = histogram_shapes(mirrored)
    shapes = shapes._replace(lo=shapes.lo * seconds, hi=shapes.hi * seconds)
    if model.by is None:
        return np.zeros(len(table), dtype=np.int64), shapes
    names = plain(table.column(model.by)).cast(pa.large_string()).combine_chunks()
    found = pc.index_in(names, pa.array(list(model.templates), pa.large_string()))
    problems.add(nulls(names), f"{model.by!r} is null")
    problems.add(nulls(found), f"{model.by!r} names no latency histogram")
    return found.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64), shapes
