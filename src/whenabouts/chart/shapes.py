"""Histograms as what can be drawn: boxes of density, and points that carry mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from whenabouts.kernels.events import Events, Floats, Shapes
from whenabouts.model.histogram import Histogram

_MOST_KNOTS = 1200


class Box(NamedTuple):
    """A stretch of even density."""

    lo: float
    hi: float
    density: float


class Point(NamedTuple):
    """A moment that has a probability of its own."""

    at: float
    mass: float


class Slope(NamedTuple):
    """A stretch over which the density goes straight from one value to another."""

    lo: float
    hi: float
    at_lo: float
    at_hi: float


def boxes_and_points(pieces: Sequence[tuple[float, float, float]]) -> tuple[list[Box], list[Point]]:
    """The pieces (lo, hi, mass) of a distribution, apart."""
    boxes = [Box(lo, hi, mass / (hi - lo)) for lo, hi, mass in pieces if hi > lo]
    return boxes, [Point(lo, mass) for lo, hi, mass in pieces if hi == lo]


def as_shapes(histograms: Sequence[Histogram]) -> Shapes:
    """Histograms as the kernels know them, relative to zero."""
    runs = [histogram.pieces() for histogram in histograms]
    start = np.cumsum([0, *map(len, runs)], dtype=np.int64)
    lo, hi, mass = np.array([piece for run in runs for piece in run], dtype=np.float64).reshape(-1, 3).T.copy()
    return Shapes(start, lo, hi, mass)


def as_events(histograms: Sequence[Histogram]) -> Events:
    """Histograms as events anchored at zero, each with its own shape."""
    shapes = as_shapes(histograms)
    first, last = shapes.lo[shapes.start[:-1]], shapes.hi[shapes.start[1:] - 1]
    return Events(first, last, np.zeros(len(first)), np.arange(len(first), dtype=np.int64), shapes)


def difference(x: Histogram, y: Histogram, cuts: Sequence[float] = ()) -> tuple[list[Slope], list[Point]]:
    """The distribution of Y - X: straight stretches of density, cut also at `cuts`, and points.

    Two boxes differ by a trapezoid, a box and a point by a box, two points by a point.
    """
    (x_boxes, x_points), (y_boxes, y_points) = boxes_and_points(x.pieces()), boxes_and_points(y.pieces())
    moved = [Box(b.lo - p.at, b.hi - p.at, b.density * p.mass) for b in y_boxes for p in x_points]
    moved += [Box(p.at - b.hi, p.at - b.lo, b.density * p.mass) for b in x_boxes for p in y_points]
    ends = [e - f for b in y_boxes for e in b[:2] for c in x_boxes for f in c[:2]]
    ends += [end for box in moved for end in box[:2]]
    masses: dict[float, float] = {}
    for p in x_points:
        for q in y_points:
            masses[q.at - p.at] = masses.get(q.at - p.at, 0.0) + p.mass * q.mass
    points = [Point(*item) for item in sorted(masses.items())]
    if not ends:
        return [], points
    knots = _knots(np.array(ends), cuts)
    values = np.zeros((2, len(knots) - 1))
    for value, at in zip(values, (knots[:-1], knots[1:]), strict=True):
        for a in x_boxes:
            for b in y_boxes:
                overlap = np.minimum(a.hi + at, b.hi) - np.maximum(a.lo + at, b.lo)
                value += a.density * b.density * np.maximum(overlap, 0.0)
    middle = 0.5 * (knots[:-1] + knots[1:])
    for box in moved:
        values += np.where((box.lo <= middle) & (middle <= box.hi), box.density, 0.0)
    return [Slope(*map(float, row)) for row in zip(knots[:-1], knots[1:], *values, strict=True)], points


def _knots(ends: Floats, cuts: Sequence[float]) -> Floats:
    """Where stretches begin and end; of very many, an even selection that looks the same."""
    knots = np.unique(ends)
    inside = [cut for cut in cuts if knots[0] < cut < knots[-1]]
    if len(knots) > _MOST_KNOTS:
        knots = np.linspace(knots[0], knots[-1], _MOST_KNOTS)
    return np.unique(np.concatenate([knots, inside]))
