"""The exact probability that the difference of two uncertain times falls into a band.

Every timing predicate is a band on Y - X: `within(d)` is [-d, d], `deadline(d)`, X + d >= Y, is (-inf, d],
and `delay(d)`, X + d <= Y, is [d, inf). With F(z) = P(Y - X <= z) and F(z-) = P(Y - X < z),

    P(low <= Y - X <= high) = F(high) - F(low-),

for every d, also one smaller than the widths. For two uniform pieces of widths s <= w the difference has a
trapezoid density, so with `head = z - (y1 - x2)` and `tail = (y2 - x1) - z`, the room to its two ends,

    F(z) = head^2 / (2 s w)        where head <= s        (paper 000, lemma 1, cases 3 and 5)
         = (head - s/2) / w        in between             (cases 4 and 6)
         = 1 - tail^2 / (2 s w)    where tail <= s

which are the four ramps of the closed form, without their cancellation: no term is ever the difference of
large numbers, so it holds from microseconds to years within one pair. Only differences of times occur, so
epochs cost no digits; and what rounding took from a difference is added back where a long band could
let it show.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Shapes

TOLERANCE = 1e-12
"""A probability that equals the threshold counts; this is how far rounding may have moved it."""
_NOISE = 1e-15


@jit
def level_of(confidence: float) -> float:
    """The least computed probability that counts as the confidence: one that is zero never does."""
    return max(confidence - TOLERANCE, min(confidence, _NOISE))


@jit
def lost(a: float, b: float, difference: float) -> float:
    """What rounding took from `difference = a - b`, exactly: a - b is `difference + lost` (Knuth's two-sum)."""
    back = difference - a
    return (a - (difference - back)) - (b + back)


@jit
def _head(y1: float, x2: float, shift: float, z: float) -> float:
    """The room of z above the least difference, y1 + shift - x2."""
    least = y1 - x2
    return (z - least) - (lost(y1, x2, least) + shift)


@jit
def _tail(y2: float, x1: float, shift: float, z: float) -> float:
    """The room of z below the greatest difference, y2 + shift - x1."""
    most = y2 - x1
    return (most - z) + (lost(y2, x1, most) + shift)


@jit
def _inside(head: float, tail: float, x_width: float, y_width: float) -> float:
    """F(z) where z is strictly inside the support of Y - X."""
    narrow = min(x_width, y_width)
    wide = max(x_width, y_width)
    if head <= narrow:
        return 0.5 * (head / narrow) * (head / wide)
    if tail <= narrow:
        return 1.0 - 0.5 * (tail / narrow) * (tail / wide)
    return (head - 0.5 * narrow) / wide


@jit
def uniform_at_most(x1: float, x2: float, y1: float, y2: float, z: float) -> float:
    """P(Y - X <= z) for X uniform on [x1, x2] and Y uniform on [y1, y2]; either may be a point."""
    tail = _tail(y2, x1, 0.0, z)
    if tail <= 0.0:
        return 1.0
    head = _head(y1, x2, 0.0, z)
    if head <= 0.0:
        return 0.0
    return _inside(head, tail, x2 - x1, y2 - y1)


@jit
def uniform_below(x1: float, x2: float, y1: float, y2: float, z: float) -> float:
    """P(Y - X < z): differs from `uniform_at_most` only where both are points."""
    head = _head(y1, x2, 0.0, z)
    if head <= 0.0:
        return 0.0
    tail = _tail(y2, x1, 0.0, z)
    if tail <= 0.0:
        return 1.0
    return _inside(head, tail, x2 - x1, y2 - y1)


@jit
def shaped_at_most(xs: Shapes, x: int, ys: Shapes, y: int, shift: float, z: float) -> float:
    """P(Y + shift - X <= z) for shapes x and y."""
    return _shaped_mass(xs, x, ys, y, shift, z, False)


@jit
def shaped_below(xs: Shapes, x: int, ys: Shapes, y: int, shift: float, z: float) -> float:
    """P(Y + shift - X < z) for shapes x and y."""
    return _shaped_mass(xs, x, ys, y, shift, z, True)


@jit
def _shaped_mass(xs: Shapes, x: int, ys: Shapes, y: int, shift: float, z: float, strict: bool) -> float:
    """Lemma 1 summed over the pairs of pieces that meet; `strict` leaves two points at exactly z out.

    Pieces are in order, so those of y that lie surely before a piece of x are a growing prefix and cost
    one addition: O(|x| + |y|) in place of |x| |y| (theorem 1 without building the adjusted histograms).
    """
    first = ys.start[y]
    end = ys.start[y + 1]
    sure = 0.0
    total = 0.0
    for i in range(xs.start[x], xs.start[x + 1]):
        x1 = xs.lo[i]
        x2 = xs.hi[i]
        while first < end and _tail(ys.hi[first], x1, shift, z) <= 0.0:
            if strict and _head(ys.lo[first], x2, shift, z) <= 0.0:
                break
            sure += ys.mass[first]
            first += 1
        mass = sure
        for j in range(first, end):
            head = _head(ys.lo[j], x2, shift, z)
            if head <= 0.0:
                break
            tail = _tail(ys.hi[j], x1, shift, z)
            mass += ys.mass[j] * (1.0 if tail <= 0.0 else _inside(head, tail, x2 - x1, ys.hi[j] - ys.lo[j]))
        total += xs.mass[i] * mass
    return total


@jit
def probability(left: Events, i: int, right: Events, j: int, low: float, high: float) -> float:
    """P(low <= Y_j - X_i <= high), exact for every combination of models."""
    x1 = left.earliest[i]
    x2 = left.latest[i]
    y1 = right.earliest[j]
    y2 = right.latest[j]
    xs = left.shapes
    ys = right.shapes
    x = left.shape[i]
    y = right.shape[j]
    alone = xs.start[x + 1] - xs.start[x] == 1 and ys.start[y + 1] - ys.start[y] == 1
    if alone and left.anchor[i] == x1 and right.anchor[j] == y1:
        result = uniform_at_most(x1, x2, y1, y2, high) - uniform_below(x1, x2, y1, y2, low)
    else:
        # The ends are rounded sums of anchor and shape: what they leave in doubt is decided by the pieces.
        doubt = 1e-15 * (abs(x1) + abs(x2) + abs(y1) + abs(y2))
        least = y1 - x2
        most = y2 - x1
        if least - doubt > high or most + doubt < low:
            return 0.0
        if least - doubt >= low and most + doubt <= high:
            return 1.0
        shift = right.anchor[j] - left.anchor[i]
        more = lost(right.anchor[j], left.anchor[i], shift)
        result = 1.0
        if high < np.inf:
            z = high - shift
            result = shaped_at_most(xs, x, ys, y, more - lost(high, shift, z), z)
        if low > -np.inf:
            z = low - shift
            result -= shaped_below(xs, x, ys, y, more - lost(low, shift, z), z)
    return min(max(result, 0.0), 1.0)
