"""How the cost of an interval query grows: with the segments of a pair, and with the events lost in one gap."""

from __future__ import annotations

import numpy as np

from benchmarks.figures import drawing
from benchmarks.figures.drawing import log_axis
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.figures.interval_panels import REPEAT, chart_of
from benchmarks.interval_workload import losing, sharing, synthetic, walk
from benchmarks.intervals import one_gap


def growth(scale: Scale) -> Finding:
    """The cost of a pair by its segments, and by the events lost in one gap."""
    segments, gaps = [], []
    for count in (20, 40, 80, 120, 160, 200):
        lossy = losing(synthetic(10 if scale == "full" else 3, count), 0.2)
        seconds = min(walk(lossy, sharing(3 * count // 4)).seconds for _ in range(REPEAT)) / lossy.count
        segments.append({"name": "lattice", "n": count, "ms": 1e3 * seconds})
    for lost in (1, 2, 3, 5, 8, 12, 16, 20, 25, 30):
        gaps.append({"name": "lattice", "n": lost, "ms": 1e3 * min(one_gap(lost) for _ in range(REPEAT))})
    slope = [
        float(np.polyfit(np.log([r["n"] for r in some[-4:]]), np.log([r["ms"] for r in some[-4:]]), 1)[0])
        for some in (segments, gaps)
    ]
    decades = [10.0**e for e in range(-4, 3)]
    picture = chart_of(
        [
            ("segments a side, 20 % lost", segments, log_axis("n", "segments", (18, 220), (20, 50, 100, 200)),
             log_axis("ms", "ms a pair", drawing.around([r["ms"] for r in segments]), decades)),
            ("events lost in one gap, on both sides", gaps,
             log_axis("n", "lost events", (0.9, 33), (1, 2, 5, 10, 20, 30)),
             log_axis("ms", "ms a pair", drawing.around([r["ms"] for r in gaps]), decades)),
        ],
        "The cost is polynomial",
        f"It grows with the power {slope[0]:.1f} of the segments and {slope[1]:.1f} of the lost events in one gap.",
    )  # fmt: skip
    claims = [
        Claim("query answering is exponential in the number of lost events", f"power {slope[1]:.1f}", slope[1] > 6)
    ]
    rows = [(f"{r['n']} segments", f"{r['ms']:.3f}") for r in segments] + [
        (f"{r['n']} lost", f"{r['ms']:.4f}") for r in gaps
    ]
    notes = ["Here the paper is left behind on purpose: the lattice has no tree."]
    numbers = {"segments": segments, "gap": gaps, "powers": slope}
    return Finding("intervals-growth", picture, "One core.", ("", "ms a pair"), rows, claims, numbers, notes)
