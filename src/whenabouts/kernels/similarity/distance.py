"""Distances between samples and between boxes of samples, eight at a time.

Everything is compared in a *measure* that grows with the distance: its square for the Euclidean one. Floating-point
subtraction, multiplication and addition never fall when an operand grows, so the least and the greatest measure of two
boxes bound the computed measure of every pair of samples inside, not only the true one: whether a pair counts does not
depend on which of the kernels looked at it.

The dimension, the kind of distance and whether samples have weights are lengths of tuples, which are part of a tuple's
type: so the compiler knows them, makes kernels for each combination, and unrolls the loops over coordinates. A kernel
that has to ask for them anew for every pair of leaves is several times slower.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats

EUCLIDEAN, MANHATTAN, CHEBYSHEV = 1, 2, 3
METRICS = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "chebyshev": CHEBYSHEV}
EQUAL, WEIGHTED = 1, 2
LEAF = 8
"""Samples that are kept and compared together: one vector register of doubles."""
TOUCHING = 1e-12
"""A distance that equals the threshold counts; by this share the rounding of decimals may have lengthened it."""


class Space(NamedTuple):
    """How many dimensions there are, which distance, and whether samples have weights: by the lengths of tuples."""

    dims: tuple[int, ...]
    metric: tuple[int, ...]
    weights: tuple[int, ...]


def space_of(dimension: int, metric: int, weighted: bool) -> Space:
    """The space of a dimension and a metric."""
    return Space((0,) * dimension, (0,) * metric, (0,) * (WEIGHTED if weighted else EQUAL))


def limit_of(metric: int, distance: float) -> float:
    """The measure up to which samples are close."""
    reach = distance * (1.0 + TOUCHING)
    return reach * reach if metric == EUCLIDEAN else reach


@jit
def count_close(space: Space, x: Floats, y: Floats, limit: float) -> int:
    """How many pairs of samples of two leaves are close; a slot without a sample holds NaN, and never is."""
    if len(space.metric) == EUCLIDEAN:
        return _count_euclidean(space, x, y, limit)
    if len(space.metric) == MANHATTAN:
        return _count_manhattan(space, x, y, limit)
    return _count_chebyshev(space, x, y, limit)


@jit
def _count_euclidean(space: Space, x: Floats, y: Floats, limit: float) -> int:
    count = 0
    for i in range(LEAF):
        for j in range(LEAF):
            total = 0.0
            for k in range(len(space.dims)):
                gap = y[k, j] - x[k, i]
                total += gap * gap
            count += total <= limit
    return count


@jit
def _count_manhattan(space: Space, x: Floats, y: Floats, limit: float) -> int:
    count = 0
    for i in range(LEAF):
        for j in range(LEAF):
            total = 0.0
            for k in range(len(space.dims)):
                total += abs(y[k, j] - x[k, i])
            count += total <= limit
    return count


@jit
def _count_chebyshev(space: Space, x: Floats, y: Floats, limit: float) -> int:
    count = 0
    for i in range(LEAF):
        for j in range(LEAF):
            near = True
            for k in range(len(space.dims)):
                near &= abs(y[k, j] - x[k, i]) <= limit
            count += near
    return count


@jit
def mass_close(space: Space, x: Floats, x_mass: Floats, y: Floats, y_mass: Floats, limit: float) -> float:
    """The mass of the pairs of samples of two leaves that are close."""
    mass = 0.0
    for i in range(LEAF):
        row = 0.0
        for j in range(LEAF):
            total = 0.0
            for k in range(len(space.dims)):
                total = added(space, total, abs(y[k, j] - x[k, i]))
            row += y_mass[j] if total <= limit else 0.0
        mass += x_mass[i] * row
    return mass


@jit
def added(space: Space, total: Any, gap: Any) -> Any:
    """The measure with the gap of one more coordinate."""
    if len(space.metric) == EUCLIDEAN:
        return total + gap * gap
    if len(space.metric) == MANHATTAN:
        return total + gap
    return gap if gap > total or gap != gap else total


@jit
def distance_between(space: Space, x: Floats, y: Floats) -> float:
    """The distance of two points."""
    total = 0.0
    for k in range(len(space.dims)):
        total = added(space, total, abs(y[k] - x[k]))
    return total**0.5 if len(space.metric) == EUCLIDEAN else total


@jit
def distance_to_box(space: Space, x: Floats, lo: Floats, hi: Floats) -> float:
    """The distance from a point to a box."""
    total = 0.0
    for k in range(len(space.dims)):
        total = added(space, total, max(lo[k] - x[k], x[k] - hi[k], 0.0))
    return total**0.5 if len(space.metric) == EUCLIDEAN else total
