"""Reading clouds of samples: an array of points a row, into flat arrays, with a reason for every row that has none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.errors import WrongType
from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.histogram import MASS_TOLERANCE
from whenabouts.schema.arrow import nulls
from whenabouts.schema.contract import Problems, field_of

_EVEN = 1e-12
"""Weights that are equal up to this are equal: counts are then exact."""


@dataclass
class Samples:
    """The clouds of some rows: row i has `start[i]:start[i + 1]` of `at`; a bad row has none."""

    start: Ints
    at: Floats
    weights: Floats | None


def is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def check_cloud_types(schema: pa.Schema, samples: str, weights: str | None, where: str) -> None:
    """Raise where the columns cannot hold clouds: arrays of points, points being arrays of numbers or numbers."""
    kind = field_of(schema, samples, where).type
    inner = kind.value_type if is_list(kind) else None
    if inner is None:
        raise WrongType(
            f"{samples!r} must hold an array of points a row, not {kind}. For one row a sample name the columns of "
            'its coordinates: samples=["x", "y"].'
        )
    number = inner.value_type if is_list(inner) else inner
    if not (pa.types.is_integer(number) or pa.types.is_floating(number)):
        raise WrongType(f"{samples!r} must hold points of numbers, not {kind}.")
    if weights is not None:
        kind = field_of(schema, weights, where).type
        if not is_list(kind) or not (pa.types.is_integer(kind.value_type) or pa.types.is_floating(kind.value_type)):
            raise WrongType(f"{weights!r} must hold an array of numbers a row, one for each sample, not {kind}.")


def read_clouds(
    table: pa.Table, samples: str, weights: str | None, dimension: int | None, problems: Problems
) -> tuple[Samples, int]:
    """The clouds of a table, and their dimension: the given one, else that of most rows."""
    column = table.column(samples).combine_chunks()
    problems.add(nulls(column), f"{samples!r} is null")
    size = _lengths(column)
    problems.add(size == 0, f"{samples!r} is empty")
    points = column.flatten()
    rows = _Rows(size)
    problems.add(rows.having(nulls(points)), f"{samples!r} holds a null")
    if is_list(points.type):
        sizes, values = _lengths(points), points.flatten()
    else:
        sizes, values = np.where(nulls(points), 0, 1), points.drop_null()
    numbers = _numbers(values)
    coordinates = _Rows(rows.sums(sizes))
    problems.add(coordinates.having(nulls(values)), f"{samples!r} holds a null")
    dimension = _check_dimension(sizes, rows, dimension, samples, problems)
    problems.add(coordinates.having(~np.isfinite(numbers)), f"{samples!r} holds NaN or infinity")
    masses = None if weights is None else _read_weights(table, weights, size, samples, problems)
    if not problems.good.all():
        numbers = numbers[np.repeat(problems.good, coordinates.size)]
        masses = None if masses is None else masses[np.repeat(problems.good, size)]
        size = np.where(problems.good, size, 0)
    return _weighed(numbers.reshape(-1, dimension), size, masses), dimension


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
    column = table.column(name).combine_chunks()
    count = len(table)
    problems.add(nulls(column), f"{name!r} is null")
    lengths = _lengths(column)
    problems.add(lengths != size, f"{name!r} does not have one weight for each sample of {samples!r}")
    rows = _Rows(lengths)
    row = np.repeat(np.arange(count), lengths)
    values = column.flatten()
    problems.add(rows.having(nulls(values)), f"{name!r} holds a null")
    mass = _numbers(values)
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
