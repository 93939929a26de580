"""Distances between samples and between boxes of samples.

Everything is compared in a *measure* that grows with the distance: its square for the Euclidean one. Floating-point
subtraction, multiplication and addition never fall when an operand grows, so the least and the greatest measure of two
boxes bound the computed measure of every pair of samples inside, not only the true one: whether a pair counts does not
depend on which of the kernels looked at it.

A cloud's samples stand coordinate by coordinate, so that eight of them are compared at once. Nearly
all the time goes into `_count_close`, which the compiler makes for a few dimensions, with the loop over coordinates
unrolled; all other kernels are made once, for every dimension and metric.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats

EUCLIDEAN, MANHATTAN, CHEBYSHEV = 1, 2, 3
METRICS = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "chebyshev": CHEBYSHEV}
LEAF = 8
"""Samples that share a box; a cloud is filled up to a multiple of it with NaN, which is never close."""
BLOCK = 4
"""Samples of one cloud that are compared together with each of the other's; a leaf has a whole number of them."""
TOUCHING = 1e-12
"""A distance that equals the threshold counts; by this share the rounding of decimals may have lengthened it."""


class Space(NamedTuple):
    """How many dimensions there are, which distance, and whether samples have weights."""

    dimension: int
    metric: int
    weighted: bool


def limit_of(metric: int, distance: float) -> float:
    """The measure up to which samples are close."""
    reach = distance * (1.0 + TOUCHING)
    return reach * reach if metric == EUCLIDEAN else reach


@jit
def mass_close(
    space: Space,
    x: Floats,
    x_mass: Floats,
    x_begin: int,
    x_end: int,
    y: Floats,
    y_mass: Floats,
    y_begin: int,
    y_end: int,
    limit: float,
) -> float:
    """The mass of the pairs of some samples of a cloud with some of another that are close.

    A cloud is a row of numbers for each coordinate. Equally likely samples have mass 1, so that the sum is a count.
    """
    if space.metric == EUCLIDEAN and not space.weighted:
        # The length of a tuple is part of its type: the compiler knows it.
        if space.dimension == 2:
            return float(_count_close((0, 0), x, x_begin, x_end, y, y_begin, y_end, limit))
        if space.dimension == 3:
            return float(_count_close((0, 0, 0), x, x_begin, x_end, y, y_begin, y_end, limit))
        if space.dimension == 4:
            return float(_count_close((0, 0, 0, 0), x, x_begin, x_end, y, y_begin, y_end, limit))
        if space.dimension == 5:
            return float(_count_close((0, 0, 0, 0, 0), x, x_begin, x_end, y, y_begin, y_end, limit))
    return _sum_close(space, x, x_mass, x_begin, x_end, y, y_mass, y_begin, y_end, limit)


@jit
def _count_close(
    dimensions: tuple[int, ...],
    x: Floats,
    x_begin: int,
    x_end: int,
    y: Floats,
    y_begin: int,
    y_end: int,
    limit: float,
) -> int:
    """How many pairs are close, in a Euclidean space of as many dimensions as the tuple is long."""
    count = 0
    for i in range(x_begin, x_end, BLOCK):
        # Without a sign no index counts from the end, which the compiler must know to use vectors.
        for j in range(np.uint64(y_begin), np.uint64(y_end)):
            first = 0.0
            second = 0.0
            third = 0.0
            fourth = 0.0
            for k in range(len(dimensions)):
                at = y[k, j]
                gap = at - x[k, i]
                first += gap * gap
                gap = at - x[k, i + 1]
                second += gap * gap
                gap = at - x[k, i + 2]
                third += gap * gap
                gap = at - x[k, i + 3]
                fourth += gap * gap
            count += first <= limit
            count += second <= limit
            count += third <= limit
            count += fourth <= limit
    return count


@jit
def _sum_close(
    space: Space,
    x: Floats,
    x_mass: Floats,
    x_begin: int,
    x_end: int,
    y: Floats,
    y_mass: Floats,
    y_begin: int,
    y_end: int,
    limit: float,
) -> float:
    """The mass of close pairs in any space: for each y that of the x that are close to it, then over all y."""
    count = y_end - y_begin
    measure = np.empty(count)
    close = np.zeros(count)
    for i in range(x_begin, x_end):
        if x_mass[i] == 0.0:
            continue
        measure[:] = 0.0
        for k in range(space.dimension):
            at = x[k, i]
            row = y[k, y_begin:y_end]
            if space.metric == EUCLIDEAN:
                for j in range(count):
                    measure[j] += (row[j] - at) * (row[j] - at)
            elif space.metric == MANHATTAN:
                for j in range(count):
                    measure[j] += abs(row[j] - at)
            else:
                for j in range(count):
                    measure[j] = max(measure[j], abs(row[j] - at))
        for j in range(count):
            close[j] += x_mass[i] if measure[j] <= limit else 0.0
    mass = 0.0
    for j in range(count):
        mass += y_mass[y_begin + j] * close[j]
    return mass


@jit
def added(space: Space, total: Any, gap: Any) -> Any:
    """The measure with the gap of one more coordinate."""
    if space.metric == EUCLIDEAN:
        return total + gap * gap
    if space.metric == MANHATTAN:
        return total + gap
    return max(total, gap)


@jit
def distance_between(space: Space, x: Floats, y: Floats) -> float:
    """The distance of two points."""
    total = 0.0
    for k in range(space.dimension):
        total = added(space, total, abs(y[k] - x[k]))
    return total**0.5 if space.metric == EUCLIDEAN else total


@jit
def distance_to_box(space: Space, x: Floats, lo: Floats, hi: Floats) -> float:
    """The distance from a point to a box."""
    total = 0.0
    for k in range(space.dimension):
        total = added(space, total, max(lo[k] - x[k], x[k] - hi[k], 0.0))
    return total**0.5 if space.metric == EUCLIDEAN else total
