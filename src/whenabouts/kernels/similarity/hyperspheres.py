"""Paper 003's sample-level pruning: the (1 - beta)-hyperspheres of an object, and lemma 5.2 in O(l)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.bounds import SAFE
from whenabouts.kernels.similarity.clouds import Clouds
from whenabouts.kernels.similarity.distance import EUCLIDEAN, LEAF, MANHATTAN, Space


class Spheres(NamedTuple):
    """For object i, at `first[i]:first[i + 1]`: radii in rising order, and the mass within each (definition 5.1)."""

    first: Ints
    radius: Floats
    inside: Floats


def spheres_of(space: Space, clouds: Clouds) -> Spheres:
    """Sort the samples of every object by their distance to its centre."""
    count = len(clouds.whole)
    owner = np.repeat(np.arange(count), np.diff(clouds.first))
    gaps = np.abs(clouds.at - clouds.centre[owner][:, :, None])
    if len(space.metric) == EUCLIDEAN:
        radius = np.sqrt((gaps * gaps).sum(axis=1))
    else:
        radius = gaps.sum(axis=1) if len(space.metric) == MANHATTAN else gaps.max(axis=1)
    filled = ~np.isnan(radius)
    owner, radius, mass = np.repeat(owner, LEAF)[filled.reshape(-1)], radius[filled], clouds.mass[filled]
    order = np.lexsort((radius, owner))
    first = np.searchsorted(owner, np.arange(count + 1)).astype(np.int64)
    running = np.cumsum(mass[order] / clouds.whole[owner])
    before = np.concatenate([np.zeros(1), running])[first[:-1]]
    return Spheres(first, radius[order], running - before[owner])


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
