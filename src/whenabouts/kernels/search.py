"""Finding a place in sorted times, starting from a place that is likely near."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats


@jit
def first_at_least(values: Floats, start: int, end: int, hint: int, bound: float) -> int:
    """The first position in [start, end) with values[p] >= bound, or end; galloping from `hint`."""
    low = start
    high = end
    at = min(max(hint, start), end)
    step = 1
    if at < end and values[at] < bound:
        low = at + 1
        while low + step < end and values[low + step] < bound:
            low += step
            step *= 2
        high = min(low + step, end)
    else:
        high = at
        while high - step >= start and values[high - step] >= bound:
            high -= step
            step *= 2
        low = max(high - step, start)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def first_above(values: Floats, start: int, end: int, hint: int, bound: float) -> int:
    """The first position in [start, end) with values[p] > bound, or end."""
    return first_at_least(values, start, end, hint, np.nextafter(bound, np.inf))
