"""One pair of uncertain times, for looking and for learning: the same kernels that the joins run."""

from __future__ import annotations

from whenabouts.kernels.probability import shaped_at_most, shaped_below
from whenabouts.kernels.timing.satisfaction import quantile
from whenabouts.model.histogram import Histogram
from whenabouts.schema import histogram_shapes


def pair_probability(x: Histogram, y: Histogram, low: float, high: float) -> float:
    """P(low <= Y - X <= high)."""
    xs, ys = histogram_shapes([x]), histogram_shapes([y])
    result = shaped_at_most(xs, 0, ys, 0, 0.0, high) - shaped_below(xs, 0, ys, 0, 0.0, low)
    return float(min(max(result, 0.0), 1.0))


def pair_satisfaction_time(x: Histogram, y: Histogram, confidence: float) -> float:
    """The T with P(X + max(y) - T >= Y) = confidence: max(y) minus the quantile of Y - X."""
    return float(y.span[1] - quantile(histogram_shapes([x]), 0, histogram_shapes([y]), 0, confidence))
