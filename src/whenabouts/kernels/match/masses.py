"""How much of an event lies somewhere: in an interval, in a cell of a grid, at a moment."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events


@jit
def mass_inside(events: Events, one: int, a: float, b: float) -> float:
    """The probability that an event happens in the open interval (a, b); ticks are stretches, so a..b - 1 for them."""
    if events.earliest[one] >= b or events.latest[one] <= a:
        return 0.0
    if len(events.shape) == 0:
        lo, hi = events.earliest[one], events.latest[one]
        if lo == hi:
            return 1.0 if a < lo < b else 0.0
        if a <= lo and hi <= b:
            return 1.0
        return (min(hi, b) - max(lo, a)) / (hi - lo)
    shapes, anchor = events.shapes, events.anchor[one]
    total, outside = 0.0, 0.0
    for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
        lo, hi, mass = anchor + shapes.lo[piece], anchor + shapes.hi[piece], shapes.mass[piece]
        if lo == hi:
            inside = 1.0 if a < lo < b else 0.0
        elif a <= lo and hi <= b:
            inside = 1.0
        else:
            inside = max(0.0, min(hi, b) - max(lo, a)) / (hi - lo)
        total += mass * inside
        outside += mass * (1.0 - inside)
    return 1.0 if outside == 0.0 else total


@jit
def cell_mass(events: Events, one: int, a: float, b: float) -> float:
    """The mass of an event in a cell (a, b) in which it is uniform or absent."""
    if len(events.shape) == 0:
        lo, hi = events.earliest[one], events.latest[one]
        return (b - a) / (hi - lo) if lo <= a and b <= hi else 0.0
    shapes, anchor = events.shapes, events.anchor[one]
    for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
        lo, hi = anchor + shapes.lo[piece], anchor + shapes.hi[piece]
        if lo <= a and b <= hi:
            return shapes.mass[piece] * (b - a) / (hi - lo)
    return 0.0


@jit
def point_mass(events: Events, one: int, t: float) -> float:
    """The mass of an event at a moment."""
    if len(events.shape) == 0:
        return 1.0 if events.earliest[one] == t and events.latest[one] == t else 0.0
    shapes, anchor = events.shapes, events.anchor[one]
    total = 0.0
    for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
        if anchor + shapes.lo[piece] == t and anchor + shapes.hi[piece] == t:
            total += shapes.mass[piece]
    return total
