"""The grid that cuts keys and time into slices of about equal work, fine where the data is dense.

Time is cut into equal cells; a cell that holds too much is cut again, and again. A row's cell is then found
with a multiplication and an array look-up a level, as Column expressions, and neighbouring cells are merged
into slices. `slice_of` never falls as time grows, which is all that the ownership of pairs rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column
from pyspark.sql import functions as F

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass
class Level:
    """Nodes of one depth, each a stretch of time in `cells` equal cells.

    An entry of a cell is the number of its slice, or `-1 - node` where a node of the next level cuts it.
    """

    start: Floats
    scale: Floats
    cells: int
    entries: Ints


@dataclass
class Grid:
    """A tree of levels; the nodes of the first are the buckets of the equality keys."""

    levels: list[Level]
    slices: int = 1
    salts: Ints = field(default_factory=lambda: np.ones(1, dtype=np.int64))

    @property
    def buckets(self) -> int:
        """Into how many buckets the equality keys are hashed."""
        return len(self.levels[0].start)

    @property
    def tasks(self) -> int:
        """How many tasks the slices make; more than slices where an instant is dealt out to several."""
        return int(self.salts.sum())

    def slice_of(self, bucket: Column, time: Column) -> Column:
        """The slice of a moment; it follows every refinement that the grid has."""
        return _look_up(self.levels, 0, bucket, time)

    def cell_of(self, bucket: Column, time: Column) -> Column:
        """The position of a moment among the entries of the deepest level; null where it ends above."""
        node, position = bucket, bucket
        for depth, level in enumerate(self.levels):
            position = _position(level, node, time)
            if depth + 1 < len(self.levels):
                entry = constant_array(level.entries, position)
                node = F.when(entry < 0, -1 - entry)
        return position


def _position(level: Level, node: Column, time: Column) -> Column:
    if len(set(level.start)) == 1 and len(set(level.scale)) == 1:
        start, scale = F.lit(float(level.start[0])), F.lit(float(level.scale[0]))
    else:
        start, scale = constant_array(level.start, node), constant_array(level.scale, node)
    cell = F.floor(F.greatest(F.lit(0.0), F.least(F.lit(level.cells - 1.0), (time - start) * scale)))
    return node.cast("int") * level.cells + cell.cast("int")


def _look_up(levels: list[Level], depth: int, node: Column, time: Column) -> Column:
    entry = constant_array(levels[depth].entries, _position(levels[depth], node, time))
    if depth + 1 == len(levels):
        return entry
    return F.when(entry < 0, _look_up(levels, depth + 1, -1 - entry, time)).otherwise(entry)


def constant_array(values: Sequence[float] | Ints | Floats, position: Column) -> Column:
    """An element of a constant array. One text constant is folded once, where a thousand literals are slow."""
    numbers = np.asarray(values)
    if len(numbers) == 1:
        return F.lit(numbers[0].item())
    kind = "int" if np.issubdtype(numbers.dtype, np.integer) else "double"
    text = ",".join(repr(value) for value in numbers.tolist())
    return F.get(F.split(F.lit(text), ",").cast(f"array<{kind}>"), position.cast("int"))


def root_level(buckets: int, first: float, last: float, cells: int) -> Level:
    """The coarsest level: every bucket's whole time in equal cells."""
    width = (last - first) / cells
    scale = 1.0 / width if width > 0.0 and np.isfinite(1.0 / width) else 0.0
    return Level(
        np.full(buckets, first), np.full(buckets, scale), cells, np.zeros(buckets * cells, dtype=np.int64)
    )


def refine(level: Level, hot: Ints, cells: int) -> Level:
    """Cut the hot cells of a level again, and point its entries to them."""
    nodes = hot // level.cells
    scale = level.scale[nodes]
    width = np.divide(1.0, scale, out=np.zeros(len(scale)), where=scale > 0)
    start = level.start[nodes] + (hot % level.cells) * width
    finer = np.where(width > 0, cells * scale, 0.0)
    level.entries[hot] = -1 - np.arange(len(hot))
    return Level(start, finer, cells, np.zeros(len(hot) * cells, dtype=np.int64))


def splittable(level: Level, cell: Ints) -> NDArray[np.bool_]:
    """Which cells are wide enough, against the size of their times, to be cut again."""
    nodes = cell // level.cells
    scale = level.scale[nodes]
    return (scale > 0) & (1.0 / np.maximum(scale, 1e-300) > 1e-12 * np.abs(level.start[nodes]))


def cut(levels: list[Level], costs: list[Floats], rows: list[Floats], target: float) -> Grid:
    """Number the slices: walk each bucket in the order of time and close a slice when it costs enough.

    A slice that still holds far too many rows is one instant that no cut can split; its left rows are dealt
    out to several tasks (its salts), each of which sees all of its right rows.
    """
    held: list[float] = []

    def walk(depth: int, node: int, spent: float) -> float:
        level = levels[depth]
        for position in range(node * level.cells, (node + 1) * level.cells):
            if level.entries[position] < 0:
                spent = walk(depth + 1, int(-1 - level.entries[position]), spent)
                continue
            cost = costs[depth][position]
            if spent > 0 and spent + cost > target:
                held.append(0.0)
                spent = 0.0
            level.entries[position] = len(held) - 1
            held[-1] += rows[depth][position]
            spent += cost
        return spent

    for bucket in range(len(levels[0].start)):
        held.append(0.0)
        walk(0, bucket, 0.0)
    loads = np.array(held)
    salts = np.where(loads > 4 * target, np.ceil(loads / target), 1).astype(np.int64)
    return Grid(levels, len(loads), np.minimum(salts, 64))
