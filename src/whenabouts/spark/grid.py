"""The grid that cuts keys and time into slices of about equal work, fine where the data is dense.

Time is cut into equal cells; a cell that holds too much is cut again, and again. A row's cell is then found with a
multiplication and an array look-up a level, and neighbouring cells are merged into slices. The slice of a moment never
falls as time grows, which is all that the ownership of pairs rests on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels.slicing import Cells

TARGET = 600_000.0
"""The most work of a slice, in rows; a pair counts as a twentieth of a row."""
_PAIR = 1 / 20
_WAVE = 4
"""Slices come in so many, of equal work, that one, two or four cores end together."""
SMALL = 50_000
"""Rows that are one slice, however they lie."""
_FEW_CELLS = 256
_MANY_CELLS = 8192
_CELLS_A_SLICE = 8
_FINER = 64
_DEPTH = 6
_POINTS = 4096
_MOST_SALTS = 64
_POINT = ("bucket", "moment", "weight")

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_NO_BUCKET: Ints = np.empty(0, dtype=np.int64)
_NO_MOMENT: Floats = np.empty(0)


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
    boundaries: list[tuple[int, float]] = field(default_factory=list)
    salts: Ints = field(default_factory=lambda: np.ones(1, dtype=np.int64))

    @property
    def slices(self) -> int:
        """How many slices there are; each but the first begins at a boundary, a bucket and a moment in it."""
        return len(self.boundaries) + 1

    @property
    def buckets(self) -> int:
        """Into how many buckets the equality keys are hashed."""
        return len(self.levels[0].start)

    @property
    def tasks(self) -> int:
        """How many tasks the slices make; more than slices where an instant is dealt out to several."""
        return int(self.salts.sum())

    @property
    def first_task(self) -> Ints:
        """The first task of each slice, and after the last slice the number of tasks."""
        return np.concatenate([[0], np.cumsum(self.salts)]).astype(np.int64)

    @property
    def cells(self) -> Cells:
        """The same tree in the arrays of a kernel."""
        starts, scales, entries = (
            [getattr(level, name) for level in self.levels] for name in ("start", "scale", "entries")
        )
        return Cells(
            start=np.concatenate(starts),
            scale=np.concatenate(scales),
            node=np.cumsum([0, *map(len, starts[:-1])]),
            entry=np.cumsum([0, *map(len, entries[:-1])]),
            cells=np.array([level.cells for level in self.levels]),
            entries=np.concatenate(entries),
        )


@dataclass(frozen=True)
class Sample:
    """What is known of one side before it is cut: moments that rows begin at, and how many rows each stands for."""

    buckets: int
    rows: int
    bucket: Ints
    moment: Floats
    weight: Floats

    @classmethod
    def of(cls, buckets: int, bucket: Ints = _NO_BUCKET, moment: Floats = _NO_MOMENT, rows: float = 0.0) -> Sample:
        """Some rows of so many, each of which stands for equally many."""
        return cls(buckets, round(rows), bucket, moment, np.full(len(moment), rows / max(len(moment), 1)))

    @classmethod
    def of_quantiles(cls, buckets: int, bucket: int, quantiles: Sequence[float] | None, rows: int) -> Sample:
        """The rows of a bucket; its quantiles are filled up to points that stand for equally many rows each."""
        if quantiles is None:
            return cls.of(buckets, rows=rows)
        knots = np.asarray(quantiles, dtype=np.float64)
        points = max(_POINTS // buckets, 64)
        levels = (np.arange(points) + 0.5) / points * (len(knots) - 1)
        return cls.of(buckets, np.full(points, bucket), np.interp(levels, np.arange(len(knots)), knots), rows)

    def quantiles(self, count: int) -> Floats:
        """The moments that so many equal parts of the rows lie between, and the first and the last."""
        order = np.argsort(self.moment)
        before = np.cumsum(self.weight[order]) - self.weight[order] / 2
        return np.interp(np.linspace(0.0, self.weight.sum(), count + 1), before, self.moment[order])

    def earlier(self, by: float) -> Sample:
        """The same rows, beginning so much earlier; of rows that begin before all time there is no moment to know."""
        if by == math.inf:
            return Sample.of(self.buckets, rows=self.rows)
        return replace(self, moment=self.moment - by)


def together(buckets: int, parts: Sequence[Sample]) -> Sample:
    """All that is known of a side, of which there are some parts."""
    parts = [Sample.of(buckets), *parts]
    bucket, moment, weight = (np.concatenate([getattr(part, name) for part in parts]) for name in _POINT)
    return Sample(buckets, sum(part.rows for part in parts), bucket, moment, weight)


def grid_of(left: Sample, right: Sample, band: float) -> Grid:
    """The grid for two sides: cells are cut until none costs more than a slice should, then merged."""
    total = left.rows + right.rows
    moments = np.concatenate([left.moment, right.moment])
    if total <= SMALL or not len(moments):
        return Grid([Level(np.zeros(1), np.zeros(1), 1, np.zeros(1, dtype=np.int64))])
    bucket = np.concatenate([left.bucket, right.bucket])
    cost = np.concatenate([left.weight * (1.0 + _PAIR * partners(left, right, band)), right.weight])
    target = _even(float(cost.sum()), _WAVE * TARGET) / _WAVE
    cells = min(max(int(_CELLS_A_SLICE * cost.sum() / target), _FEW_CELLS), _MANY_CELLS)
    levels = [_root(left.buckets, float(moments.min()), float(moments.max()), max(cells // left.buckets, 16))]
    costs: list[Floats] = []
    inside, at = np.arange(len(moments)), _locate(levels[0], bucket, moments)
    while True:
        level = levels[-1]
        costs.append(np.bincount(at, cost[inside], len(level.entries)).astype(np.float64))
        hot = np.flatnonzero(costs[-1] > target)
        hot = hot[_splittable(level, hot)]
        if not len(hot) or len(levels) == _DEPTH:
            return _cut(levels, costs, target)
        levels.append(_refine(level, hot))
        entry = level.entries[at]
        inside = inside[entry < 0]
        at = _locate(levels[-1], -1 - entry[entry < 0], moments[inside])


def partners(left: Sample, right: Sample, band: float) -> Floats:
    """How many right rows each left point is likely to meet: those that began within the band before it.

    A point stands for rows around it, evenly spread as far as its neighbours; points at one moment for rows at that.
    """
    result = np.zeros(len(left.moment))
    for bucket in np.unique(right.bucket):
        mine, other = left.bucket == bucket, right.bucket == bucket
        times, points = np.unique(right.moment[other], return_counts=True)
        weight = np.bincount(np.searchsorted(times, right.moment[other]), right.weight[other])
        begin, end = left.moment[mine] - band, left.moment[mine]
        spread = np.cumsum(weight) - weight / 2
        around = np.interp(end, times, spread) - np.interp(begin, times, spread)
        instants = np.concatenate([[0.0], np.cumsum(np.where(points > 1, weight, 0.0))])
        within = instants[np.searchsorted(times, end, "right")] - instants[np.searchsorted(times, begin)]
        result[mine] = np.maximum(around, within)
    return result


def _root(buckets: int, first: float, last: float, cells: int) -> Level:
    """The coarsest level: every bucket's whole time in equal cells."""
    width = (last - first) / cells
    scale = 1.0 / width if width > 0.0 and np.isfinite(1.0 / width) else 0.0
    return Level(np.full(buckets, first), np.full(buckets, scale), cells, np.zeros(buckets * cells, dtype=np.int64))


def _locate(level: Level, node: Ints, moment: Floats) -> Ints:
    """The positions of moments among the entries of a level: what `lookups` says in Columns."""
    cell = np.floor(np.clip((moment - level.start[node]) * level.scale[node], 0.0, level.cells - 1.0))
    return node * level.cells + cell.astype(np.int64)


def _refine(level: Level, hot: Ints) -> Level:
    """Cut the hot cells of a level again, and point its entries to them."""
    nodes = hot // level.cells
    width = 1.0 / level.scale[nodes]
    level.entries[hot] = -1 - np.arange(len(hot))
    start = level.start[nodes] + (hot % level.cells) * width
    return Level(start, _FINER * level.scale[nodes], _FINER, np.zeros(len(hot) * _FINER, dtype=np.int64))


def _splittable(level: Level, hot: Ints) -> NDArray[np.bool_]:
    """Which cells are wide enough, against the size of their times, to be cut again."""
    nodes = hot // level.cells
    scale = level.scale[nodes]
    return (scale > 0) & (1e-12 * np.abs(level.start[nodes]) * scale * _FINER < 1.0)


def _cut(levels: list[Level], costs: list[Floats], target: float) -> Grid:
    """Number the slices: walk each bucket in the order of time and close a slice when it costs enough.

    Enough is an even share of what was left when the slice began, so that the last one is no remnant.

    A slice that still costs far too much is one instant that no cut can split; its left rows are dealt out
    to several tasks (its salts), each of which sees all of its right rows.
    """
    held = [0.0]
    boundaries: list[tuple[int, float]] = []
    rest = sum(float(level_costs[level.entries >= 0].sum()) for level, level_costs in zip(levels, costs, strict=True))
    share = _even(rest, target)

    def walk(bucket: int, depth: int, node: int) -> None:
        nonlocal rest, share
        level = levels[depth]
        for cell in range(level.cells):
            position = node * level.cells + cell
            if level.entries[position] < 0:
                walk(bucket, depth + 1, int(-1 - level.entries[position]))
                continue
            cost = costs[depth][position]
            if held[-1] > 0 and held[-1] + cost / 2 > share:
                rest -= held[-1]
                share = _even(rest, target)
                held.append(0.0)
                begin = level.start[node] + cell / level.scale[node] if level.scale[node] > 0 else level.start[node]
                boundaries.append((bucket, float(begin) if depth or cell else -math.inf))
            level.entries[position] = len(held) - 1
            held[-1] += cost

    for bucket in range(len(levels[0].start)):
        walk(bucket, 0, bucket)
    loads = np.array(held)
    salts = np.where(loads > 4 * target, np.ceil(loads / target), 1).astype(np.int64)
    return Grid(levels, boundaries, np.minimum(salts, _MOST_SALTS))


def _even(work: float, most: float) -> float:
    """The work of a part, where all have as much, and at most so much or hardly more."""
    return work / max(math.ceil(work / most - 0.1), 1)
