"""Closed forms for chains of two and three intervals: no grid, no arrays.

For three times the middle one is gone through. Given t_2 = t, the first must lie in (t - W, t) and the third in
(t, t_1 + W), so with the third's mass clipped to an interval,

    G(t) = 1/(w_1 w_3) * integral of clip(s + W - c, 0, hi_3 - c) ds,  c = max(t, lo_3),

over s from max(lo_1, t - W) to min(hi_1, t): a quadratic between five breakpoints, which two Gauss nodes integrate
exactly. No term is ever below zero. A time without width is a point, and ties do not count as increasing.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints

_NODE = 0.21132486540518713
"""The lower of the two Gauss nodes on [0, 1]; the other lies as far from the upper end."""


@jit
def third_and_first(lo1: float, hi1: float, lo3: float, hi3: float, window: float, t: float) -> float:
    """P(t_1 < t < t_3 < t_1 + W) for a given t."""
    if hi3 <= t:
        return 0.0
    c = max(t, lo3)
    if lo1 == hi1:
        if not t - window < lo1 < t:
            return 0.0
        if lo3 == hi3:
            return 1.0 if t < lo3 < lo1 + window else 0.0
        return max(0.0, min(lo1 + window, hi3) - c) / (hi3 - lo3)
    a, b = max(lo1, t - window), min(hi1, t)
    if b <= a:
        return 0.0
    if lo3 == hi3:
        return max(0.0, b - max(a, lo3 - window)) / (hi1 - lo1)
    return _area(lo1, hi1, lo3, hi3, window, t) / (hi1 - lo1) / (hi3 - lo3)


@jit
def _area(lo1: float, hi1: float, lo3: float, hi3: float, window: float, t: float) -> float:
    """The area of the pairs t_1 < t < t_3 < t_1 + W, both of some width, where there are any."""
    a, c = max(lo1, t - window), max(t, lo3)
    b, height = max(a, min(hi1, t)), hi3 - c
    xa, xb = a + window - c, b + window - c
    u0, u1 = min(max(xa, 0.0), height), min(max(xb, 0.0), height)
    return (u1 - u0) * (u1 + u0) * 0.5 + height * max(0.0, xb - max(xa, height))


@jit
def three_in_order(lo1: float, hi1: float, lo2: float, hi2: float, lo3: float, hi3: float, window: float) -> float:
    """P(t_1 < t_2 < t_3 < t_1 + W) for three independent times, each uniform on its interval."""
    window = min(window, 2.0 * (hi3 - lo1) + 1.0)
    if lo2 == hi2:
        return third_and_first(lo1, hi1, lo3, hi3, window, lo2)
    x, end = max(lo2, lo1), min(hi2, min(hi3, hi1 + window))
    total, wide = 0.0, lo1 < hi1 and lo3 < hi3
    b1, b2, b3, b4, b5 = lo1 + window, hi1, lo3, hi3 - window, lo3 - window
    while x < end:
        y = end
        if x < b1:
            y = min(y, b1)
        if x < b2:
            y = min(y, b2)
        if x < b3:
            y = min(y, b3)
        if x < b4:
            y = min(y, b4)
        if x < b5:
            y = min(y, b5)
        t, u = x + _NODE * (y - x), y - _NODE * (y - x)
        if wide:
            total += (y - x) * (_area(lo1, hi1, lo3, hi3, window, t) + _area(lo1, hi1, lo3, hi3, window, u))
        else:
            total += (y - x) * (
                third_and_first(lo1, hi1, lo3, hi3, window, t) + third_and_first(lo1, hi1, lo3, hi3, window, u)
            )
        x = y
    total *= 0.5 / (hi2 - lo2)
    return total / (hi1 - lo1) / (hi3 - lo3) if wide else total


@jit
def two_in_order(lo1: float, hi1: float, lo2: float, hi2: float, window: float) -> float:
    """P(t_1 < t_2 < t_1 + W) for two independent times, each uniform on its interval."""
    window = min(window, 2.0 * (hi2 - lo1) + 1.0)
    if lo2 == hi2:
        if lo1 == hi1:
            return 1.0 if lo1 < lo2 < lo1 + window else 0.0
        return max(0.0, min(hi1, lo2) - max(lo1, lo2 - window)) / (hi1 - lo1)
    if lo1 == hi1:
        return max(0.0, min(hi2, lo1 + window) - max(lo2, lo1)) / (hi2 - lo2)
    x, end = max(lo1, lo2 - window), min(hi1, hi2)
    total = 0.0
    while x < end:
        y = end
        for b in (lo2, hi2 - window, lo2 - window):
            if x < b < y:
                y = b
        s = 0.5 * (x + y)
        total += (y - x) * (min(hi2, s + window) - max(lo2, s))
        x = y
    return total / (hi1 - lo1) / (hi2 - lo2)


@jit
def chain_of(lo: Floats, hi: Floats, length: int, window: float, chosen: Ints) -> float:
    """P(t_1 < ... < t_l < t_1 + W) where at most three times that overlap hang together; -1 where more do.

    Where a time surely precedes the next, the chain falls into independent parts. The parts of the first and of the
    last time go together if the window is in doubt.
    """
    reach = hi[length - 1] - lo[0]
    bounded = reach > window or (reach == window and lo[0] == hi[0] and lo[length - 1] == hi[length - 1])
    result, begin, kept = 1.0, 0, 0
    for place in range(length):
        if place + 1 < length and not (
            hi[place] < lo[place + 1]
            or (hi[place] == lo[place + 1] and (lo[place] < hi[place] or lo[place + 1] < hi[place + 1]))
        ):
            continue
        size = place + 1 - begin
        if bounded and (begin == 0 or place + 1 == length):
            if kept + size > 3:
                return -1.0
            for number in range(begin, place + 1):
                chosen[kept] = number
                kept += 1
        elif size == 2:
            result *= two_in_order(lo[begin], hi[begin], lo[place], hi[place], np.inf)
        elif size == 3:
            result *= three_in_order(lo[begin], hi[begin], lo[begin + 1], hi[begin + 1], lo[place], hi[place], np.inf)
        elif size > 3:
            return -1.0
        begin = place + 1
    if kept == 2:
        i, j = chosen[0], chosen[1]
        result *= two_in_order(lo[i], hi[i], lo[j], hi[j], window)
    elif kept == 3:
        i, j, k = chosen[0], chosen[1], chosen[2]
        result *= three_in_order(lo[i], hi[i], lo[j], hi[j], lo[k], hi[k], window)
    return min(result, 1.0)
