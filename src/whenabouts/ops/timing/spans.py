"""Offsets that a float can hold: a join of whole ticks whose times lie too far apart, cut along its left side.

Kernel times are float64 offsets from one origin, exact up to 2**53 ticks: 285 years of microseconds, but only 104
days of nanoseconds. Where ticks beyond that would melt together, every stretch of the left side gets an origin of
its own, and the right rows that its band can reach.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels.events import Ints, with_shapes
from whenabouts.ops.timing.prepare import Prepared, Sorted, grouped, some_of
from whenabouts.schema import to_events

_EXACT = 2.0**53
_STRETCH = 1 << 51


def spans(part: Prepared) -> list[Prepared]:
    """The join itself where its offsets are exact, and else one join a stretch of the left side."""
    left, right = part.left, part.right
    if not part.join.clock.exact or not len(left.rows) or not len(right.rows):
        return [part]
    if max(left.events.latest.max(), right.events.latest.max()) <= _EXACT:
        return [part]
    ticks, others = (side.times.anchor[side.rows].astype(np.int64, copy=False) for side in (left, right))
    origin = min(ticks.min(), others.min())
    if _is_exact(left, ticks - origin) and _is_exact(right, others - origin):
        return [part]
    return [
        _moved(part, np.flatnonzero(cell), others, int(ticks[cell].min()))
        for cell in _cells((ticks - ticks.min()) // _STRETCH)
    ]


def _is_exact(side: Sorted, offsets: Ints) -> bool:
    """Whether floats hold the anchors and both ends of all rows, as they may far from the origin if these are round."""
    anchor, lo, hi = offsets.astype(np.float64), side.times.lo[side.rows], side.times.hi[side.rows]
    held = (anchor.astype(np.int64) == offsets) & (anchor + lo - anchor == lo) & (anchor + hi - anchor == hi)
    return bool(held.all())


def _cells(number: Ints) -> list[NDArray[np.bool_]]:
    return [number == one for one in np.unique(number)]


def _moved(part: Prepared, at: Ints, others: Ints, origin: int) -> Prepared:
    """The join of some left rows, counted from an origin near them, with the right rows in reach."""
    left, right = part.left, part.right
    first, last = _ends(left, at, origin)
    offset = (others - origin).astype(np.float64)
    slack = float(_STRETCH)
    reached = (offset + right.times.hi[right.rows] >= first + part.join.low - slack) & (
        offset + right.times.lo[right.rows] <= last + part.join.high + slack
    )
    count = len(part.groups.right_start)
    one = _counted_from(left, at, origin)
    other = _counted_from(right, np.flatnonzero(reached), origin)
    if left.uniform != right.uniform:
        one, other = (replace(side, events=with_shapes(side.events)) if side.uniform else side for side in (one, other))
    return grouped(part.join, one, other, count, {})


def _ends(side: Sorted, at: Ints, origin: int) -> tuple[float, float]:
    """The first and the last moment of some rows."""
    rows = side.rows[at]
    offset = (side.times.anchor[rows] - origin).astype(np.float64)
    return float((offset + side.times.lo[rows]).min()), float((offset + side.times.hi[rows]).max())


def _counted_from(side: Sorted, at: Ints, origin: int) -> Sorted:
    """Some rows of a side on another origin, sorted anew: what had melted together has an order again."""
    chosen = some_of(side, at[np.argsort(side.rows[at])])
    chosen = replace(chosen, events=to_events(side.times, chosen.rows, origin))
    return some_of(chosen, np.lexsort((chosen.events.latest, chosen.group)))
