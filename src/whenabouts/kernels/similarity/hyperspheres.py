"""Paper 003's sample-level pruning: the (1 - beta)-hyperspheres of an object, and lemma 5.2 in O(l)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.bounds import SAFE
from whenabouts.kernels.similarity.clouds import Clouds, cloud_at
from whenabouts.kernels.similarity.distance import LEAF, Space, distance_between


class Spheres(NamedTuple):
    """For object i, at `first[i]:first[i + 1]`: radii in rising order, and the mass within each (definition 5.1)."""

    first: Ints
    radius: Floats
    inside: Floats


def spheres_of(space: Space, clouds: Clouds) -> Spheres:
    """Sort the samples of every object by their distance to its centre."""
    points = clouds.points
    count = len(points.size)
    owner = np.repeat(np.arange(count), np.diff(points.first) * LEAF)
    radius = _distances_to_centres(space, clouds)
    filled = ~np.isnan(radius)
    owner, radius, mass = owner[filled], radius[filled], points.mass[filled]
    order = np.lexsort((radius, owner))
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(points.size)])
    running = np.cumsum(mass[order] / points.whole[owner])
    before = np.concatenate([np.zeros(1), running])[first[:-1]]
    return Spheres(first, radius[order], running - before[owner])


@jit
def _distances_to_centres(space: Space, clouds: Clouds) -> Floats:
    distances = np.full(len(clouds.points.mass), np.nan)
    for i in range(len(clouds.points.size)):
        cloud = cloud_at(clouds.points, i)
        for at in range(cloud.size):
            slot = clouds.points.first[i] * LEAF + at
            distances[slot] = distance_between(space, clouds.centre[i], cloud.at[:, at])
    return distances


@jit
def miss_each_other(
    xs: Spheres, i: int, ys: Spheres, j: int, apart: float, reach: float, slack: float, level: float
) -> bool:
    """Lemma 5.2: whether some two hyperspheres, together holding more than 1 - c, lie farther apart than eps.

    For a sphere of x only the least sphere of y that is large enough needs a look (lemma 5.4), and it shrinks as that
    of x grows; so both walk their lists once.
    """
    least = 1.0 - level + 1e-12
    other = ys.first[j + 1] - 1
    for one in range(xs.first[i], xs.first[i + 1]):
        if xs.inside[one] * ys.inside[other] <= least:
            continue
        while other > ys.first[j] and xs.inside[one] * ys.inside[other - 1] > least:
            other -= 1
        if apart - (xs.radius[one] + ys.radius[other]) * SAFE > reach + slack:
            return True
    return False
