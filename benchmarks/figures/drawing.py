"""The charts of measurements: lines and bars in the common looks, one colour an algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from whenabouts.chart.theme import INK, LEFT, MUTED, PROBE, RIGHT, WIDTH, YES

COLOURS = {"simple": INK, "sorted": MUTED, "eager": RIGHT, "lazy": LEFT, "lookup": YES, "sweep": PROBE}
HALF = (WIDTH - 70) // 2
HEIGHT = 260

Rows = list[dict[str, Any]]


def over(rows: Rows) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def colour(names: Sequence[str], *, labels: Sequence[str] | None = None, symbol: str = "circle") -> alt.Color:
    """The column `name` in the colours of these algorithms, by other labels where there are any."""
    scale = alt.Scale(domain=list(labels or names), range=[COLOURS[name] for name in names])
    return alt.Color("name:N", scale=scale, legend=alt.Legend(title=None, symbolType=symbol))


def axis(column: str, title: str, *, log: bool = False, values: Sequence[float] | None = None, **scale: Any) -> dict:
    """The arguments that the two kinds of axis share."""
    if log:
        scale = {"type": "log", **scale}
    ticks = {"values": list(values)} if values else {"tickCount": 6}
    return {
        "shorthand": f"{column}:Q",
        "title": title,
        "scale": alt.Scale(nice=False, **scale),
        "axis": alt.Axis(format="~s" if log and not values else ",~r", labelOverlap=False, **ticks),
    }


def lines(rows: Rows, x: alt.X, y: alt.Y, by: alt.Color) -> alt.LayerChart:
    """A line a name, with a dot where it was measured."""
    base = over(rows).encode(x=x, y=y, color=by)
    return alt.layer(base.mark_line(strokeWidth=2), base.mark_circle(size=42, opacity=1))


def heading(text: str) -> alt.TitleParams:
    """The name of a panel, quieter than that of the chart."""
    return alt.TitleParams(text=text, fontSize=13, fontWeight=600, anchor="start", offset=8, frame="group")


def rule(column: str, value: float, y: alt.Y) -> alt.Chart:
    """A thin line across, to compare with."""
    return over([{column: value}]).mark_rule(color=MUTED, strokeDash=[2, 3]).encode(y=y)
