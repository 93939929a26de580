"""Which pairs of clouds need no look at their samples: bounds by spheres, by moments and by boxes.

**Spheres** (paper 003, lemma 5.1). Centres farther apart than eps and both radii: no sample is close to any other.

**Moments.** For every u of dual norm 1 the distance of X and Y is at least u.(Y - X), whose mean is D, the distance of
the centres, if u points from one to the other, and whose variance is u'(C_x + C_y)u. By Cantelli's inequality

    P(dist(X, Y) <= eps) <= P(u.(Y - X) <= eps) <= v / (v + (D - eps)^2)      where D > eps,

so a pair is out if (D - eps)^2 > v (1 - c) / c. It costs a handful of multiplications, where the paper's hyperspheres
cost O(l), and cuts deeper unless c is small. u is the direction of the centres for the Euclidean distance, the vector
of signs for the Manhattan one, and the widest axis for the Chebyshev one.

**Moments of the square.** Clouds that lie on top of each other and are wider than eps are seldom close either. With
deviations a and b from the centres, and D the vector between these, the squared distance has

    mean      M = |D|^2 + tr C_x + tr C_y
    variance  V = 4 D'(C_x + C_y)D + 4 D.(E[b |b|^2] - E[a |a|^2]) + var |a|^2 + var |b|^2 + 4 tr(C_x C_y),

exactly, for independent X and Y; so by Cantelli again P(dist <= eps) <= V / (V + (M - eps^2)^2) where M > eps^2.
"""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.similarity.clouds import Moments
from whenabouts.kernels.similarity.distance import CHEBYSHEV, EUCLIDEAN, MANHATTAN, Space

SAFE = 1.0 + 1e-9
"""Bounds are moved outwards by more than rounding can do: they decide what is computed, never what is true."""


@jit
def stretch_of(level: float) -> float:
    """(1 - c) / c: how many variances the squared gap must exceed for a confidence below c."""
    return max(1.0 - level, 0.0) / level


@jit
def too_far(gap: float, radii: float, variance: float, stretch: float, slack: float) -> bool:
    """Whether clouds whose centres are eps + gap apart surely miss the confidence."""
    beyond = gap - slack
    return beyond > radii * SAFE or (beyond > 0.0 and beyond * beyond > stretch * variance * SAFE)


@jit
def variance_along(space: Space, xs: Moments, i: int, ys: Moments, j: int) -> float:
    """u'(C_x + C_y)u for the u that points from one centre to the other."""
    total = 0.0
    if space.metric == CHEBYSHEV:
        widest = -1.0
        for k in range(space.dimension):
            gap = abs(ys.centre[j, k] - xs.centre[i, k])
            if gap > widest:
                widest = gap
                total = xs.covariance[i, k, k] + ys.covariance[j, k, k]
        return total
    square = 0.0
    for k in range(space.dimension):
        one = _component(space, xs, i, ys, j, k)
        square += one * one
        for other in range(space.dimension):
            both = one * _component(space, xs, i, ys, j, other)
            total += both * (xs.covariance[i, k, other] + ys.covariance[j, k, other])
    if space.metric == EUCLIDEAN:
        total = total / square if square > 0.0 else 0.0
    return max(total, 0.0)


@jit
def _component(space: Space, xs: Moments, i: int, ys: Moments, j: int, k: int) -> float:
    """Coordinate k of the direction: of the vector between the centres, or its sign for the Manhattan distance."""
    gap = ys.centre[j, k] - xs.centre[i, k]
    if space.metric == MANHATTAN:
        return 1.0 if gap >= 0.0 else -1.0
    return gap


@jit
def too_wide(
    space: Space, xs: Moments, i: int, ys: Moments, j: int, reach: float, stretch: float, slack: float
) -> bool:
    """Whether the moments of the squared Euclidean distance show that the confidence is missed."""
    square = 0.0
    along = 0.0
    skew = 0.0
    both = 0.0
    spread = 0.0
    for k in range(space.dimension):
        gap = ys.centre[j, k] - xs.centre[i, k]
        square += gap * gap
        spread += xs.covariance[i, k, k] + ys.covariance[j, k, k]
        skew += gap * (ys.skew[j, k] - xs.skew[i, k])
        for other in range(space.dimension):
            one = xs.covariance[i, k, other]
            two = ys.covariance[j, k, other]
            along += gap * (ys.centre[j, other] - xs.centre[i, other]) * (one + two)
            both += one * two
    variance = 4.0 * (along + skew + both) + xs.unevenness[i] + ys.unevenness[j]
    beyond = square + spread - reach * reach
    safe = beyond * (2.0 - SAFE) - slack * (square + spread + reach * reach)
    # Every term of the variance may be off by rounding, though none by more than its like among these.
    rounding = 1e-12 * (square + spread) * (square + spread)
    return safe > 0.0 and safe * safe > stretch * (variance * SAFE + rounding)
