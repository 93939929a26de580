"""What the figures over the arrival rate share: the rates, the question, and their axis."""

from __future__ import annotations

import altair as alt

from benchmarks.figures.drawing import log_axis
from benchmarks.figures.workload import Measured

RATES = (12, 25, 50, 100, 200, 400, 800, 1600)
D = 500.0
CONFIDENCE = 0.8
LAZY = ("lazy", "lookup")
SIMPLE = ("simple", "sorted")

Runs = dict[int, dict[str, Measured]]
"""What every algorithm took, by rate."""


def rate_axis() -> alt.X:
    """Tuples a second, from left to right."""
    return alt.X(**log_axis("rate", "tuples a second, a stream", (10.5, 1850), RATES))
