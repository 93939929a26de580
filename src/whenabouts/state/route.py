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
    (its copies are the slice of its latest time alone), a pair meets in that slice and nowhere else. The other then
    has to be in a group but once (`once_a_group`), and no one needs to look at slices: rows of a group meet all.
    """

    groups: int
    length: float
    before: float
    after: float
    by_latest: bool = False
    once_a_group: bool = False

    def copies(self, rows: pa.Table, at: Ints, earliest: Floats, latest: Floats) -> Copies:
        """Every row once a slice; the first of them owns it. Few rows are near the end of a slice and have more."""
        if self.by_latest:
            number = self._slice(latest)
            return Copies(at, number % self.groups, np.ones(len(at), dtype=np.bool_), number)
        slack = 1e-14 * (np.abs(earliest) + np.abs(latest))
        first = self._slice(earliest + self.before - slack)
        more = self._slice(latest + self.after + slack) - first
        if self.once_a_group:
            more = np.minimum(more, self.groups - 1)
        spread = np.flatnonzero(more)
        count = more[spread]
        each = np.repeat(spread, count)
        step = np.arange(len(each)) - np.repeat(np.cumsum(count) - count, count) + 1
        number = np.concatenate([first, first[each] + step])
        owned = np.arange(len(number)) < len(at)
        return Copies(np.concatenate([at, at[each]]), number % self.groups, owned, number)

    def _slice(self, moment: Floats) -> Ints:
        return np.floor(moment / self.length).astype(np.int64)
