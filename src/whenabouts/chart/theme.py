"""How every chart looks: one palette, one type, quiet axes, and a title that says the answer."""

from __future__ import annotations

from typing import Any

import altair as alt

LEFT = "#3f6fa3"
"""The left event of a pair, x."""
RIGHT = "#d3803a"
"""The right event of a pair, y."""
YES = "#4f9d86"
"""What surely, or actually, satisfies."""
PROBE = "#e6bd62"
"""What must be looked at one by one."""
NO = "#c9cfd6"
"""What surely does not."""
INK = "#262b33"
MUTED = "#6d7682"
GRID = "#e9ecef"

FONT = "Inter, Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
WIDTH = 680


def titled(title: str, subtitle: str | list[str]) -> alt.TitleParams:
    """The answer in large letters, and what it rests on below."""
    return alt.TitleParams(text=title, subtitle=subtitle)


def themed(chart: Any) -> Any:
    """A finished chart in the common looks. It can no longer be a part of another chart."""
    text = {"labelColor": MUTED, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12.5}
    return chart.configure(
        font=FONT,
        background="white",
        padding={"left": 18, "top": 16, "right": 18, "bottom": 14},
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(
            anchor="start",
            frame="group",
            color=INK,
            fontSize=18,
            fontWeight=600,
            subtitleColor=MUTED,
            subtitleFontSize=13,
            subtitleLineHeight=18,
            subtitlePadding=6,
            offset=14,
        ),
        axis=alt.AxisConfig(
            **text, titleFontWeight="normal", titlePadding=8, grid=False, domainColor=NO, tickColor=NO, tickSize=4
        ),
        axisY=alt.AxisConfig(grid=True, gridColor=GRID, domain=False, ticks=False, labelPadding=6),
        legend=alt.LegendConfig(
            labelColor=INK, labelFontSize=12.5, title=None, orient="top", direction="horizontal", symbolType="square",
            symbolSize=140, symbolStrokeWidth=0, columnPadding=18, offset=12,
        ),
        text=alt.MarkConfig(color=INK, fontSize=12),
    )  # fmt: skip
