"""The data contract, checked at the door: Arrow columns in, kernel arrays and reasons out.

`read_times` reads the columns of a model of time. It never raises for a bad row: every row gets a reason, empty for
a good one, and the caller decides whether to raise or to set the row aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.errors import BadRows, DuplicateIds, MixedUnits, WrongType, unknown_column
from whenabouts.kernels.events import Events, Floats, Ints, Shapes, shape_supports
from whenabouts.model.clock import Clock, timestamp_clock
from whenabouts.model.histogram import MASS_TOLERANCE, Histogram
from whenabouts.model.times import (
    Around,
    AroundColumn,
    At,
    Between,
    Detected,
    HistogramColumns,
    PmfColumns,
    TimeModel,
)

_EXACT_INTEGER = 2**53
_LARGEST_TICK = 2**62


@dataclass(frozen=True)
class Contract:
    """What a side of an operator must hold: its id, its model of time, and whether ids must be unique."""

    id: str
    time: TimeModel
    unique_ids: bool = False


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


class Problems:
    """The first thing that is wrong with each row, as an index into `reasons`; 0 is nothing."""

    def __init__(self, count: int) -> None:
        self.code = np.zeros(count, dtype=np.int64)
        self.reasons = [""]

    def add(self, bad: NDArray[np.bool_], reason: str) -> None:
        """Mark rows that have no earlier reason."""
        fresh = bad & (self.code == 0)
        if fresh.any():
            self.reasons.append(reason)
            self.code[fresh] = len(self.reasons) - 1

    @property
    def good(self) -> NDArray[np.bool_]:
        return self.code == 0

    def texts(self) -> pa.Array:
        """The reasons as an Arrow column, null for a good row."""
        texts = pa.array([None, *self.reasons[1:]], pa.string())
        return texts.take(pa.array(self.code))


def field_of(schema: pa.Schema, name: str, where: str) -> pa.Field:
    """A column's field, or an error that names the columns there are."""
    if name not in schema.names:
        raise unknown_column(name, schema.names, where)
    return schema.field(name)


def clock_of(schema: pa.Schema, model: TimeModel, where: str = "events") -> Clock:
    """The clock of a model's time columns; raises where they are missing, of a wrong type, or mixed."""
    if isinstance(model, HistogramColumns | PmfColumns):
        moments = model.edges if isinstance(model, HistogramColumns) else model.points
        _require_numbers(_element_type(schema, model.mass, where), model.mass)
        return _clock_of_type(_element_type(schema, moments, where), moments)
    first = _clock_of_type(field_of(schema, model.columns[0], where).type, model.columns[0])
    if isinstance(model, Between):
        second = _clock_of_type(field_of(schema, model.hi, where).type, model.hi)
        if first.kind != second.kind:
            raise MixedUnits(
                f"{model.lo!r} and {model.hi!r} are times of different kinds ({field_of(schema, model.lo, where).type}"
                f" and {field_of(schema, model.hi, where).type}). Cast one to the type of the other."
            )
        return first.meet(second)
    if isinstance(model, AroundColumn):
        return first.meet(_margin_clock(first, field_of(schema, model.delta, where)))
    if isinstance(model, Detected) and model.by:
        kind = field_of(schema, model.by, where).type
        if not _is_text(kind):
            raise WrongType(f"{model.by!r} must hold the names of latency histograms as text, not {kind}.")
    if isinstance(model, Around):
        first.ticks(model.before, "the margin of the time")
    return first


def read_times(table: pa.Table, model: TimeModel, clock: Clock) -> Times:
    """Read a model's columns into times on `clock`, which is the column's own or a finer one."""
    problems = Problems(len(table))
    if isinstance(model, HistogramColumns | PmfColumns):
        return _read_pieces(table, model, clock, problems)
    first = _read_ticks(table, model.columns[0], clock, problems)
    zero = np.zeros(len(table))
    if isinstance(model, At):
        return Times(first, zero, zero, None, None, problems)
    if isinstance(model, Between):
        last = _read_ticks(table, model.hi, clock, problems)
        problems.add(problems.good & (first > last), f"{model.lo!r} is after {model.hi!r}")
        return Times(first, zero, (last - first).astype(np.float64), None, None, problems)
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


def check_ids(table: pa.Table, contract: Contract, problems: Problems) -> None:
    """Add null ids, and repeated ones where they must be unique."""
    ids = table.column(contract.id).combine_chunks()
    problems.add(_nulls(ids), f"{contract.id!r} is null")
    if contract.unique_ids:
        codes = _codes(ids)
        repeated = np.bincount(codes, minlength=1)[codes] > 1
        problems.add(repeated, f"{contract.id!r} is not unique")


class Refusals:
    """Bad rows of one side, gathered over any number of batches: a count and an example for each reason."""

    def __init__(self, contract: Contract, where: str) -> None:
        self.contract = contract
        self.where = where
        self.counts: dict[str, int] = {}
        self.examples: dict[str, str] = {}

    @property
    def count(self) -> int:
        return sum(self.counts.values())

    def add(self, table: pa.Table, problems: Problems) -> None:
        """Take note of what is wrong in a table."""
        names = list(dict.fromkeys((self.contract.id, *self.contract.time.columns)))
        for code, reason in enumerate(problems.reasons[1:], start=1):
            rows = np.flatnonzero(problems.code == code)
            self.counts[reason] = self.counts.get(reason, 0) + len(rows)
            if reason not in self.examples:
                example = table.select(names).slice(int(rows[0]), 1).to_pylist()[0]
                self.examples[reason] = ", ".join(f"{name}={value!r}" for name, value in example.items())

    def raise_if_any(self) -> None:
        """Raise one error that names column, count, an example row and the remedy of every reason."""
        if not self.counts:
            return
        lines = [
            f"  {reason}: {count:,} rows, for example {self.examples[reason]}. {_remedy(reason)}"
            for reason, count in self.counts.items()
        ]
        error = DuplicateIds if all("not unique" in reason for reason in self.counts) else BadRows
        raise error(
            f"{self.count:,} rows of {self.where} cannot be used.\n"
            + "\n".join(lines)
            + '\nOr pass bad_rows="quarantine" to wa.events: the good rows are joined, '
            "and these come back in events.rejected with their reason."
        )


def to_events(times: Times, rows: Ints, origin: int | float) -> Events:
    """The kernel's view of some rows: float64 offsets from the origin, never epochs."""
    anchor = (times.anchor[rows] - origin).astype(np.float64)
    earliest = anchor + times.lo[rows]
    latest = anchor + times.hi[rows]
    if times.shapes is None or times.shape is None:
        count = len(rows)
        own = np.arange(count, dtype=np.int64)
        starts = np.arange(count + 1, dtype=np.int64)
        return Events(
            earliest, latest, anchor, own, Shapes(starts, times.lo[rows], times.hi[rows], np.ones(count))
        )
    return Events(earliest, latest, anchor, times.shape[rows], times.shapes)


def histogram_shapes(histograms: Sequence[Histogram]) -> Shapes:
    """Histograms as shapes relative to zero; buckets without mass are left out."""
    runs = [histogram.pieces() for histogram in histograms]
    start = np.cumsum([0, *map(len, runs)], dtype=np.int64)
    pieces = np.array([piece for run in runs for piece in run], dtype=np.float64).reshape(-1, 3)
    lo, hi, mass = (np.ascontiguousarray(column) for column in pieces.T)
    return Shapes(start, lo, hi, mass)


def key_codes(left: pa.Table, right: pa.Table, by: Sequence[tuple[str, str]]) -> tuple[Ints, Ints, int]:
    """Equality keys as integers shared by both sides, and how many; -1 where a key is null and joins nothing."""
    count = len(left) + len(right)
    codes, size = np.zeros(count, dtype=np.int64), 1
    missing = np.zeros(count, dtype=np.bool_)
    for one, other in by:
        column = pa.chunked_array(
            [*_plain(left.column(one)).chunks, *_plain(right.column(other)).chunks]
        ).combine_chunks()
        missing |= _nulls(column)
        codes, size = _compact(codes, _codes(column))
    codes[missing] = -1
    return codes[: len(left)], codes[len(left) :], size


def _compact(codes: Ints, more: Ints) -> tuple[Ints, int]:
    """Pairs of codes as consecutive codes."""
    wide = codes * (int(more.max(initial=0)) + 1) + more
    values, compact = np.unique(wide, return_inverse=True)
    return compact.astype(np.int64), len(values)


def _codes(column: pa.Array) -> Ints:
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text in the one type that two sides can share; everything else as it is."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string()) if _is_text(column.type) else column


def _nulls(column: pa.Array) -> NDArray[np.bool_]:
    if column.null_count == 0:
        return np.zeros(len(column), dtype=np.bool_)
    return pc.is_null(column).to_numpy(zero_copy_only=False)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _clock_of_type(kind: pa.DataType, name: str) -> Clock:
    if pa.types.is_timestamp(kind):
        return timestamp_clock(kind.unit, kind.tz)
    if pa.types.is_integer(kind):
        return Clock("number")
    if pa.types.is_floating(kind):
        return Clock("number", exact=False)
    remedy = 'Cast it to a timestamp, and say wa.rounded(..., to="1d", how="down").' if pa.types.is_date(kind) else (
        "Cast it to a timestamp or a number."
    )
    raise WrongType(f"{name!r} must be a timestamp or a number to be a time, not {kind}. {remedy}")


def _margin_clock(times: Clock, field: pa.Field) -> Clock:
    """The clock of a column of margins, which must measure what the times measure."""
    if pa.types.is_duration(field.type):
        margins = Clock("instant" if times.kind == "number" else times.kind, timestamp_clock(field.type.unit, None).tick)
        if times.kind == "number":
            raise MixedUnits(f"{field.name!r} holds durations, but the times are plain numbers.")
        return margins
    _require_numbers(field.type, field.name)
    if times.kind != "number":
        raise MixedUnits(f"{field.name!r} holds plain numbers, but the times are timestamps. Cast it to a duration.")
    return Clock("number", exact=pa.types.is_integer(field.type))


def _element_type(schema: pa.Schema, name: str, where: str) -> pa.DataType:
    kind = field_of(schema, name, where).type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        raise WrongType(f"{name!r} must hold an array a row, not {kind}.")
    return kind.value_type


def _require_numbers(kind: pa.DataType, name: str) -> None:
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise WrongType(f"{name!r} must hold numbers, not {kind}.")


def _ticks(values: pa.Array, clock: Clock) -> tuple[NDArray[np.int64] | Floats, NDArray[np.bool_]]:
    """Non-null values as the clock's ticks (int64 where it is exact, else float64), and which do not fit."""
    kind = values.type
    if pa.types.is_floating(kind):
        numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
        return numbers, np.zeros(len(numbers), dtype=np.bool_)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        unit = timestamp_clock(kind.unit, None).tick
        ratio, values = unit // clock.tick, values.view(pa.int64())
    else:
        ratio = 1
    whole = values.to_numpy(zero_copy_only=False).astype(np.int64)
    limit = _LARGEST_TICK // ratio if clock.exact else _EXACT_INTEGER
    outside = (whole > limit) | (whole < -limit)
    ticks = np.where(outside, 0, whole) * ratio if ratio != 1 or outside.any() else whole
    return (ticks if clock.exact else ticks.astype(np.float64)), outside


def _read_ticks(table: pa.Table, name: str, clock: Clock, problems: Problems) -> NDArray[np.int64] | Floats:
    """A time column as ticks; a row that has none gets a reason and a zero."""
    column = table.column(name).combine_chunks()
    nulls = _nulls(column)
    problems.add(nulls, f"{name!r} is null")
    if nulls.any():
        column = column.fill_null(pa.scalar(0, pa.int64()).cast(column.type))
    ticks, outside = _ticks(column, clock)
    problems.add(outside, f"{name!r} is too large to be exact")
    if ticks.dtype == np.float64:
        infinite = ~np.isfinite(ticks)
        problems.add(infinite & np.isnan(ticks), f"{name!r} is NaN")
        problems.add(infinite, f"{name!r} is infinite")
        if infinite.any():
            ticks = np.where(infinite, 0.0, ticks)
    return ticks


def _read_margin(table: pa.Table, name: str, clock: Clock, problems: Problems) -> Floats:
    delta = _read_ticks(table, name, clock, problems).astype(np.float64)
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
    names = _plain(table.column(model.by)).combine_chunks()
    found = pc.index_in(names, pa.array(list(model.templates), pa.large_string()))
    problems.add(_nulls(names), f"{model.by!r} is null")
    problems.add(_nulls(found), f"{model.by!r} names no latency histogram")
    return found.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64), shapes


def _read_pieces(
    table: pa.Table, model: HistogramColumns | PmfColumns, clock: Clock, problems: Problems
) -> Times:
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
        problems.add(_rows_with(_nulls(values), rows, count), f"{name!r} holds a null")
    mass = pc.fill_null(masses, pa.scalar(0, masses.type)).to_numpy(zero_copy_only=False).astype(np.float64)
    filled = moments.fill_null(pa.scalar(0, pa.int64()).cast(moments.type)) if moments.null_count else moments
    ticks, outside = _ticks(filled, clock)
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
    anchor = np.zeros(count, dtype=ticks.dtype)
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
    return _times_of_pieces(anchor, Shapes(start, lo, hi, part), problems)


def _times_of_pieces(anchor: NDArray[np.int64] | Floats, shapes: Shapes, problems: Problems) -> Times:
    lo, hi = shape_supports(shapes)
    return Times(anchor, lo, hi, np.arange(len(anchor), dtype=np.int64), shapes, problems)


def _flat(table: pa.Table, name: str, problems: Problems) -> tuple[pa.Array, Ints, Ints]:
    """A list column as its values, where each row's values start, and the row of each value."""
    column = table.column(name).combine_chunks()
    nulls = _nulls(column)
    problems.add(nulls, f"{name!r} is null")
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


def _remedy(reason: str) -> str:
    """What to do about a reason."""
    for words, remedy in _REMEDIES:
        if words in reason:
            return remedy
    raise AssertionError(f"no remedy is written for the reason {reason!r}")


_REMEDIES = [
    ("is null", "Fill it in, or filter these rows out."),
    ("holds a null", "Fill it in, or filter these rows out."),
    ("is after", "Swap the two ends, or correct them."),
    ("NaN", "Filter these rows out, or give them a wide interval."),
    ("infinit", "Give the row a finite bound: an unbounded time has no uniform distribution."),
    ("negative mass", "Masses are probabilities: make them zero or more."),
    ("is negative", "A margin is a length: make it zero or more."),
    ("sum to 1", "Divide the row's masses by their sum."),
    ("not sorted", "Sort the edges, and the masses with them."),
    ("too large", "Subtract a common origin, or use timestamps."),
    ("names no latency", "Add the name to latency=, or filter these rows out."),
    ("not unique", "Give every event its own id, or leave unique_ids off."),
    ("is empty", "A distribution needs at least one bucket or point."),
    ("does not have", "A histogram of n buckets has n + 1 edges and n masses; a pmf has as many points as masses."),
]
