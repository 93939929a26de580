"""Cutting: what a task does with the rows that it reads before they are sent to their slices.

The times are read here as they are in this process, exactly and with a reason for every row that has none, and rows are
cut column by column. Rows that break the contract go to the door, which is in the first task.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.slicing import dealt, touched
from whenabouts.ops.timing.question import TimingJoin
from whenabouts.schema import Times, check_ids, read_times, to_events
from whenabouts.schema.arrow import in_one
from whenabouts.spark.grid import Grid
from whenabouts.spark.packets import chunks, packed
from whenabouts.spark.slices import BUCKET, DEAL, OCCURS
from whenabouts.spark.workers import begin_task

DOOR = 2
"""Kinds of packets: rows of the left side, of the right, and from here on those of them that broke the contract."""
MARKS = "marks"
_COPIES = 2
"""So many copies for each row of a chunk are made at once: a chunk is bounded in bytes, and so are they."""


@dataclass(frozen=True)
class CutTask:
    """Cuts the rows of one side into packets for the tasks of all slices that they touch."""

    join: TimingJoin
    number: int
    grid: Grid
    names: list[str]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The packets of a partition."""
        begin_task()
        tree, task = self.grid.cells, self.grid.first_task
        for chunk in chunks(batches):
            rows, told = self._apart(chunk)
            times = self._read(rows, told)
            at: Ints | slice = slice(None)
            if not times.problems.none:
                bad = rows.filter(pa.array(~times.problems.good))
                yield packed(bad, [0, len(bad)], DOOR + self.number)
                at = np.flatnonzero(times.problems.good)
                rows, told = rows.take(pa.array(at)), told.take(pa.array(at))
            begins, ends = touched(tree, _numbers(told, BUCKET), *self._ends(times, at))
            deal = _numbers(told, DEAL)
            for part in _parts(task[ends + 1] - task[begins]):
                starts, copies, marks = dealt(begins[part], ends[part], task, deal[part], self.number == 1)
                sent = rows.take(pa.array(copies + part.start))
                yield packed(sent.append_column(MARKS, pa.array(marks)), starts, self.number)

    def _apart(self, chunk: pa.Table) -> tuple[pa.Table, pa.Table]:
        """The rows, their columns numbered, and what Spark tells of them: names of either may be anything."""
        read = len(self.names)
        rows = chunk.select(range(read)).rename_columns([f"c{place}" for place in range(read)])
        return rows, chunk.select(range(read, chunk.num_columns))

    def _read(self, rows: pa.Table, told: pa.Table) -> Times:
        """When the rows were, and what is wrong with them."""
        contract = (self.join.left, self.join.right)[self.number].contract
        table = rows.rename_columns(self.names)
        times = read_times(table, contract.time, self.join.clock)
        check_ids(table, replace(contract, unique_ids=False), times.problems)
        if contract.unique_ids:
            times.problems.add(_numbers(told, OCCURS) > 1, f"{contract.id!r} is not unique")
        return times

    def _ends(self, times: Times, at: Ints | slice) -> tuple[Floats, Floats]:
        """Between which moments of left time a row, or its partners, can lie.

        Partners X of a right row Y have low <= Y - X <= high; this is wider than rounding can shift it.
        """
        first, last, *_ = to_events(times, at, 0)
        if self.number == 0:
            return first, last
        low, high = self.join.low, self.join.high
        slack = (np.abs(first) + np.abs(last) + sum(abs(x) for x in (low, high) if math.isfinite(x))) * 1e-14
        return first - high - slack, last - low + slack


def _numbers(told: pa.Table, name: str) -> Ints:
    """A column of whole numbers, or none where there is no such column."""
    if name not in told.column_names:
        return np.empty(0, dtype=np.int64)
    return in_one(told.column(name)).to_numpy().astype(np.int64, copy=False)


def _parts(copies: Ints) -> Iterator[slice]:
    """Stretches of rows that have at most so many copies together, and those of one row more."""
    before = np.cumsum(copies) - copies
    cuts = [0, *(np.flatnonzero(np.diff(before // max(_COPIES * len(copies), 1))) + 1).tolist(), len(copies)]
    yield from (slice(begin, end) for begin, end in pairwise(cuts))
