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


def uniform_events(earliest: Floats, latest: Floats) -> Events:
    """Events that are uniform on [earliest, latest]; every event has its own one-piece shape."""
    count = len(earliest)
    return Events(
        earliest,
        latest,
        earliest,
        np.arange(count, dtype=np.int64),
        Shapes(np.arange(count + 1, dtype=np.int64), np.zeros(count), latest - earliest, np.ones(count)),
    )


def take(events: Events, order: Ints) -> Events:
    """The events at the given positions; shapes are shared, not copied."""
    return Events(
        events.earliest[order], events.latest[order], events.anchor[order], events.shape[order], events.shapes
    )


def shape_supports(shapes: Shapes) -> tuple[Floats, Floats]:
    """The first and last possible moment of each shape, relative to its anchor."""
    return shapes.lo[shapes.start[:-1]], shapes.hi[shapes.start[1:] - 1]
