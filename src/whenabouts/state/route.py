"""Routes: the groups that a row goes to. Rows that can make a result together must meet in one group, once.

Groups are few, about as many as there are workers, and each holds many keys or many slices of time: the price of a
turn is paid by the group, and within it the kernels work on whole columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats, Ints

BUCKET = "__bucket"
"""A column that the engine adds where there are equality keys: their hash."""


class Copies(NamedTuple):
    """Where rows go: for every copy its row, its group, whether the group owns the row, and its slice of time."""

    row: Ints
    group: Ints
    owned: NDArray[np.bool_]
    slice: Ints


class Route(Protocol):
    """A way to spread rows over groups."""

    def copies(self, rows: pa.Table, at: Ints, earliest: Floats, latest: Floats) -> Copies:
        """The copies of the rows at the given positions, whose ends are given in the same order."""


@dataclass(frozen=True)
class OneGroup:
    """All rows meet all."""

    def copies(self, rows: pa.Table, at: Ints, earliest: Floats, latest: Floats) -> Copies:
        """Every row once."""
        zero = np.zeros(len(at), dtype=np.int64)
        return Copies(at, zero, np.ones(len(at), dtype=np.bool_), zero)


@dataclass(frozen=True)
class ByKeys:
    """Rows with equal keys meet: the group is the keys' hash, which stands in the column `BUCKET`."""

    groups: int

    def copies(self, rows: pa.Table, at: Ints, earliest: Floats, latest: Floats) -> Copies:
        """Every row once."""
        bucket = rows.column(BUCKET).to_numpy()[at] % self.groups
        return Copies(at, bucket, np.ones(len(at), dtype=np.bool_), np.zeros(len(at), dtype=np.int64))


@dataclass(frozen=True)
class BySlices:
    """Rows that are close in time meet: time is cut into slices, and slice k belongs to group k modulo `groups`.

    A row is copied to all slices from `earliest + before` to `latest + after`. Where one input of two is not spread
    (its copies are the slice of its latest time alone), a pair meets in that slice and nowhere else.
    """

    groups: int
    length: float
    before: float
    after: float
    by_latest: bool = False

    def copies(self, rows: pa.Table, at: Ints, earliest: Floats, latest: Floats) -> Copies:
        """Every row once a slice; the first of them owns it."""
        slack = 1e-14 * (np.abs(earliest) + np.abs(latest))
        start = latest if self.by_latest else earliest + self.before - slack
        stop = latest if self.by_latest else latest + self.after + slack
        first = np.floor(start / self.length).astype(np.int64)
        count = np.floor(stop / self.length).astype(np.int64) - first + 1
        each = np.repeat(np.arange(len(at)), count)
        step = np.arange(len(each)) - np.repeat(np.cumsum(count) - count, count)
        number = first[each] + step
        return Copies(at[each], number % self.groups, step == 0, number)
