"""The arrays by which the kernels know clouds of samples, and how they are made.

Samples arrive as flat arrays: object i has the rows `start[i]:start[i + 1]`. They are kept in leaves of eight with a
box each. In a cloud that is fine, whose leaves are small compared with eps, they are put into an order in which
neighbours stand together, so that boxes settle most pairs of two clouds eight times eight at a time. In a coarse one
boxes would settle little, and the order is left as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.distance import EUCLIDEAN, LEAF, MANHATTAN, Space, added
from whenabouts.kernels.similarity.order import halving_order, read_only

FINE = 0.1
"""Boxes are worth a look where leaves are not larger than this share of eps."""


class Points(NamedTuple):
    """The samples of clouds: cloud i has the leaves `first[i]:first[i + 1]`, and `size[i]` samples in them.

    `at` are the coordinates, cloud by cloud and in a cloud coordinate by coordinate, NaN in a slot without a sample;
    `mass` has the masses slot by slot. Where all samples of a cloud are equally likely, a sample has mass 1 and the
    cloud its number of them, so that sums of masses are counts, and exact; `whole` is the mass of a cloud.
    """

    first: Ints
    size: Ints
    at: Floats
    mass: Floats
    whole: Floats


class Boxes(NamedTuple):
    """The boxes of leaves, `lo[k, leaf]` to `hi[k, leaf]`, and the mass in each."""

    lo: Floats
    hi: Floats
    total: Floats


class Moments(NamedTuple):
    """Of each cloud the centre and the covariance and, with v the deviation from the centre, `skew`, which is
    E[v |v|^2], and `unevenness`, the variance of |v|^2 (see `bounds.py`).
    """

    centre: Floats
    covariance: Floats
    skew: Floats
    unevenness: Floats


class Clouds(NamedTuple):
    """Clouds by their samples, leaves and moments; and the radius about the centre, and whether they are fine.

    `spread` is the most that the variance can be in any direction that bounds the distance. Kernels that are called
    for every pair take one of the parts and not all of it: handing over an array costs a few nanoseconds.
    """

    points: Points
    boxes: Boxes
    moments: Moments
    centre: Floats
    radius: Floats
    spread: Floats
    fine: Ints


class Cloud(NamedTuple):
    """The samples of one cloud: coordinate k of sample s is `at[k, s]`, from `begin` to `size`.

    `begin` is 0; a literal 0 would be a type of its own, for which kernels would be compiled once more.
    """

    at: Floats
    mass: Floats
    begin: int
    size: int
    whole: float


def clouds_of(space: Space, reach: float, start: Ints, samples: Floats, weights: Floats | None) -> Clouds:
    """Arrange flat samples, of shape (rows, dimensions), as clouds, for questions about the distance `reach`.

    Weights must sum to 1 for each object; without them all samples of an object are equally likely.
    """
    size = np.diff(start)
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(-(-size // LEAF))])
    count, n, d = int(first[-1]), len(size), space.dimension
    whole = size.astype(np.float64) if weights is None else np.ones(n)
    centre = np.empty((n, d))
    clouds = Clouds(
        Points(first, size, _aligned(count * LEAF * d), np.empty(count * LEAF), whole),
        Boxes(np.empty((d, count)), np.empty((d, count)), np.empty(count)),
        Moments(centre, np.empty((n, d, d)), np.empty((n, d)), np.empty(n)),
        centre, np.empty(n), np.empty(n), np.zeros(n, dtype=np.int64),
    )  # fmt: skip
    masses = np.ones(len(samples)) if weights is None else weights
    _arrange(space, reach, start, read_only(samples), read_only(masses), clouds)
    return clouds


def _aligned(size: int) -> Floats:
    """Room that begins with a cache line, as every leaf then does: eight numbers are loaded from one line, not two."""
    room = np.empty(size + LEAF)
    skipped = -room.ctypes.data % (8 * LEAF) // 8
    return room[skipped : skipped + size]


@jit
def cloud_at(points: Points, i: int) -> Cloud:
    """The samples of cloud i."""
    begin = points.first[i] * LEAF
    end = points.first[i + 1] * LEAF
    d = len(points.at) // max(len(points.mass), 1)
    at = points.at[begin * d : end * d].reshape(d, end - begin)
    return Cloud(at, points.mass[begin:end], points.first[0], points.size[i], points.whole[i])


@jit
def _arrange(space: Space, reach: float, start: Ints, samples: Floats, weights: Floats, clouds: Clouds) -> None:
    scale = np.ones(space.dimension)
    most = 1
    for i in range(len(start) - 1):
        most = max(most, start[i + 1] - start[i])
    order = np.empty(most, dtype=np.int64)
    offsets = np.empty((space.dimension, most))
    squares = np.empty(most)
    stack = np.empty((64, 2), dtype=np.int64)
    for i in range(len(start) - 1):
        begin = start[i]
        count = start[i + 1] - begin
        _describe(space, samples[begin : begin + count], weights[begin : begin + count], offsets, squares, clouds, i)
        for at in range(count):
            order[at] = begin + at
        leaves = clouds.points.first[i + 1] - clouds.points.first[i]
        if clouds.radius[i] <= FINE * reach * leaves ** (1.0 / space.dimension):
            clouds.fine[i] = 1
            halving_order(samples, scale, order[:count], LEAF, stack)
        _fill_leaves(space, samples, weights, order, clouds, i)


@jit
def _fill_leaves(space: Space, samples: Floats, weights: Floats, order: Ints, clouds: Clouds, i: int) -> None:
    cloud = cloud_at(clouds.points, i)
    boxes = clouds.boxes
    width = len(cloud.mass)
    cloud.at[:] = np.nan
    cloud.mass[:] = 0.0
    for at in range(cloud.size):
        for k in range(space.dimension):
            cloud.at[k, at] = samples[order[at], k]
        cloud.mass[at] = weights[order[at]]
    for begin in range(0, width, LEAF):
        leaf = clouds.points.first[i] + begin // LEAF
        boxes.total[leaf] = 0.0
        for at in range(begin, begin + LEAF):
            boxes.total[leaf] += cloud.mass[at]
        for k in range(space.dimension):
            least = cloud.at[k, begin]
            most = least
            for at in range(begin + 1, min(begin + LEAF, cloud.size)):
                least = min(least, cloud.at[k, at])
                most = max(most, cloud.at[k, at])
            boxes.lo[k, leaf] = least
            boxes.hi[k, leaf] = most


@jit
def _describe(
    space: Space, samples: Floats, mass: Floats, offsets: Floats, squares: Floats, clouds: Clouds, i: int
) -> None:
    """The moments and the radius of an object; offsets from its first sample keep the digits."""
    whole = clouds.points.whole[i]
    moments = clouds.moments
    count = len(samples)
    for k in range(space.dimension):
        mean = 0.0
        for at in range(count):
            mean += mass[at] * (samples[at, k] - samples[0, k])
        centre = samples[0, k] + mean / whole
        moments.centre[i, k] = centre
        for at in range(count):
            offsets[k, at] = samples[at, k] - centre
    radius = 0.0
    square_mean = 0.0
    fourth_mean = 0.0
    for at in range(count):
        total = 0.0
        square = 0.0
        for k in range(space.dimension):
            gap = offsets[k, at]
            total = added(space, total, abs(gap))
            square += gap * gap
        radius = max(radius, total)
        squares[at] = mass[at] * square
        square_mean += squares[at]
        fourth_mean += squares[at] * square
    for k in range(space.dimension):
        sum_ = 0.0
        for at in range(count):
            sum_ += squares[at] * offsets[k, at]
        moments.skew[i, k] = sum_ / whole
        for other in range(k + 1):
            sum_ = 0.0
            for at in range(count):
                sum_ += mass[at] * offsets[k, at] * offsets[other, at]
            moments.covariance[i, k, other] = sum_ / whole
            moments.covariance[i, other, k] = sum_ / whole
    square_mean /= whole
    clouds.radius[i] = radius**0.5 if space.metric == EUCLIDEAN else radius
    moments.unevenness[i] = max(fourth_mean / whole - square_mean * square_mean, 0.0)
    clouds.spread[i] = _spread(space, moments.covariance[i])


@jit
def _spread(space: Space, covariance: Floats) -> float:
    """The most that u'Cu can be.

    For unit vectors u that is the largest eigenvalue, which neither the trace nor any row's sum of magnitudes stays
    below (Gershgorin); for signs it is at most the square of the sum of deviations.
    """
    trace = 0.0
    deviations = 0.0
    widest = 0.0
    largest = 0.0
    for k in range(space.dimension):
        trace += covariance[k, k]
        deviations += covariance[k, k] ** 0.5
        widest = max(widest, covariance[k, k])
        sum_ = 0.0
        for other in range(space.dimension):
            sum_ += abs(covariance[k, other])
        largest = max(largest, sum_)
    if space.metric == EUCLIDEAN:
        return min(trace, largest)
    return deviations * deviations if space.metric == MANHATTAN else widest
