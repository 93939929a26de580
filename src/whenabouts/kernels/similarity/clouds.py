"""The arrays by which the kernels know clouds of samples, and how they are made.

Samples arrive as flat arrays: object i has the rows `start[i]:start[i + 1]`. Within a cloud they are put into an
order in which neighbours stand together, and cut into leaves of eight with a box each; so most of the pairs of two
clouds can be settled eight times eight at a time, by their boxes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.distance import EUCLIDEAN, LEAF, MANHATTAN, Space, added
from whenabouts.kernels.similarity.order import halving_order


class Clouds(NamedTuple):
    """Clouds in leaves; object i has the leaves `first[i]:first[i + 1]`.

    `at[leaf, k, slot]` are coordinates, NaN in a slot without a sample; `mass[leaf, slot]` their masses and `total` the
    mass of a leaf. Where all samples of a cloud are equally likely, a sample has mass 1 and the cloud its number of
    them, so that sums of masses are counts, and exact; `whole` is the mass of a cloud. `lo[k, leaf]` and `hi` are the
    boxes of leaves. Of whole objects there are the centre, the radius about it, the covariance of its samples, and
    `spread`, the most that the variance can be in any direction that bounds the distance; with v the deviation from
    the centre, `skew` is E[v |v|^2] and `unevenness` the variance of |v|^2 (see `bounds.py`).
    """

    first: Ints
    at: Floats
    mass: Floats
    total: Floats
    whole: Floats
    lo: Floats
    hi: Floats
    centre: Floats
    radius: Floats
    covariance: Floats
    spread: Floats
    skew: Floats
    unevenness: Floats


def clouds_of(space: Space, start: Ints, samples: Floats, weights: Floats | None) -> Clouds:
    """Arrange flat samples, of shape (rows, dimensions), as clouds.

    Weights must sum to 1 for each object; without them all samples of an object are equally likely.
    """
    size = np.diff(start)
    leaves = -(-size // LEAF)
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(leaves)])
    count, n, d = int(first[-1]), len(size), samples.shape[1]
    whole = size.astype(np.float64) if weights is None else np.ones(n)
    clouds = Clouds(
        first, np.full((count, d, LEAF), np.nan), np.zeros((count, LEAF)), np.zeros(count), whole,
        np.zeros((d, count)), np.zeros((d, count)), np.zeros((n, d)), np.zeros(n), np.zeros((n, d, d)), np.zeros(n),
        np.zeros((n, d)), np.zeros(n),
    )  # fmt: skip
    masses = np.ones(len(samples)) if weights is None else weights
    _arrange(space, start, np.ascontiguousarray(samples), masses, clouds)
    return clouds


@jit
def _arrange(space: Space, start: Ints, samples: Floats, weights: Floats, clouds: Clouds) -> None:
    scale = np.ones(len(space.dims))
    most = 1
    for i in range(len(start) - 1):
        most = max(most, start[i + 1] - start[i])
    order = np.empty(most, dtype=np.int64)
    points = np.empty((most, len(space.dims)))
    mass = np.empty(most)
    stack = np.empty((64, 2), dtype=np.int64)
    for i in range(len(start) - 1):
        begin = start[i]
        count = start[i + 1] - begin
        for at in range(count):
            order[at] = begin + at
        halving_order(samples, scale, order, 0, count, LEAF, stack)
        for at in range(count):
            for k in range(len(space.dims)):
                points[at, k] = samples[order[at], k]
            mass[at] = weights[order[at]]
        _fill_leaves(space, points, mass, count, clouds, i)
        _describe(space, points, mass, count, clouds, i)


@jit
def _fill_leaves(space: Space, points: Floats, mass: Floats, count: int, clouds: Clouds, i: int) -> None:
    leaf = clouds.first[i]
    for begin in range(0, count, LEAF):
        end = min(begin + LEAF, count)
        total = 0.0
        for at in range(begin, end):
            clouds.mass[leaf, at - begin] = mass[at]
            total += mass[at]
        clouds.total[leaf] = total
        for k in range(len(space.dims)):
            least = points[begin, k]
            most = least
            for at in range(begin, end):
                value = points[at, k]
                clouds.at[leaf, k, at - begin] = value
                least = min(least, value)
                most = max(most, value)
            clouds.lo[k, leaf] = least
            clouds.hi[k, leaf] = most
        leaf += 1


@jit
def _describe(space: Space, points: Floats, mass: Floats, count: int, clouds: Clouds, i: int) -> None:
    """The moments and the radius of an object; offsets from its first sample keep the digits."""
    whole = clouds.whole[i]
    for k in range(len(space.dims)):
        mean = 0.0
        for at in range(count):
            mean += mass[at] * (points[at, k] - points[0, k])
        centre = points[0, k] + mean / whole
        clouds.centre[i, k] = centre
        for at in range(count):
            points[at, k] -= centre
    radius = 0.0
    square_mean = 0.0
    fourth_mean = 0.0
    for at in range(count):
        total = 0.0
        square = 0.0
        for k in range(len(space.dims)):
            gap = points[at, k]
            total = added(space, total, abs(gap))
            square += gap * gap
        radius = max(radius, total)
        square_mean += mass[at] * square
        fourth_mean += mass[at] * square * square
        for k in range(len(space.dims)):
            clouds.skew[i, k] += mass[at] * square * points[at, k]
    for k in range(len(space.dims)):
        clouds.skew[i, k] /= whole
        for other in range(k + 1):
            sum_ = 0.0
            for at in range(count):
                sum_ += mass[at] * points[at, k] * points[at, other]
            clouds.covariance[i, k, other] = sum_ / whole
            clouds.covariance[i, other, k] = sum_ / whole
    square_mean /= whole
    clouds.radius[i] = radius**0.5 if len(space.metric) == EUCLIDEAN else radius
    clouds.unevenness[i] = max(fourth_mean / whole - square_mean * square_mean, 0.0)
    clouds.spread[i] = _spread(space, clouds.covariance[i])


@jit
def _spread(space: Space, covariance: Floats) -> float:
    """The most that u'Cu can be: for unit vectors u the trace bounds it, for signs the sum of deviations squared."""
    total = 0.0
    for k in range(len(space.dims)):
        if len(space.metric) == EUCLIDEAN:
            total += covariance[k, k]
        elif len(space.metric) == MANHATTAN:
            total += covariance[k, k] ** 0.5
        else:
            total = max(total, covariance[k, k])
    return total * total if len(space.metric) == MANHATTAN else total
