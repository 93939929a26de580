"""What the figures of paper 004 have in common: colours, panels side by side, and how long a tree is followed."""

from __future__ import annotations

from typing import Any

import altair as alt

from benchmarks.figures import drawing
from benchmarks.figures.drawing import HALF, HEIGHT, Rows, heading
from benchmarks.interval_workload import Pairs, sharing, walk
from whenabouts.chart.theme import INK, LEFT, MUTED, NO, PROBE, RIGHT, YES, themed, titled

BEST = "best possible"
"""What the best decision gets right on average: E[max(p, 1 - p)], p being the probability given what is known."""
COLOURS = {
    "lattice": LEFT, "simpmatch": RIGHT, "sase 30": YES, "sase 60": NO, "static": MUTED, "ignore": INK, BEST: PROBE,
}  # fmt: skip
PAIRS = {"small": 60, "full": 500}
MANY = {"small": 60, "full": 5000}
"""Pairs on which accuracy is measured: it is a share, and 500 pairs give it no better than to two hundredths."""
TREES = {"small": 6, "full": 30}
MOST = {"small": 50_000, "full": 3_000_000}
"""Nodes after which a tree is given up. Its speed is then an upper bound."""
REPEAT = 3
RATES = [10.0**e for e in range(2, 9)]


def fastest(pairs: Pairs, k: int, method: str = "lattice") -> float:
    """Events a second of the best of a few walks."""
    return pairs.events / min(walk(pairs, sharing(k), method).seconds for _ in range(REPEAT))


def chart_of(panels: list[tuple[str, Rows, dict[str, Any], dict[str, Any]]], title: str, subtitle: str) -> Any:
    """Panels side by side, a line a name."""
    drawn = []
    names = [one for one in COLOURS if any(row["name"] == one for _, rows, _, _ in panels for row in rows)]
    for name, rows, x, y in panels:
        scale = alt.Scale(domain=names, range=[COLOURS[one] for one in names])
        colour = alt.Color("name:N", scale=scale, legend=alt.Legend(title=None, symbolType="circle"))
        lines = drawing.lines(rows, alt.X(**x), alt.Y(**y), colour)
        drawn.append(lines.properties(width=HALF, height=HEIGHT, title=heading(name)))
    return themed(alt.hconcat(*drawn, spacing=40, title=titled(title, subtitle)).resolve_scale(color="shared"))
