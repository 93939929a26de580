"""Equation 2: the probability that two clouds are close, by all pairs of samples or by as few as decide it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.clouds import Boxes, Cloud, Clouds
from whenabouts.kernels.similarity.distance import BLOCK, LEAF, Space, added, mass_close

REJECTED = -1.0
_ROUNDING = 1.0 - 1e-12
_IN_DOUBT, _INSIDE = 1, 2


class Work(NamedTuple):
    """Room for one pair: verdicts on boxes; and what they leave open, a leaf, a run of the other's, and their mass."""

    verdict: Ints
    leaf: Ints
    begin: Ints
    end: Ints
    mass: Floats


def work_for(xs: Clouds, ys: Clouds) -> Work:
    """Room for the largest clouds of two sides."""
    most = [int(np.diff(clouds.points.first).max(initial=1)) for clouds in (xs, ys)]
    room = most[0] * (most[1] // 2 + 1)
    verdict, leaf, begin, end = (np.empty(size, dtype=np.int64) for size in (most[1], room, room, room))
    return Work(verdict, leaf, begin, end, np.empty(room))


@jit
def plain_confidence(space: Space, x: Cloud, y: Cloud, limit: float) -> float:
    """P(dist(X, Y) <= eps) by all l x l distances: what the methods without further bounds compute."""
    mass = mass_close(space, x.at, x.mass, x.begin, x.size, y.at, y.mass, y.begin, len(y.mass), limit)
    return min(mass / (x.whole * y.whole), 1.0)


@jit
def stopping_confidence(space: Space, x: Cloud, y: Cloud, limit: float, level: float, measure: bool) -> float:
    """The same, stopping when the mass that was accepted or refused so far decides against `level`.

    Where it is not to be measured, it stops when the decision is for it, too. As many samples of X are taken at once
    as are needed for a decision if all speak for it.
    """
    whole = x.whole * y.whole
    need = level * whole
    mass = 0.0
    left = x.whole
    at = x.begin
    while at < x.size:
        to_decide = mass + left * y.whole - need * _ROUNDING
        if to_decide < 0.0:
            return REJECTED
        if not measure:
            to_accept = need - mass * _ROUNDING
            if to_accept <= 0.0:
                break
            to_decide = min(to_decide, to_accept)
        end = min(at + BLOCK * (int(to_decide / whole * x.size / BLOCK) + 1), x.size)
        mass += mass_close(space, x.at, x.mass, at, end, y.at, y.mass, y.begin, len(y.mass), limit)
        for taken in range(at, end):
            left -= x.mass[taken]
        at = end
    confidence = min(mass / whole, 1.0)
    return confidence if confidence >= level else REJECTED


class Settled(NamedTuple):
    """What boxes say of a pair: mass that is surely close, mass in doubt, and in how many pieces of `Work` it is."""

    sure: float
    doubt: float
    waiting: int


@jit
def settle_by_boxes(
    space: Space, xs: Boxes, x_first: int, x_last: int, ys: Boxes, y_first: int, y_last: int, limit: float, work: Work
) -> Settled:
    """Settle by their boxes what pairs of leaves of two clouds can be settled so; the others wait in `work`."""
    sure = 0.0
    doubt = 0.0
    waiting = 0
    for a in range(x_first, x_last):
        _look_at_boxes(space, xs, a, ys, y_first, y_last - y_first, limit, work.verdict)
        close = 0.0
        open_ = 0.0
        before = _INSIDE
        for b in range(y_last - y_first):
            verdict = work.verdict[b]
            if verdict == _INSIDE:
                close += ys.total[y_first + b]
            elif verdict == _IN_DOUBT:
                open_ += ys.total[y_first + b]
                if before != _IN_DOUBT:
                    work.leaf[waiting] = a - x_first
                    work.begin[waiting] = b
                    work.mass[waiting] = 0.0
                    waiting += 1
                work.end[waiting - 1] = b + 1
                work.mass[waiting - 1] += xs.total[a] * ys.total[y_first + b]
            before = verdict
        sure += xs.total[a] * close
        doubt += xs.total[a] * open_
    return Settled(sure, doubt, waiting)


@jit
def refined_confidence(
    space: Space, x: Cloud, y: Cloud, limit: float, level: float, measure: bool, settled: Settled, work: Work
) -> float:
    """The confidence, or `REJECTED` as soon as it is surely below `level`, by the pairs of leaves that wait.

    Where it is not to be measured, anything of at least `level` is returned once the accepted mass has reached it.
    """
    whole = x.whole * y.whole
    need = level * whole
    sure = settled.sure
    doubt = settled.doubt
    for at in range(settled.waiting):
        if sure + doubt < need * _ROUNDING:
            return REJECTED
        if not measure and sure * _ROUNDING >= need:
            break
        begin = work.leaf[at] * LEAF
        sure += mass_close(
            space, x.at, x.mass, begin, begin + LEAF, y.at, y.mass, work.begin[at] * LEAF, work.end[at] * LEAF, limit
        )
        doubt -= work.mass[at]
    confidence = min(sure / whole, 1.0)
    return confidence if confidence >= level else REJECTED


@jit
def out_of_reach(settled: Settled, whole: float, level: float) -> bool:
    """Whether boxes alone show that the confidence is below `level`."""
    return settled.sure + settled.doubt < level * whole * _ROUNDING


@jit
def _look_at_boxes(
    space: Space, xs: Boxes, a: int, ys: Boxes, first: int, count: int, limit: float, verdict: Ints
) -> None:
    """Whether the box of leaf a lies apart from each of some leaves of the other cloud, in doubt, or surely close."""
    for b in range(count):
        least = 0.0
        most = 0.0
        for k in range(space.dimension):
            below = ys.lo[k, first + b] - xs.hi[k, a]
            above = xs.lo[k, a] - ys.hi[k, first + b]
            least = added(space, least, max(below, above, 0.0))
            most = added(space, most, max(-below, -above))
        verdict[b] = int(least <= limit) + int(most <= limit)
