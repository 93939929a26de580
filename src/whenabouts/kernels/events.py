"""The arrays by which every kernel knows uncertain times.

An event's time is `anchor + shape`: a number and a distribution relative to it. A shape is a run of pieces
`(lo, hi, mass)`, in order and not overlapping; a piece with `lo == hi` is a point (an atom), any other one
is uniform. One representation carries points, intervals, templates, histograms and pmfs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Shapes(NamedTuple):
    """Distributions relative to an anchor; shape k is the pieces `start[k]:start[k + 1]`."""

    start: Ints
    lo: Floats
    hi: Floats
    mass: Floats


class Events(NamedTuple):
    """Columns of uncertain times; `earliest` and `latest` bound the support of each."""

    earliest: Floats
    latest: Floats
    anchor: Floats
    shape: Ints
    shapes: Shapes


NO_SHAPES = Shapes(np.zeros(1, dtype=np.int64), np.empty(0), np.empty(0), np.empty(0))
"""In place of shapes, for uniform events in the hands of a kernel that only needs their ends."""


def uniform_events(earliest: Floats, latest: Floats) -> Events:
    """Events that are uniform on [earliest, latest], by their ends alone."""
    return Events(earliest, latest, earliest, np.empty(0, dtype=np.int64), NO_SHAPES)


def with_shapes(events: Events) -> Events:
    """The same uniform events with a one-piece shape each, for kernels that know nothing but shapes."""
    count = len(events.earliest)
    own = np.arange(count, dtype=np.int64)
    starts = np.arange(count + 1, dtype=np.int64)
    width = events.latest - events.earliest
    return Events(
        events.earliest, events.latest, events.earliest, own, Shapes(starts, np.zeros(count), width, np.ones(count))
    )


def take(events: Events, order: Ints | slice) -> Events:
    """The events at the given positions, or in a stretch of them; shapes are shared, not copied."""
    if events.shapes is NO_SHAPES:
        return uniform_events(events.earliest[order], events.latest[order])
    return Events(
        events.earliest[order], events.latest[order], events.anchor[order], events.shape[order], events.shapes
    )


def shape_supports(shapes: Shapes) -> tuple[Floats, Floats]:
    """The first and last possible moment of each shape, relative to its anchor."""
    return shapes.lo[shapes.start[:-1]], shapes.hi[shapes.start[1:] - 1]
