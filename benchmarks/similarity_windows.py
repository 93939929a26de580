"""Larger windows for the same number of answers: what an object costs at w = 1,000 and at w = 100,000.

Points are spread evenly over a box that grows with the window, so that an object has as many near ones in a window of
any length. Clouds have 30 samples, so that a hundred thousand of them fit into the memory of a laptop.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.data import Scale
from benchmarks.measure import OURS, Row, interleaved, row

WINDOWS = (1_000, 100_000)
COUNTS = {"full": (150_000, 150_000), "small": (20_000, 110_000)}
SAMPLES = 30
EXTENT = 30.0
"""The side of the box for the first window."""


def run(scale: Scale) -> list[Row]:
    """A self-join at each window; the figure is the time for each object against that of the first window."""
    rows: list[Row] = []
    costs: list[float] = []
    for window, count in zip(WINDOWS, COUNTS[scale], strict=True):
        side = wa.objects(_clouds(count, window), id="id", seq="n", samples="samples")
        join = partial(wa.similarity_join, side, distance=3.0, min_confidence=0.5, window=window, threads=1)
        stats = wa.Stats()
        join(stats=stats)
        timing = interleaved({OURS: join}, repetitions=2)[OURS]
        # An object meets what came before it: only those beyond the first window meet a whole one.
        met = stats.window_pairs / (count * window)
        costs.append(timing.best / count)
        rows.append(
            row(
                "similarity_windows", f"w = {window:,}, {count:,} objects", OURS, costs[-1] / costs[0],
                "x the first window", better="lower", timing=timing, pairs=stats.emitted,
                microseconds_an_object=1e6 * costs[-1], answers_an_object=stats.emitted / count, windows_filled=met,
            )
        )  # fmt: skip
    return rows


def _clouds(count: int, window: int) -> pa.Table:
    draw = np.random.default_rng(window)
    extent = EXTENT * (window / WINDOWS[0]) ** (1.0 / 3.0)
    points = draw.random((count, 3)) * extent
    number = np.arange(count)
    table = pa.table({"id": number, "n": number, "x": points[:, 0], "y": points[:, 1], "z": points[:, 2]})
    blurred = wa.blur(table, points=["x", "y", "z"], radius=(1.0, 3.0), samples=SAMPLES)
    return blurred.drop_columns(["x", "y", "z"])
