"""The charts of measurements: lines and bars in the common looks, one colour an algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from whenabouts.chart.theme import INK, LEFT, MUTED, PROBE, RIGHT, WIDTH, YES

COLOURS = {"simple": INK, "sorted": MUTED, "eager": RIGHT, "lazy": LEFT, "lookup": YES, "sweep": PROBE}
SIZES = {"simple": 120, "sorted": 70, "eager": 28, "lazy": 80, "lookup": 28, "sweep": 28}
"""Dots of those that may lie on each other are rings around each other."""
HALF = (WIDTH - 70) // 2
HEIGHT = 260
DECADES = tuple(10.0**k for k in range(-4, 5))

Rows = list[dict[str, Any]]


def over(rows: Rows) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def colour(names: Sequence[str], *, labels: Sequence[str] | None = None, symbol: str = "circle") -> alt.Color:
    """The column `name` in the colours of these algorithms, by other labels where there are any."""
    scale = alt.Scale(domain=list(labels or names), range=[COLOURS[name] for name in names])
    return alt.Color("name:N", scale=scale, legend=alt.Legend(title=None, symbolType=symbol))


def axis(
    column: str, title: str, domain: Sequence[float], values: Sequence[float] | None = None, *, shape: str = ",~r"
) -> dict[str, Any]:
    """An axis in even steps, as the arguments of alt.X and alt.Y."""
    ticks = {"values": list(values)} if values else {"tickCount": 6}
    return {
        "shorthand": f"{column}:Q",
        "title": title,
        "scale": alt.Scale(domain=list(domain), nice=False),
        "axis": alt.Axis(format=shape, labelOverlap=False, **ticks),
    }


def log_axis(column: str, title: str, domain: Sequence[float], values: Sequence[float] = DECADES) -> dict[str, Any]:
    """An axis in powers, as the arguments of alt.X and alt.Y; it has ticks at those of the values that fit."""
    inside = [value for value in values if domain[0] <= value <= domain[1]]
    return axis(column, title, domain, inside) | {
        "scale": alt.Scale(type="log", domain=list(domain), nice=False),
    }


def around(values: Iterable[float], room: float = 1.3) -> tuple[float, float]:
    """A domain for an axis in powers, with some room at both ends."""
    known = list(values)
    return min(known) / room, max(known) * room


def lines(rows: Rows, x: alt.X, y: alt.Y, by: alt.Color) -> alt.LayerChart:
    """A line a name, with a dot where it was measured."""
    base = over([{"dot": SIZES.get(row["name"], 42), **row} for row in rows]).encode(x=x, y=y, color=by)
    dots = base.encode(size=alt.Size("dot:Q", scale=None, legend=None))
    return alt.layer(base.mark_line(strokeWidth=2), dots.mark_circle(opacity=1))


def heading(text: str) -> alt.TitleParams:
    """The name of a panel, quieter than that of the chart."""
    return alt.TitleParams(text=text, fontSize=13, fontWeight=600, anchor="start", offset=8, frame="group")


def rule(column: str, value: float, y: alt.Y) -> alt.Chart:
    """A thin line across, to compare with."""
    return over([{column: value}]).mark_rule(color=MUTED, strokeDash=[2, 3]).encode(y=y)
