"""Satisfaction times: how far two shapes may slide apart before a confidence is lost.

P(Y + shift - X <= z) falls as the shift grows (paper 000, lemma 3), so `deadline(high)` holds with
confidence c exactly while `shift <= high - quantile(x, y, c)`, where the quantile is the least z with
P(Y - X <= z) >= c. As a function of z that probability is a quadratic between two neighbouring differences
of piece ends (a *configuration* of the paper) and may jump at one where two points meet. The search halves
the range, sorts the few configurations that are left, halves among them, and solves the last quadratic.
For a whole table of shapes without points, Newton's steps find the same place sooner.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Shapes
from whenabouts.kernels.probability import TOLERANCE, shaped_at_most, shaped_below

_COARSE_STEPS = 6
_HAIR = 2.5e-16
"""How far, relative to it, a rounded difference of two ends may be from where two points really meet."""


@jit
def _root_of_quadratic(z0: float, z1: float, p0: float, pm: float, p1: float, level: float) -> float:
    """Where the parabola through (z0, p0), the middle and (z1, p1), which rises, crosses `level`."""
    curve = 2.0 * (p0 - 2.0 * pm + p1)
    slope = p1 - p0 - curve
    drop = p0 - level
    inner = slope * slope - 4.0 * curve * drop
    if inner < 0.0:
        inner = 0.0
    divisor = slope + np.sqrt(inner)
    step = -2.0 * drop / divisor if divisor > 0.0 else 1.0
    return z0 + (z1 - z0) * min(max(step, 0.0), 1.0)


@jit
def _differences(
    x_ends: Floats, x0: int, x1: int, y_ends: Floats, y0: int, y1: int, z0: float, z1: float, out: Floats, n: int
) -> int:
    """Append to `out` the differences y - x of piece ends inside (z0, z1); past its end only count them."""
    first = y0
    for i in range(x0, x1):
        while first < y1 and y_ends[first] - x_ends[i] <= z0:
            first += 1
        j = first
        while j < y1 and y_ends[j] - x_ends[i] < z1:
            if n < len(out):
                out[n] = y_ends[j] - x_ends[i]
            n += 1
            j += 1
    return n


@jit
def _configurations(xs: Shapes, x: int, ys: Shapes, y: int, z0: float, z1: float) -> Floats:
    """The sorted differences of piece ends inside (z0, z1), with z0 first and z1 last."""
    x0, x1 = xs.start[x], xs.start[x + 1]
    y0, y1 = ys.start[y], ys.start[y + 1]
    points = np.empty(64)
    while True:
        n = _differences(xs.lo, x0, x1, ys.lo, y0, y1, z0, z1, points, 2)
        n = _differences(xs.hi, x0, x1, ys.lo, y0, y1, z0, z1, points, n)
        n = _differences(xs.lo, x0, x1, ys.hi, y0, y1, z0, z1, points, n)
        n = _differences(xs.hi, x0, x1, ys.hi, y0, y1, z0, z1, points, n)
        if n <= len(points):
            break
        points = np.empty(n)
    points[0] = z0
    points[1] = z1
    return np.sort(points[:n])


@jit
def quantile(xs: Shapes, x: int, ys: Shapes, y: int, confidence: float) -> float:
    """The least z with P(Y - X <= z) >= confidence, for 0 < confidence <= 1."""
    z0 = ys.lo[ys.start[y]] - xs.hi[xs.start[x + 1] - 1]
    z1 = ys.hi[ys.start[y + 1] - 1] - xs.lo[xs.start[x]]
    level = confidence - TOLERANCE
    if shaped_at_most(xs, x, ys, y, 0.0, z0 + _HAIR * abs(z0)) >= level:
        return z0
    for _ in range(_COARSE_STEPS):
        middle = 0.5 * (z0 + z1)
        if not z0 < middle < z1:
            break
        if shaped_at_most(xs, x, ys, y, 0.0, middle + _HAIR * abs(middle)) >= level:
            z1 = middle
        else:
            z0 = middle
    points = _configurations(xs, x, ys, y, z0, z1)
    below = 0
    above = len(points) - 1
    while above - below > 1:
        middle_point = (below + above) // 2
        middle = points[middle_point]
        if shaped_at_most(xs, x, ys, y, 0.0, middle + _HAIR * abs(middle)) >= level:
            above = middle_point
        else:
            below = middle_point
    z0 = points[below]
    z1 = points[above]
    p1 = shaped_below(xs, x, ys, y, 0.0, z1 - _HAIR * abs(z1))
    if p1 < level:
        return z1
    p0 = shaped_at_most(xs, x, ys, y, 0.0, z0 + _HAIR * abs(z0))
    pm = shaped_at_most(xs, x, ys, y, 0.0, 0.5 * (z0 + z1))
    return _root_of_quadratic(z0, z1, p0, pm, p1, level)


@jit
def _rise(
    xs: Shapes, x: int, x_density: Floats, ys: Shapes, y: int, y_density: Floats, z: float
) -> tuple[float, float]:
    """P(Y - X <= z) and its derivative for shapes without points, in one walk over the merged piece ends.

    On a stretch between two neighbouring ends X has a constant density and the distribution function of Y
    is linear, so the stretch adds its length times both at the middle: theorem 1, stretch by stretch.
    """
    total = 0.0
    slope = 0.0
    before = 0.0
    j = ys.start[y]
    end = ys.start[y + 1]
    for i in range(xs.start[x], xs.start[x + 1]):
        at = xs.lo[i]
        stop = xs.hi[i]
        density = x_density[i]
        while j < end and ys.hi[j] - z <= at:
            before += ys.mass[j]
            j += 1
        while at < stop:
            if j == end:
                total += density * (stop - at) * before
                break
            y1 = ys.lo[j] - z
            y2 = ys.hi[j] - z
            if at < y1:
                until = min(y1, stop)
                total += density * (until - at) * before
                at = until
                continue
            until = min(y2, stop)
            length = until - at
            total += density * length * (before + y_density[j] * (at - y1 + 0.5 * length))
            slope += density * length * y_density[j]
            at = until
            if until == y2:
                before += ys.mass[j]
                j += 1
    return total, slope


@jit
def _moments(shapes: Shapes) -> tuple[Floats, Floats]:
    """The mean and the variance of every shape."""
    count = len(shapes.start) - 1
    mean, variance = np.zeros(count), np.zeros(count)
    for k in range(count):
        for p in range(shapes.start[k], shapes.start[k + 1]):
            mean[k] += shapes.mass[p] * 0.5 * (shapes.lo[p] + shapes.hi[p])
        for p in range(shapes.start[k], shapes.start[k + 1]):
            middle, width = 0.5 * (shapes.lo[p] + shapes.hi[p]), shapes.hi[p] - shapes.lo[p]
            variance[k] += shapes.mass[p] * ((middle - mean[k]) ** 2 + width * width / 12.0)
    return mean, variance


@jit
def _quantile_by_slope(
    xs: Shapes, x: int, x_density: Floats, ys: Shapes, y: int, y_density: Floats, confidence: float, guess: float
) -> float:
    """`quantile` for shapes without points: Newton steps, halving where they leave the bracket or shrink too slowly.

    Newton alone can run in a circle, as the slope has corners; a step that is not half of the last but one
    is therefore replaced by halving, which makes an end certain.
    """
    z0 = ys.lo[ys.start[y]] - xs.hi[xs.start[x + 1] - 1]
    z1 = ys.hi[ys.start[y + 1] - 1] - xs.lo[xs.start[x]]
    level = confidence - TOLERANCE
    reach = z1 - z0
    z = guess if z0 < guess < z1 else z0 + confidence * reach
    last = before_last = reach
    while z1 - z0 > 1e-13 * reach and z0 < z < z1:
        p, slope = _rise(xs, x, x_density, ys, y, y_density, z)
        if p >= level:
            z1 = z
        else:
            z0 = z
        step = (level - p) / slope if slope > 0.0 else np.inf
        if abs(step) <= 1e-13 * reach:
            return z + step
        if abs(step) > 0.5 * before_last or not z0 < z + step < z1:
            step = 0.5 * (z0 + z1) - z
        before_last = last
        last = abs(step)
        z = z + step
    return z1


def satisfaction_shifts(xs: Shapes, ys: Shapes, low: float, high: float, confidence: float) -> tuple[Floats, Floats]:
    """For every pair of shapes the least and the most shift of y that can still satisfy the band.

    `least[u, v] <= anchor_y - anchor_x <= most[u, v]` holds exactly when both P(Y - X >= low) and
    P(Y - X <= high) reach the confidence: theorem 2's table of satisfaction times, made once a query.
    """
    return satisfaction_shift_rows(xs, ys, low, high, confidence, 0, len(xs.start) - 1)


@jit
def satisfaction_shift_rows(
    xs: Shapes, ys: Shapes, low: float, high: float, confidence: float, first: int, last: int
) -> tuple[Floats, Floats]:
    """The rows `first` to `last` of the table of satisfaction shifts, so that threads can share it."""
    m = len(ys.start) - 1
    least = np.full((last - first, m), -np.inf)
    most = np.full((last - first, m), np.inf)
    x_width = xs.hi - xs.lo
    y_width = ys.hi - ys.lo
    smooth = (x_width > 0.0).all() and (y_width > 0.0).all()
    x_density = xs.mass / x_width
    y_density = ys.mass / y_width
    x_mean, x_variance = _moments(xs)
    y_mean, y_variance = _moments(ys)
    # Near enough to a normal quantile (Tukey's lambda) to begin from: a difference of two histograms is about normal.
    score = (confidence**0.135 - (1.0 - confidence) ** 0.135) / 0.1975
    for u in range(first, last):
        for v in range(m):
            apart, spread = y_mean[v] - x_mean[u], score * np.sqrt(x_variance[u] + y_variance[v])
            if high < np.inf:
                if smooth:
                    edge = _quantile_by_slope(xs, u, x_density, ys, v, y_density, confidence, apart + spread)
                else:
                    edge = quantile(xs, u, ys, v, confidence)
                most[u - first, v] = high - edge
            if low > -np.inf:
                if smooth:
                    edge = _quantile_by_slope(ys, v, y_density, xs, u, x_density, confidence, spread - apart)
                else:
                    edge = quantile(ys, v, xs, u, confidence)
                least[u - first, v] = low + edge
    return least, most
