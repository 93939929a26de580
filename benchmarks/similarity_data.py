"""What the similarity benchmarks join: the paper's set-up on trajectory-like and on sensor-like points."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

import whenabouts as wa
from whenabouts.testing import readings, trajectory

KINDS = {"trajectory": trajectory, "sensor": readings}
SAMPLES = 100
RADII = (1.0, 3.0)
WINDOW = 1000
THRESHOLD = 0.5
SELECTIVITY = 0.002
"""The paper's defaults: l = 100, d = 3, w = 1000, and a distance for which 0.1 to 0.5 % of the pairs are answers."""


@cache
def clouds(
    kind: str,
    count: int,
    *,
    dimensions: int = 3,
    samples: int = SAMPLES,
    radii: str = "uniform",
    layout: str = "nested",
) -> list[pa.Table]:
    """Two streams of clouds; the right one has Gaussian radii where asked for (rUrG)."""
    made = []
    for seed in (1, 2):
        points = KINDS[kind](count, dimensions=dimensions, seed=seed)
        names = [f"c{k}" for k in range(dimensions)]
        blurred = wa.blur(
            points, points=names, radius=RADII, samples=samples, radii=radii if seed == 2 else "uniform", seed=seed,
            layout=layout,
        )  # fmt: skip
        made.append(blurred.drop_columns(names))
    return made


def objects(tables: list[pa.Table], rows: int | None = None) -> list[wa.Objects]:
    """The streams as objects, or their first rows."""
    return [wa.objects(table.slice(0, rows), id="id", seq="n", samples="samples") for table in tables]


@cache
def distance_for(
    kind: str,
    *,
    dimensions: int = 3,
    threshold: float = THRESHOLD,
    window: int = WINDOW,
    rows: int = 2000,
    selectivity: float = SELECTIVITY,
) -> float:
    """The distance for which about the wanted share of all pairs of the windows are answers, on the first rows."""
    sides = objects(clouds(kind, rows, dimensions=dimensions))
    low, high = 0.5, 16.0
    while high - low > 0.02:
        middle, stats = round((low + high) / 2.0, 3), wa.Stats()
        wa.similarity_join(
            *sides, distance=middle, min_confidence=threshold, window=window, confidence=False, stats=stats
        )
        share = stats.emitted / stats.window_pairs
        if 0.9 * selectivity <= share <= 1.1 * selectivity:
            return middle
        low, high = (middle, high) if share < selectivity else (low, middle)
    return high
