"""Figures 8 to 11 and table 2 of paper 004: interval queries over lossy streams; and how the cost grows.

The synthetic data is made as section 4.1 says. The road data is not the Linear Road benchmark, which is not at hand,
but generated to be like it; what depends on it is compared in kind, not in numbers.
"""

from __future__ import annotations

from benchmarks.figures.finding import Finding, Scale
from benchmarks.figures.interval_accuracy import by_threshold, on_roads, selectivities
from benchmarks.figures.interval_growth import growth
from benchmarks.figures.interval_methods import by_grid, by_noise, by_selectivity
from benchmarks.figures.interval_panels import PAIRS
from benchmarks.interval_workload import hardest, losing, synthetic
from benchmarks.intervals import warm_up


def run(scale: Scale) -> list[Finding]:
    """Measure and draw all of them."""
    warm_up()
    data = synthetic(PAIRS[scale])
    k = hardest(data, losing(data, 0.2), range(1, 21))
    return [
        by_noise(data, k, scale), by_threshold(data, k), on_roads(scale), by_selectivity(data, scale),
        by_grid(data, k, scale), growth(scale), selectivities(data),
    ]  # fmt: skip
