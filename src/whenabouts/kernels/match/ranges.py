"""Valid ranges: the tightest bounds of each time of a match over the worlds in which it is one.

Paper 002, section 5.1, walks over a match three times: forward for the valid lower bounds, backward for the revised
upper bounds, and backward again where the window cuts the last one. The window also cuts from below, t_1 > t_l - W,
which the definition of the tightest range asks for and the paper leaves out; so here both directions are repeated
until nothing moves, which for supports without gaps is after one more pass.

In continuous time a bound is the infimum or supremum of what is possible; in counted time it is a tick, the last one
included.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints


@jit
def first_after(events: Events, one: int, t: float, discrete: bool) -> float:
    """The earliest possible moment of an event that lies after t; infinite where there is none.

    In continuous time that is an infimum: of [0, 9] after 4 it is 4.
    """
    if len(events.shape) == 0:
        if discrete:
            return max(events.earliest[one], t + 1.0) if events.latest[one] > t + 1.0 else np.inf
        if events.latest[one] > t:
            return max(events.earliest[one], t)
        return np.inf
    shapes, anchor = events.shapes, events.anchor[one]
    for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
        lo, hi = anchor + shapes.lo[piece], anchor + shapes.hi[piece]
        if discrete:
            if hi > t + 1.0:
                return max(lo, t + 1.0)
        elif hi > t:
            return max(lo, t)
    return np.inf


@jit
def last_before(events: Events, one: int, t: float, discrete: bool) -> float:
    """The latest possible moment of an event that lies before t; minus infinity where there is none."""
    if len(events.shape) == 0:
        if discrete:
            return min(events.latest[one] - 1.0, t - 1.0) if events.earliest[one] < t else -np.inf
        if events.earliest[one] < t:
            return min(events.latest[one], t)
        return -np.inf
    shapes, anchor = events.shapes, events.anchor[one]
    for piece in range(shapes.start[events.shape[one] + 1] - 1, shapes.start[events.shape[one]] - 1, -1):
        lo, hi = anchor + shapes.lo[piece], anchor + shapes.hi[piece]
        if lo < t:
            return min(hi - 1.0, t - 1.0) if discrete else min(hi, t)
    return -np.inf


@jit
def valid_ranges(
    events: Events, match: Ints, length: int, window: float, discrete: bool, lower: Floats, upper: Floats
) -> bool:
    """Fill in the valid range of each of the first `length` events of a match; False where it cannot be one."""
    start = -np.inf
    while True:
        bound = start
        for place in range(length):
            bound = first_after(events, match[place], bound, discrete)
            if bound == np.inf:
                return False
            lower[place] = bound
        if bound - window < lower[0] or bound - window <= start:
            break
        start = bound - window
    end = np.inf
    while True:
        bound = end
        for place in range(length - 1, -1, -1):
            bound = last_before(events, match[place], bound, discrete)
            if bound == -np.inf:
                return False
            upper[place] = bound
        if bound + window > upper[length - 1] or bound + window >= end:
            return True
        end = bound + window


@jit
def lower_bounds(events: Events, match: Ints, length: int, discrete: bool, lower: Floats, upper: Floats) -> bool:
    """The first of the three passes alone: valid lower bounds, and upper bounds as they are."""
    bound = -np.inf
    for place in range(length):
        bound = first_after(events, match[place], bound, discrete)
        if bound == np.inf:
            return False
        lower[place] = bound
        upper[place] = last_before(events, match[place], np.inf, discrete)
    return True
