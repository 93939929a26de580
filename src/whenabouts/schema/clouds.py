"""Reading clouds of samples into flat arrays, whatever their layout, with a reason for every row that has none.

A row has an array of points; or one array of all coordinates, point after point; or the bytes of such an array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.errors import BadArgument, WrongType
from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.histogram import MASS_TOLERANCE
from whenabouts.schema.arrow import in_one, nulls
from whenabouts.schema.contract import Problems, field_of

_EVEN = 1e-12
"""Weights that are equal up to this are equal: counts are then exact."""
_BYTES = 8
"""Of a number, where they are packed."""


@dataclass
class Samples:
    """The clouds of some rows: row i has `start[i]:start[i + 1]` of `at`; a bad row has none."""

    start: Ints
    at: Floats
    weights: Floats | None


def is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _is_bytes(kind: pa.DataType) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def check_cloud_types(
    schema: pa.Schema, samples: str, weights: str | None, dimension: int | None, where: str
) -> None:  # fmt: skip
    """Raise where the columns cannot hold clouds: arrays of points, or all coordinates in one array, or as bytes."""
    kind = field_of(schema, samples, where).type
    if _is_bytes(kind) and dimension is None:
        raise BadArgument(
            f"{samples!r} holds bytes, which do not tell where a point ends: say how many coordinates one has, such as "
            "dimensions=2. They are read as little-endian float64, point after point, as NumPy's tobytes() gives them."
        )
    if not _is_bytes(kind) and not is_list(kind):
        raise WrongType(
            f"{samples!r} must hold an array of points a row, not {kind}. For one row a sample name the columns of "
            'its coordinates: samples=["x", "y"].'
        )
    inner = kind.value_type if is_list(kind) else None
    number = inner.value_type if inner is not None and is_list(inner) else inner
    if number is not None and not _is_number(number):
        raise WrongType(f"{samples!r} must hold points of numbers, not {kind}.")
    if weights is not None:
        kind = field_of(schema, weights, where).type
        if not _is_bytes(kind) and not (is_list(kind) and _is_number(kind.value_type)):
            raise WrongType(f"{weights!r} must hold an array of numbers a row, one for each sample, not {kind}.")


def read_clouds(
    table: pa.Table, samples: str, weights: str | None, dimension: int | None, problems: Problems
) -> tuple[Samples, int]:
    """The clouds of a table, and their dimension: the given one, else that of most rows.

    However samples are laid out, they are all coordinates one after the other, and so many of them in each row.
    """
    column = table.column(samples)
    read = _points if is_list(column.type) and is_list(column.type.value_type) else _coordinates
    numbers, size, dimension = read(column, samples, dimension, problems)
    problems.add(_Rows(size).having(~np.isfinite(numbers)), f"{samples!r} holds NaN or infinity")
    count = size // dimension
    masses = None if weights is None else _read_weights(table, weights, count, samples, problems)
    if not problems.good.all():
        numbers = numbers[np.repeat(problems.good, size)]
        masses = None if masses is None else masses[np.repeat(problems.good, count)]
        count = np.where(problems.good, count, 0)
    return _weighed(numbers.reshape(-1, dimension), count, masses), dimension


def _points(
    chunks: pa.ChunkedArray, name: str, dimension: int | None, problems: Problems
) -> tuple[Floats, Ints, int]:  # fmt: skip
    """The coordinates of samples that are arrays of points, and how many each row has."""
    column = in_one(chunks)
    problems.add(nulls(column), f"{name!r} is null")
    rows = _Rows(_lengths(column))
    problems.add(rows.size == 0, f"{name!r} is empty")
    points = column.flatten()
    if pa.types.is_fixed_size_list(points.type) and not points.null_count and points.type.list_size == dimension:
        values, size = points.flatten(), rows.size * points.type.list_size
        problems.add(_Rows(size).having(nulls(values)), f"{name!r} holds a null")
        return _numbers(values), size, points.type.list_size
    problems.add(rows.having(nulls(points)), f"{name!r} holds a null")
    sizes, values = _lengths(points), points.flatten()
    size = rows.sums(sizes)
    problems.add(_Rows(size).having(nulls(values)), f"{name!r} holds a null")
    return _numbers(values), size, _check_dimension(sizes, rows, dimension, name, problems)


def _coordinates(
    chunks: pa.ChunkedArray, name: str, dimension: int | None, problems: Problems
) -> tuple[Floats, Ints, int]:  # fmt: skip
    """The same where a row is one array, point after point; of points on a line where no dimension is given."""
    numbers, size = _arrays(chunks, name, problems)
    dimension = dimension or 1
    problems.add(size == 0, f"{name!r} is empty")
    problems.add(size % dimension > 0, f"{name!r} does not hold whole points of {dimension} coordinates")
    return numbers, size, dimension


def _arrays(chunks: pa.ChunkedArray, name: str, problems: Problems) -> tuple[Floats, Ints]:
    """The numbers of all rows, and how many each has: rows are arrays of numbers, or the bytes of such."""
    if _is_bytes(chunks.type):
        return _unpacked(in_one(chunks.cast(pa.large_binary())), name, problems)
    column = in_one(chunks)
    problems.add(nulls(column), f"{name!r} is null")
    values, size = column.flatten(), _lengths(column)
    problems.add(_Rows(size).having(nulls(values)), f"{name!r} holds a null")
    return _numbers(values), size


def _unpacked(column: pa.LargeBinaryArray, name: str, problems: Problems) -> tuple[Floats, Ints]:
    """The numbers of packed rows, which are not copied; a row that is null or not whole has none."""
    problems.add(nulls(column), f"{name!r} is null")
    size = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
    broken = size % _BYTES > 0
    problems.add(broken, f"{name!r} does not hold whole numbers of {_BYTES} bytes")
    if column.null_count or broken.any():
        column = column.filter(pa.array(~broken & ~nulls(column)))
        size = np.where(broken, 0, size)
    _, ends, data = column.buffers()
    if data is None:
        return np.empty(0), size
    begin = int(np.frombuffer(ends, np.int64, 1, _BYTES * column.offset)[0])
    numbers = np.frombuffer(data, "<f8", int(size.sum()) // _BYTES, begin)
    return np.require(numbers, np.float64, "A"), size // _BYTES


def first_ends(samples: Samples) -> tuple[Floats, Floats]:
    """The least and the greatest first coordinate of each row; NaN where a row has no samples."""
    some = np.diff(samples.start) > 0
    least, most = np.full(len(some), np.nan), np.full(len(some), np.nan)
    if some.any():
        first, begins = np.ascontiguousarray(samples.at[:, 0]), samples.start[:-1][some]
        least[some], most[some] = np.minimum.reduceat(first, begins), np.maximum.reduceat(first, begins)
    return least, most


class _Rows:
    """Elements that stand row after row, so many in each."""

    def __init__(self, size: Ints) -> None:
        self.size = size
        self.ends = np.cumsum(size)

    def having(self, bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The rows that have a bad element."""
        result = np.zeros(len(self.size), dtype=np.bool_)
        result[np.searchsorted(self.ends, np.flatnonzero(bad), side="right")] = True
        return result

    def sums(self, values: Ints) -> Ints:
        """The sum over the elements of each row."""
        running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
        return running[self.ends] - running[self.ends - self.size]


def _check_dimension(sizes: Ints, rows: _Rows, dimension: int | None, name: str, problems: Problems) -> int:
    first = np.zeros(len(rows.size), dtype=np.int64)
    some = rows.size > 0
    first[some] = sizes[(rows.ends - rows.size)[some]]
    problems.add(rows.having(sizes != np.repeat(first, rows.size)), f"{name!r} holds points of different dimensions")
    problems.add((first == 0) & some, f"{name!r} holds a point without coordinates")
    if dimension is None:
        usual = np.bincount(first[problems.good]) if problems.good.any() else np.zeros(2, dtype=np.int64)
        dimension = max(int(np.argmax(usual)), 1)
    problems.add(first != dimension, f"{name!r} does not have {dimension} dimensions like the others")
    return dimension


def _read_weights(table: pa.Table, name: str, size: Ints, samples: str, problems: Problems) -> Floats:
    """The masses of all samples, in the order of their rows; each row's scaled to sum to one."""
    count = len(table)
    mass, lengths = _arrays(table.column(name), name, problems)
    problems.add(lengths != size, f"{name!r} does not have one weight for each sample of {samples!r}")
    rows = _Rows(lengths)
    row = np.repeat(np.arange(count), lengths)
    problems.add(rows.having(~np.isfinite(mass)), f"{name!r} holds NaN or infinity")
    problems.add(rows.having(mass < 0), f"{name!r} holds a negative mass")
    total = np.bincount(row, np.where(np.isfinite(mass), mass, 0.0), count)
    problems.add(np.abs(total - 1.0) > MASS_TOLERANCE, f"{name!r} does not sum to 1")
    fits = lengths == size
    result = np.zeros(int(size.sum()))
    result[np.repeat(fits, size)] = mass[fits[row]] / np.where(total > 0, total, 1.0)[row[fits[row]]]
    return result


def _weighed(at: Floats, size: Ints, mass: Floats | None) -> Samples:
    """The samples of good rows; those without mass are left out, and weights that are all equal, too."""
    if mass is None:
        return Samples(_starts(size), at, None)
    row = np.repeat(np.arange(len(size)), size)[mass > 0]
    at, mass = at[mass > 0], mass[mass > 0]
    size = np.bincount(row, minlength=len(size))
    even = bool(np.all(np.abs(mass * size[row] - 1.0) <= _EVEN))
    return Samples(_starts(size), at, None if even else mass)


def _starts(counts: Ints) -> Ints:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]).astype(np.int64)


def _lengths(column: pa.Array) -> Ints:
    return pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)


def _numbers(values: pa.Array) -> Floats:
    if values.null_count:
        values = values.fill_null(pa.scalar(0, values.type))
    return values.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
