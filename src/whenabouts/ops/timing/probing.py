"""How a prepared join decides its pairs: which bounds cut the ranges, and how the edges are probed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from whenabouts.kernels.events import Shapes
from whenabouts.kernels.timing import probing as probes
from whenabouts.kernels.timing.bounds import Bounds, shaped_bounds, support_bounds, uniform_bounds
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.satisfaction import satisfaction_shift_rows
from whenabouts.ops.timing.prepare import Prepared

_NO_TABLE = probes.Table(np.empty((0, 0, 2)))


@dataclass
class Probing:
    """How a prepared join decides pairs: ranges from the bounds of some left rows, edges by a kind of probe."""

    bounds: Callable[[slice], Bounds]
    kind: int
    table: probes.Table


def choose_probing(prepared: Prepared, threads: int = 1) -> Probing:
    """The cheapest exact way for what the two sides are.

    Bounds of uniform events are a formula, worked out where the rows are swept; others are read off tables of
    shapes, made once.
    """
    join, left, right = prepared.join, prepared.left, prepared.right
    low, high, confidence, measure = join.low, join.high, join.min_confidence, join.measure
    if left.uniform and right.uniform:

        def formula(rows: slice) -> Bounds:
            return uniform_bounds(
                left.events.earliest[rows], left.events.latest[rows], left.group[rows], prepared.narrowest,
                prepared.widest, low, high, confidence, measure,
            )  # fmt: skip

        return Probing(formula, probes.UNIFORM, _NO_TABLE)
    shapes = (len(left.events.shapes.start) - 1, len(right.events.shapes.start) - 1)
    if shapes[0] * shapes[1] <= len(left.rows) + len(right.rows):
        table = shift_table(left.events.shapes, right.events.shapes, low, high, confidence, threads)
        bounds = partition_bounds(left.events, right.events, table, low, high, measure)
        return Probing(_some_of(bounds), probes.TABLE, table)
    if shapes[0] * 16 <= len(left.rows):
        bounds = shaped_bounds(left.events, right.events.shapes, low, high, confidence, measure)
    else:
        bounds = support_bounds(left.events, left.group, prepared.widest, low, high)
    return Probing(_some_of(bounds), probes.SHAPED, _NO_TABLE)


def _some_of(bounds: Bounds) -> Callable[[slice], Bounds]:
    return lambda rows: Bounds(*(column[rows] for column in bounds))


def shift_table(xs: Shapes, ys: Shapes, low: float, high: float, confidence: float, threads: int) -> probes.Table:
    """The table of satisfaction shifts of all pairs of shapes, its rows shared among threads."""
    cuts = np.linspace(0, len(xs.start) - 1, threads + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(lambda a, b: satisfaction_shift_rows(xs, ys, low, high, confidence, a, b), cuts[:-1], cuts[1:])
        least, most = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return probes.Table.of(least, most)
