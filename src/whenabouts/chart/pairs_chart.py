"""Joined pairs as fuzzy bars: when each of the two events may have happened, and how surely they belong together."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.chart.shapes import boxes_and_points
from whenabouts.chart.theme import GRID, LEFT, MUTED, RIGHT, WIDTH, themed, titled
from whenabouts.chart.timeline import Drawable, Drawn, read_pairs, unit_for
from whenabouts.chart.words import say_confidence
from whenabouts.errors import BadArgument, unknown_column
from whenabouts.kernels.events import Floats

_ROW_HEIGHT = 40
_FAINTEST = 0.08
_ONE_AXIS = 15.0
"""Pairs share one axis of time where all of them together are at most so many times as long as the longest."""


def pairs(
    result: Any,
    left: Drawable,
    right: Drawable,
    *,
    top: int = 12,
    pick: Literal["surest", "least sure", "spread"] = "surest",
    names: tuple[str, str] = ("left", "right"),
) -> alt.LayerChart:
    """Draw some pairs of a timing join, a row each.

    Parameters
    ----------
    result : frame
        left_id, right_id and confidence, as anything that speaks the Arrow C stream interface.
    left, right : Events
        What was joined, or the part of it that holds the drawn pairs, in this process.
    top : int
        How many pairs.
    pick : {"surest", "least sure", "spread"}
        Which pairs; "spread" goes from the surest to the least sure in even steps.
    names : tuple of str
        What to call the two sides.
    """
    table = result if isinstance(result, pa.Table) else pa.table(result)
    for column in ("left_id", "right_id", "confidence"):
        if column not in table.column_names:
            raise unknown_column(column, table.column_names, "the result")
    chosen = _choose(table, top, pick).select(["left_id", "right_id", "confidence"]).to_pylist()
    if not chosen:
        raise BadArgument("There is no pair to draw: the result is empty.")
    timeline = read_pairs(left, right, [(row["left_id"], row["right_id"]) for row in chosen])
    firsts = [min(one.earliest, other.earliest) for one, other in timeline.pairs]
    lasts = [max(one.latest, other.latest) for one, other in timeline.pairs]
    longest = max(last - first for first, last in zip(firsts, lasts, strict=True))
    together = timeline.last - timeline.first <= _ONE_AXIS * longest
    unit, ticks = unit_for(timeline.clock, timeline.last - timeline.first if together else longest)
    is_number = timeline.clock.kind == "number"
    starts = [-float(timeline.origin) if is_number else 0.0] * len(chosen) if together else firsts
    rows = []
    for place, (row, events, start) in enumerate(zip(chosen, timeline.pairs, starts, strict=True)):
        common = {"row": place, "label": f"{row['left_id']} · {row['right_id']}", "confidence": row["confidence"]}
        for side, event in zip(names, events, strict=True):
            rows += [{**common, "side": side, **bar} for bar in _bars(event, start, ticks)]
    if not together:
        axis = f"{unit or 'time'} after the earliest moment of the pair"
    else:
        axis = "time" if is_number else f"{unit} after {timeline.origin.isoformat(sep=' ').replace('+00:00', ' UTC')}"
    return themed(_draw(rows, chosen, axis, names).properties(title=_title(table, chosen, pick)))


def _choose(table: pa.Table, top: int, pick: str) -> pa.Table:
    if top < 1:
        raise BadArgument(f"top must be at least 1, not {top}.")
    if pick not in ("surest", "least sure", "spread"):
        raise BadArgument(f'pick={pick!r}: choose "surest", "least sure" or "spread".')
    direction = "ascending" if pick == "least sure" else "descending"
    order = pc.sort_indices(
        table, sort_keys=[("confidence", direction), ("left_id", "ascending"), ("right_id", "ascending")]
    )
    if pick == "spread" and len(table) > top > 1:
        falling = table.column("confidence").take(order).to_numpy()
        return table.take(order.take(pa.array(_evenly_spaced(falling, top))))
    return table.take(order[:top])


def _evenly_spaced(falling: Floats, count: int) -> list[int]:
    """Places of `count` values, all different, that are near to evenly spaced levels from the first to the last."""
    places: list[int] = []
    for k, level in enumerate(np.linspace(falling[0], falling[-1], count)):
        place = int(np.searchsorted(-falling, -level))
        places.append(min(max(place, places[-1] + 1 if places else 0), len(falling) - (count - k)))
    return places


def _bars(event: Drawn, origin: float, ticks: float) -> list[dict[str, Any]]:
    """The pieces of an event, each as dark as it is likely."""
    boxes, points = boxes_and_points(event.pieces)
    densest = max((box.density for box in boxes), default=1.0)
    heaviest = max((point.mass for point in points), default=1.0)
    bars: list[dict[str, Any]] = [
        {
            "lo": (box.lo - origin) / ticks, "hi": (box.hi - origin) / ticks, "kind": "box",
            "shade": _FAINTEST + (0.92 - _FAINTEST) * box.density / densest, "mass": box.density * (box.hi - box.lo),
        }
        for box in boxes
    ]  # fmt: skip
    bars += [
        {
            "lo": (point.at - origin) / ticks, "hi": (point.at - origin) / ticks, "kind": "point",
            "shade": max(0.3, point.mass / heaviest), "mass": point.mass,
        }
        for point in points
    ]  # fmt: skip
    return bars


def _draw(
    rows: list[dict[str, Any]], chosen: list[dict[str, Any]], axis: str, names: tuple[str, str]
) -> alt.LayerChart:
    order = list(range(len(chosen)))
    labels = {row["row"]: row["label"] for row in rows}
    first, last = min(row["lo"] for row in rows), max(row["hi"] for row in rows)
    room = 0.02 * (last - first) or 1.0
    scale = alt.Scale(domain=[first - room, last + room], nice=False)
    axis_x = alt.Axis(grid=True, gridColor=GRID, tickCount=10)
    y = alt.Y(
        "row:O", sort=order, title=None, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.15),
        axis=alt.Axis(labelExpr=_switch(labels), labelLimit=240, grid=False),
    )  # fmt: skip
    offset = alt.YOffset("side:N", sort=list(names), scale=alt.Scale(paddingInner=0.12))
    colour = alt.Color("side:N", sort=list(names), scale=alt.Scale(domain=list(names), range=[LEFT, RIGHT]))
    shade = alt.Opacity("shade:Q", scale=None, legend=None)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("lo:Q", title=axis, scale=scale, axis=axis_x), y=y, yOffset=offset, color=colour, opacity=shade,
        tooltip=["label:N", "side:N", "lo:Q", "hi:Q", "mass:Q", "confidence:Q"],
    )  # fmt: skip
    layers = [base.transform_filter("datum.kind == 'box'").mark_rect().encode(x2="hi:Q")]
    if any(row["kind"] == "point" for row in rows):
        layers.append(base.transform_filter("datum.kind == 'point'").mark_tick(thickness=4, bandSize=14))
    says = [{"row": place, "text": say_confidence(row["confidence"])} for place, row in enumerate(chosen)]
    beside = alt.Chart(alt.InlineData(values=says)).mark_text(align="right", fontSize=13, fontWeight=600)
    header = alt.Chart(alt.InlineData(values=[{"text": "confidence"}])).mark_text(
        align="right", color=MUTED, baseline="bottom"
    )
    layers.append(beside.encode(x=alt.value(WIDTH + 78), y=y, text="text:N"))
    layers.append(header.encode(x=alt.value(WIDTH + 78), y=alt.value(-6), text="text:N"))
    return alt.layer(*layers).properties(width=WIDTH, height=_ROW_HEIGHT * len(chosen))


def _switch(labels: dict[int, str]) -> str:
    """A Vega expression that turns the number of a row into its label; ids may repeat, rows do not."""
    quoted = ", ".join(
        "'" + label.replace("\\", "\\\\").replace("'", "\\'") + "'" for _, label in sorted(labels.items())
    )
    return f"[{quoted}][datum.value]"


def _title(table: pa.Table, chosen: list[dict[str, Any]], pick: str) -> alt.TitleParams:
    surest, least = (say_confidence(pick_one(row["confidence"] for row in chosen)) for pick_one in (max, min))
    if len(table) == 1:
        which = "One pair"
    elif len(chosen) == len(table):
        which = f"All {len(table):,} pairs"
    else:
        which = f"{len(chosen):,} {'' if pick == 'spread' else pick + ' '}of {len(table):,} pairs"
    return titled(
        f"{which}, confidence {surest}" + ("" if surest == least else f" down to {least}"),
        "A row is a pair. Each bar is when the event may have happened: the darker, the likelier.",
    )
