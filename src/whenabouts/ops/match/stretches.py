"""Offsets that a float can hold: a search over times that lie too far apart, cut along its first events.

Kernel times are float64 offsets from one origin, exact up to 2**53 ticks: 285 years of microseconds, but only 104
days of nanoseconds. Beyond that every stretch of first events gets an origin of its own, and the events in their reach.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from whenabouts.ops.match.evaluate import Prepared
from whenabouts.ops.match.prepare import prepare

_EXACT = 2.0**53
_STRETCH = 2.0**51
_SLACK = 2.0**12
"""More than rounding can have moved an end."""


def stretches(prepared: Prepared) -> Iterator[Prepared]:
    """The search itself where its offsets are exact, and else one search a stretch of its first events."""
    asked, table, events = prepared.asked, prepared.table, prepared.events
    assert asked is not None
    assert table is not None
    grain = asked.grain or 1.0
    if not asked.clock.exact or not len(events.latest) or float(events.latest.max()) * grain <= _EXACT:
        yield prepared
        return
    fits = np.zeros((len(prepared.rows), len(table)), dtype=np.bool_)
    for component, rows in enumerate(prepared.rows):
        fits[component, rows] = True
    first = prepared.negated.index(False)
    roots = prepared.rows[first]
    earliest, latest = events.earliest * grain, events.latest * grain
    cells = np.floor_divide(earliest[roots], _STRETCH)
    for cell in np.unique(cells):
        own = roots[cells == cell]
        low, high = earliest[own].min() - _SLACK, latest[own].max() + asked.window + _SLACK
        near = (latest >= low) & (earliest <= high)
        some = fits[:, near]
        mine = np.zeros(len(table), dtype=np.bool_)
        mine[own] = True
        some[first] &= mine[near]
        part = prepare(asked, table.filter(pa.array(near)), some)
        part.counts.clear()
        yield part
        for name, count in part.counts.items():
            prepared.counts[name] = prepared.counts.get(name, 0) + count
