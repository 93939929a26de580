"""Equation 2: the probability that two clouds are close, by all pairs of samples or by as few as decide it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Ints
from whenabouts.kernels.similarity.clouds import Clouds
from whenabouts.kernels.similarity.distance import EQUAL, Space, added, count_close, mass_close

REJECTED = -1.0
_ROUNDING = 1.0 - 1e-12
_IN_DOUBT, _INSIDE = 1, 2


class Work(NamedTuple):
    """Room for one pair: verdicts on boxes, and the pairs of leaves that boxes do not settle."""

    verdict: Ints
    one: Ints
    other: Ints


def work_for(xs: Clouds, ys: Clouds) -> Work:
    """Room for the largest clouds of two sides."""
    most = [int(np.diff(clouds.first).max(initial=1)) for clouds in (xs, ys)]
    room = most[0] * most[1] + 1
    return Work(*(np.empty(size, dtype=np.int64) for size in (most[1], room, room)))


@jit
def plain_confidence(space: Space, xs: Clouds, i: int, ys: Clouds, j: int, limit: float) -> float:
    """P(dist(X_i, Y_j) <= eps) by all l x l distances: what the methods without further bounds compute."""
    mass = 0.0
    for a in range(xs.first[i], xs.first[i + 1]):
        for b in range(ys.first[j], ys.first[j + 1]):
            mass += close_mass(space, xs, a, ys, b, limit)
    return min(mass / (xs.whole[i] * ys.whole[j]), 1.0)


@jit
def stopping_confidence(
    space: Space, xs: Clouds, i: int, ys: Clouds, j: int, limit: float, level: float, measure: bool
) -> float:
    """The same leaf by leaf, stopping when the mass that was accepted or refused so far decides against `level`.

    Where it is not to be measured, it stops when the decision is for it, too.
    """
    whole = xs.whole[i] * ys.whole[j]
    need = level * whole
    mass = 0.0
    left = xs.whole[i]
    for a in range(xs.first[i], xs.first[i + 1]):
        if mass + left * ys.whole[j] < need * _ROUNDING:
            return REJECTED
        if not measure and mass * _ROUNDING >= need:
            break
        left -= xs.total[a]
        for b in range(ys.first[j], ys.first[j + 1]):
            mass += close_mass(space, xs, a, ys, b, limit)
    confidence = min(mass / whole, 1.0)
    return confidence if confidence >= level else REJECTED


class Settled(NamedTuple):
    """What boxes say of a pair: mass that is surely close, mass in doubt, and how many pairs of leaves hold it."""

    sure: float
    doubt: float
    waiting: int


@jit
def settle_by_boxes(space: Space, xs: Clouds, i: int, ys: Clouds, j: int, limit: float, work: Work) -> Settled:
    """Settle what pairs of leaves can be settled by their boxes; the others wait in `work`."""
    begin = ys.first[j]
    count = ys.first[j + 1] - begin
    sure = 0.0
    doubt = 0.0
    waiting = 0
    for a in range(xs.first[i], xs.first[i + 1]):
        _look_at_boxes(space, xs, a, ys, begin, count, limit, work.verdict)
        close = 0.0
        open_ = 0.0
        for b in range(count):
            verdict = work.verdict[b]
            mass = ys.total[begin + b]
            close += mass if verdict == _INSIDE else 0.0
            open_ += mass if verdict == _IN_DOUBT else 0.0
            work.one[waiting] = a
            work.other[waiting] = begin + b
            waiting += verdict == _IN_DOUBT
        sure += xs.total[a] * close
        doubt += xs.total[a] * open_
    return Settled(sure, doubt, waiting)


@jit
def refined_confidence(
    space: Space,
    xs: Clouds,
    i: int,
    ys: Clouds,
    j: int,
    limit: float,
    level: float,
    measure: bool,
    settled: Settled,
    work: Work,
) -> float:
    """The confidence, or `REJECTED` as soon as it is surely below `level`, by the pairs of leaves that wait.

    Where it is not to be measured, anything of at least `level` is returned once the accepted mass has reached it.
    """
    whole = xs.whole[i] * ys.whole[j]
    need = level * whole
    sure = settled.sure
    doubt = settled.doubt
    for at in range(settled.waiting):
        if sure + doubt < need * _ROUNDING:
            return REJECTED
        if not measure and sure * _ROUNDING >= need:
            break
        a = work.one[at]
        b = work.other[at]
        doubt -= xs.total[a] * ys.total[b]
        sure += close_mass(space, xs, a, ys, b, limit)
    confidence = min(sure / whole, 1.0)
    return confidence if confidence >= level else REJECTED


@jit
def out_of_reach(settled: Settled, whole: float, level: float) -> bool:
    """Whether boxes alone show that the confidence is below `level`."""
    return settled.sure + settled.doubt < level * whole * _ROUNDING


@jit
def close_mass(space: Space, xs: Clouds, a: int, ys: Clouds, b: int, limit: float) -> float:
    if len(space.weights) == EQUAL:
        return float(count_close(space, xs.at[a], ys.at[b], limit))
    return mass_close(space, xs.at[a], xs.mass[a], ys.at[b], ys.mass[b], limit)


@jit
def _look_at_boxes(
    space: Space, xs: Clouds, a: int, ys: Clouds, begin: int, count: int, limit: float, verdict: Ints
) -> None:
    """Whether the box of leaf a lies apart from each of some leaves of the other cloud, in doubt, or surely close."""
    for b in range(count):
        least = 0.0
        most = 0.0
        for k in range(len(space.dims)):
            below = ys.lo[k, begin + b] - xs.hi[k, a]
            above = xs.lo[k, a] - ys.hi[k, begin + b]
            least = added(space, least, max(below, above, 0.0))
            most = added(space, most, max(-below, -above))
        verdict[b] = (least <= limit) + (most <= limit)
