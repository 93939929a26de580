"""For one event and a partner known by its latest time m: what the probability can be, and what that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whenabouts.chart.shapes import as_events
from whenabouts.kernels.events import Events, Floats
from whenabouts.kernels.probability import shaped_at_most, shaped_below
from whenabouts.kernels.timing.bounds import Bounds, support_bounds, uniform_bounds
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.satisfaction import satisfaction_shifts
from whenabouts.model.histogram import Histogram

_MOMENTS = 320
_WIDTHS = 65
_ONE_GROUP = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class Ends:
    """LH, LL, RL and RH: where surely no ends, surely yes begins and ends, and surely no begins again."""

    no_before: float
    yes_from: float
    yes_to: float
    no_after: float

    @property
    def any_sure(self) -> bool:
        """Whether some latest time makes a partner sure."""
        return self.yes_from <= self.yes_to

    @property
    def probed(self) -> float:
        """The length of what is neither surely yes nor surely no; an open end has none."""
        if not self.any_sure:
            return self.no_after - self.no_before
        sides = ((self.no_before, self.yes_from), (self.yes_to, self.no_after))
        return sum(b - a for a, b in sides if np.isfinite(b - a))


@dataclass(frozen=True)
class Curves:
    """The least and the greatest probability at each latest time m of a partner, and the ranges they make."""

    m: Floats
    least: Floats
    most: Floats
    ends: Ends
    free: Ends


def template_curves(x: Histogram, partners: Sequence[Histogram], low: float, high: float, confidence: float) -> Curves:
    """Against partners that have one of some distributions (paper 000, theorem 3)."""
    left, right = as_events([x]), as_events(partners)
    table = Table.of(*satisfaction_shifts(left.shapes, right.shapes, low, high, confidence))
    ends = _only(partition_bounds(left, right, table, low, high, False))
    return _curves(left, right, low, high, ends)


def interval_curves(
    lo: float, hi: float, widths: tuple[float, float], low: float, high: float, confidence: float
) -> Curves:
    """Against partners that are uniform on an interval of bounded width (paper 001, figure 1)."""
    left = as_events([Histogram([lo, hi], [1.0])])
    right = as_events([Histogram([0.0, width], [1.0]) for width in np.linspace(*widths, _WIDTHS)])
    narrowest, widest = np.array([float(widths[0])]), np.array([float(widths[1])])
    bounds = uniform_bounds(left.earliest, left.latest, _ONE_GROUP, narrowest, widest, low, high, confidence, False)
    return _curves(left, right, low, high, _only(bounds))


def _curves(left: Events, right: Events, low: float, high: float, ends: Ends) -> Curves:
    widest = np.array([np.max(right.latest - right.earliest)])
    free = _only(support_bounds(left, _ONE_GROUP, widest, low, high))
    m = _moments(ends, free)
    probabilities = np.array([_probabilities(left, right, v, m, low, high) for v in range(len(right.shape))])
    return Curves(m, probabilities.min(axis=0), probabilities.max(axis=0), ends, free)


def _probabilities(left: Events, right: Events, v: int, m: Floats, low: float, high: float) -> Floats:
    """P(low <= Y - X <= high) for a partner of shape v, for every place m of its latest time."""
    xs, ys = left.shapes, right.shapes
    shifts = m - right.latest[v]
    at_most = [shaped_at_most(xs, 0, ys, v, shift, high) for shift in shifts] if high < np.inf else np.ones(len(m))
    below = [shaped_below(xs, 0, ys, v, shift, low) for shift in shifts] if low > -np.inf else np.zeros(len(m))
    return np.clip(np.subtract(at_most, below), 0.0, 1.0)


def _moments(ends: Ends, free: Ends) -> Floats:
    """Where the curves are drawn: all ranges and some room; a range that never ends is shown for a while."""
    all_marks = [ends.no_before, ends.yes_from, ends.yes_to, ends.no_after]
    all_marks += [free.no_before, free.yes_from, free.yes_to, free.no_after]
    marks = np.array([mark for mark in all_marks if np.isfinite(mark)])
    span = float(np.ptp(marks)) or 1.0
    first = marks.min() - span * (0.12 if np.isfinite(free.no_before) else 0.8)
    last = marks.max() + span * (0.12 if np.isfinite(free.no_after) else 0.8)
    inside = marks[(marks > first) & (marks < last)]
    return np.unique(np.concatenate([np.linspace(first, last, _MOMENTS), inside]))


def _only(bounds: Bounds) -> Ends:
    return Ends(*(float(column[0]) for column in bounds))
