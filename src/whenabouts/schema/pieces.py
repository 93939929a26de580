"""Reading histograms and pmfs that stand in array columns, one a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.kernels.events import Ints, Shapes, shape_supports
from whenabouts.model.clock import Clock
from whenabouts.model.histogram import MASS_TOLERANCE
from whenabouts.model.times import HistogramColumns, PmfColumns
from whenabouts.schema.arrow import nulls
from whenabouts.schema.contract import Problems
from whenabouts.schema.times import Times, to_ticks


def read_pieces(table: pa.Table, model: HistogramColumns | PmfColumns, clock: Clock, problems: Problems) -> Times:
    """Histograms or pmfs, one a row, as shapes relative to the row's first moment; a bad row gets a point."""
    is_histogram = isinstance(model, HistogramColumns)
    moments_name = model.edges if isinstance(model, HistogramColumns) else model.points
    moments, moment_start, moment_row = _flat(table, moments_name, problems)
    masses, mass_start, mass_row = _flat(table, model.mass, problems)
    count = len(table)
    moment_count, mass_count = np.diff(moment_start), np.diff(mass_start)
    problems.add(mass_count == 0, f"{model.mass!r} is empty")
    extra = 1 if is_histogram else 0
    needs = f"one more entry than {model.mass!r}" if is_histogram else f"as many entries as {model.mass!r}"
    problems.add(moment_count != mass_count + extra, f"{moments_name!r} does not have {needs}")
    for values, rows, name in ((moments, moment_row, moments_name), (masses, mass_row, model.mass)):
        problems.add(_rows_with(nulls(values), rows, count), f"{name!r} holds a null")
    mass = pc.fill_null(masses, pa.scalar(0, masses.type)).to_numpy(zero_copy_only=False).astype(np.float64)
    filled = moments.fill_null(pa.scalar(0, pa.int64()).cast(moments.type)) if moments.null_count else moments
    ticks, outside = to_ticks(filled, clock)
    problems.add(_rows_with(outside, moment_row, count), f"{moments_name!r} is too large to be exact")
    if ticks.dtype == np.float64:
        problems.add(_rows_with(~np.isfinite(ticks), moment_row, count), f"{moments_name!r} holds NaN or infinity")
    problems.add(_rows_with(~np.isfinite(mass), mass_row, count), f"{model.mass!r} holds NaN or infinity")
    problems.add(_rows_with(mass < 0, mass_row, count), f"{model.mass!r} holds a negative mass")
    total = np.zeros(count)
    np.add.at(total, mass_row, np.where(np.isfinite(mass), mass, 0.0))
    problems.add(np.abs(total - 1.0) > MASS_TOLERANCE, f"{model.mass!r} does not sum to 1")
    if is_histogram:
        falls = np.zeros(len(ticks), dtype=np.bool_)
        falls[1:] = (ticks[1:] < ticks[:-1]) & (moment_row[1:] == moment_row[:-1])
        problems.add(_rows_with(falls, moment_row, count), f"{moments_name!r} is not sorted")
    kept = problems.good[mass_row] & (mass > 0)
    rows = mass_row[kept]
    place = moment_start[rows] + (np.arange(len(mass)) - mass_start[mass_row])[kept]
    anchor: NDArray[Any] = np.zeros(count, dtype=ticks.dtype)
    has = moment_count > 0
    anchor[has] = ticks[moment_start[:-1][has]]
    anchor[~problems.good] = 0
    lo = (ticks[place] - anchor[rows]).astype(np.float64)
    hi = (ticks[place + extra] - anchor[rows]).astype(np.float64)
    part = mass[kept] / total[rows]
    bad = np.flatnonzero(~problems.good)
    rows, lo, hi = (np.concatenate([one, more]) for one, more in ((rows, bad), (lo, 0.0 * bad), (hi, 0.0 * bad)))
    part = np.concatenate([part, np.ones(len(bad))])
    order = np.argsort(rows, kind="stable") if is_histogram else np.lexsort((lo, rows))
    lo, hi, part = lo[order], hi[order], part[order]
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))]).astype(np.int64)
    shapes = Shapes(start, lo, hi, part)
    firsts, lasts = shape_supports(shapes)
    return Times(anchor, firsts, lasts, np.arange(count, dtype=np.int64), shapes, problems)


def _flat(table: pa.Table, name: str, problems: Problems) -> tuple[pa.Array, Ints, Ints]:
    """A list column as its values, where each row's values start, and the row of each value."""
    column = table.column(name).combine_chunks()
    missing = nulls(column)
    problems.add(missing, f"{name!r} is null")
    if pa.types.is_fixed_size_list(column.type):
        column = column.cast(pa.large_list(column.type.value_type))
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return pc.list_flatten(column), start, np.repeat(np.arange(len(column), dtype=np.int64), lengths)


def _rows_with(bad: NDArray[np.bool_], row: Ints, count: int) -> NDArray[np.bool_]:
    """Which rows own a bad element."""
    rows = np.zeros(count, dtype=np.bool_)
    rows[row[bad]] = True
    return rows
