"""Which slices of time a row touches, and the order in which its copies are sent to their tasks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints

OWNED, COUNTED = 1, 2
"""Marks of a copy: the row begins in its slice, and the task is the one that counts it."""
_NOT_NEGATIVE = (1 << 63) - 1


class Cells(NamedTuple):
    """A tree of cells: a node is a stretch of time in equal cells, and a level is nodes with equally many.

    Level k has the nodes from `node[k]` on, of `cells[k]` cells each, whose entries stand from `entry[k]` on. An entry
    is a slice, or `-1 - n` where the cell is cut again by node n of the next level.
    """

    start: Floats
    scale: Floats
    node: Ints
    entry: Ints
    cells: Ints
    entries: Ints


@jit
def slice_of(tree: Cells, root: int, time: float) -> int:
    """The slice of a moment. It never falls as time grows, and an infinite time has the first or the last."""
    level, node = 0, root
    while True:
        place = (time - tree.start[tree.node[level] + node]) * tree.scale[tree.node[level] + node]
        most = tree.cells[level] - 1
        cell = most if place >= most else (np.int64(place) if place > 0.0 else 0)
        entry = tree.entries[tree.entry[level] + node * (most + 1) + cell]
        if entry >= 0:
            return entry
        level, node = level + 1, -1 - entry


@jit
def touched(tree: Cells, bucket: Ints, first: Floats, last: Floats) -> tuple[Ints, Ints]:
    """The first and the last slice of each row; without buckets, all rows are in the one there is."""
    begins, ends = np.empty(len(first), dtype=np.int64), np.empty(len(first), dtype=np.int64)
    for row in range(len(first)):
        root = bucket[row] if len(bucket) else 0
        begins[row] = slice_of(tree, root, first[row])
        ends[row] = slice_of(tree, root, last[row])
    return begins, ends


@jit
def dealt(begins: Ints, ends: Ints, task: Ints, deal: Ints, to_all: bool) -> tuple[Ints, Ints, NDArray[np.uint8]]:
    """Copies of rows, task by task: where those of each task begin, their rows, and their marks.

    Slice s has the tasks from `task[s]` to `task[s + 1]`. A row goes to all, or to one by its number in `deal`.
    """
    starts = np.zeros(task[-1] + 1, dtype=np.int64)
    for row in range(len(begins)):
        for at in range(begins[row], ends[row] + 1):
            if to_all:
                for one in range(task[at], task[at + 1]):
                    starts[one + 1] += 1
            else:
                starts[_one_of(task, at, deal, row) + 1] += 1
    for one in range(task[-1]):
        starts[one + 1] += starts[one]
    place = starts.copy()
    rows, marks = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.uint8)
    for row in range(len(begins)):
        for at in range(begins[row], ends[row] + 1):
            owned = OWNED if at == begins[row] else 0
            if to_all:
                for one in range(task[at], task[at + 1]):
                    rows[place[one]] = row
                    marks[place[one]] = owned | COUNTED if owned and one == task[at] else owned
                    place[one] += 1
            else:
                one = _one_of(task, at, deal, row)
                rows[place[one]] = row
                marks[place[one]] = owned | COUNTED if owned else 0
                place[one] += 1
    return starts, rows, marks


@jit
def _one_of(task: Ints, at: int, deal: Ints, row: int) -> int:
    """The task of a slice that a row is dealt to."""
    count = task[at + 1] - task[at]
    return task[at] if count == 1 else task[at] + (deal[row] & _NOT_NEGATIVE) % count
