"""Width classes: a few very wide events must not widen everybody's window of candidates.

The window of a left event reaches as far as the widest event on the right. One reading that is uncertain by a day,
among a million that are uncertain by a second, would make every pair a candidate. So the right side is swept in
classes, within which no event is more than a few times as wide as another.
"""

from __future__ import annotations

import math

import numpy as np

from whenabouts.ops.timing.prepare import Prepared, grouped, some_of

_FACTOR = 8.0
_SAMPLE = 4096
_USUAL = 0.9
"""The share of the events that the narrowest class should hold, if it can."""


def width_classes(part: Prepared) -> list[Prepared]:
    """The join itself where widths are alike, and else one join a class of widths on the right."""
    if not len(part.left.rows) or not len(part.right.rows) or not part.widest.any():
        return [part]
    earliest, latest = part.right.events.earliest, part.right.events.latest
    band = part.join.high - part.join.low
    some = slice(None, None, max(len(latest) // _SAMPLE, 1))
    usual = max(float(np.quantile(latest[some] - earliest[some], _USUAL)), band if math.isfinite(band) else 0.0)
    if usual and part.widest.max() <= _FACTOR * usual:
        return [part]
    width = latest - earliest
    usual = usual or width[width > 0].min()
    number = np.ceil(np.log(np.maximum(width / usual, 1.0)) / math.log(_FACTOR))
    classes = (some_of(part.right, np.flatnonzero(number == one)) for one in np.unique(number))
    return [grouped(part.join, part.left, right, len(part.groups.right_start), {}) for right in classes]
