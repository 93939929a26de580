"""Times counted in ticks: paper 002's model, where a time is one of finitely many instants.

The ends of an interval are rounded to ticks, and all ticks from the one to the other are equally likely. A bucket of
a histogram has the ticks from its lower end up to its upper end, which belongs to the next bucket; the last one has
both. A bucket too narrow to have one sits on the tick of its lower end, and so does a point on its nearest.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints, Shapes, uniform_events


def count_in_ticks(events: Events, grain: float) -> Events:
    """The events with times in ticks of the given length, a tick k being the stretch [k, k + 1)."""
    if len(events.shape) == 0:
        return uniform_events(_nearest(events.earliest, grain), _nearest(events.latest, grain) + 1.0)
    shapes = events.shapes
    room = int(np.diff(shapes.start)[events.shape].sum())
    start = np.zeros(len(events.shape) + 1, dtype=np.int64)
    lo, hi, mass = np.empty(2 * room), np.empty(2 * room), np.empty(2 * room)
    used = _count_pieces(events, grain, start, lo, hi, mass)
    counted = Shapes(start, lo[:used], hi[:used], mass[:used])
    own = np.arange(len(events.shape), dtype=np.int64)
    return Events(lo[start[:-1]], hi[start[1:] - 1], np.zeros(len(own)), own, counted)


def _nearest(moments: Floats, grain: float) -> Floats:
    return np.floor(moments / grain + 0.5)


@jit
def _count_pieces(events: Events, grain: float, start: Ints, lo: Floats, hi: Floats, mass: Floats) -> int:
    shapes, used = events.shapes, 0
    for one in range(len(events.shape)):
        anchor, begin = events.anchor[one], used
        end = shapes.start[events.shape[one] + 1]
        for piece in range(shapes.start[events.shape[one]], end):
            first = np.floor((anchor + shapes.lo[piece]) / grain + 0.5)
            last = np.floor((anchor + shapes.hi[piece]) / grain + 0.5)
            last = max(first + 1.0, last + 1.0 if piece + 1 == end else last)
            part = shapes.mass[piece]
            if used > begin and first < hi[used - 1]:
                shared = part / (last - first)
                mass[used - 1] += shared
                part -= shared
                first += 1.0
                if first == last:
                    continue
            lo[used], hi[used], mass[used] = first, last, part
            used += 1
        start[one + 1] = used
    return used


def window_in_ticks(window: float, grain: float) -> float:
    """How many ticks a time must lie after another to be W or more after it."""
    if not np.isfinite(window):
        return window
    ticks = window / grain
    whole = float(np.rint(ticks))
    return whole if abs(ticks - whole) <= 1e-9 * max(1.0, whole) else float(np.ceil(ticks))
