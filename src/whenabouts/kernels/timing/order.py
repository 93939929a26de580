"""The stochastic order of uncertain times, on which reuse of results rests (paper 001, corollary 2).

X is no later than Y when P(X <= t) >= P(Y <= t) for every t, which is the same as Q_X(p) <= Q_Y(p) for every
level p of the quantile functions. For two intervals it says that both ends are no later.
"""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events


@jit
def no_later(events: Events, a: int, b: int) -> bool:
    """Whether event a of a side is stochastically no later than event b of the same side.

    Between two neighbouring levels at which either distribution enters a new piece both quantile functions
    are linear, so comparing them at the two ends of each such stretch settles it.
    """
    if events.shape[a] == events.shape[b]:
        return events.anchor[a] <= events.anchor[b]
    if events.earliest[a] > events.earliest[b] or events.latest[a] > events.latest[b]:
        return False
    shapes = events.shapes
    i = shapes.start[events.shape[a]]
    i_end = shapes.start[events.shape[a] + 1]
    j = shapes.start[events.shape[b]]
    j_end = shapes.start[events.shape[b] + 1]
    used_i = 0.0
    used_j = 0.0
    while i < i_end and j < j_end:
        left_i = shapes.mass[i] - used_i
        left_j = shapes.mass[j] - used_j
        if left_i <= 0.0:
            i += 1
            used_i = 0.0
            continue
        if left_j <= 0.0:
            j += 1
            used_j = 0.0
            continue
        step = min(left_i, left_j)
        for level in (0.0, step):
            at_a = events.anchor[a] + shapes.lo[i] + (shapes.hi[i] - shapes.lo[i]) * ((used_i + level) / shapes.mass[i])
            at_b = events.anchor[b] + shapes.lo[j] + (shapes.hi[j] - shapes.lo[j]) * ((used_j + level) / shapes.mass[j])
            if at_a > at_b:
                return False
        used_i += step
        used_j += step
    return True
