"""One pair: two uncertain times, the distribution of their difference, and the probability of a predicate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import altair as alt

from whenabouts.chart.shapes import Point, Slope, boxes_and_points, difference
from whenabouts.chart.theme import LEFT, MUTED, NO, RIGHT, WIDTH, YES, themed, titled
from whenabouts.chart.words import band_of, say_predicate, say_probability, unit_of
from whenabouts.model.histogram import Histogram
from whenabouts.model.predicate import Timing
from whenabouts.ops.timing.single import pair_probability

_IN, _OUT = "satisfies", "does not"
_HEIGHT = 170
_LABELLED_POINTS = 12
_ROOM_FOR_A_LABEL = 0.3
"""The share of the panel below which a label does not fit inside the band."""


def pair(x: Histogram, y: Histogram, predicate: Timing, *, names: tuple[str, str] = ("x", "y")) -> alt.VConcatChart:
    """Draw two uncertain times and, below them, Y - X with the band of the predicate.

    Parameters
    ----------
    x, y : Histogram
        The two times. They count seconds where the predicate has a unit, as in `within("2s")`.
    predicate : Timing
        `within`, `deadline` or `delay`.
    names : tuple of str
        What to call the two.
    """
    low, high = band_of(predicate)
    p = pair_probability(x, y, low, high)
    chart = alt.vconcat(
        _times(x, y, predicate, names),
        _differences(x, y, predicate, low, high, p),
        spacing=26,
        title=titled(f"P({predicate}) = {say_probability(p)}", _subtitle(predicate, p)),
    )
    return themed(chart.resolve_scale(color="independent"))


def _subtitle(predicate: Timing, p: float) -> str:
    clause = say_predicate(predicate)
    if p in (0.0, 1.0):
        return f"{clause}: {'surely' if p else 'surely not'}."
    return f"{clause} in {100 * p:.3g} of 100 worlds that fit what is known."


@dataclass(frozen=True)
class _Panel:
    """The two axes that the layers of a panel share."""

    along: str
    first: float
    last: float
    up: str
    top: float

    def x(self, column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=self.along, scale=alt.Scale(domain=[self.first, self.last], nice=False))

    def y(self, column: str) -> alt.Y:
        scale = alt.Scale(domain=[0, self.top], nice=False)
        return alt.Y(f"{column}:Q", title=self.up, axis=alt.Axis(tickCount=3), scale=scale, stack=None)

    def lollipops(self, points: list[dict[str, Any]], colour: alt.Color) -> list[alt.Chart]:
        """Points that carry mass: a stem, a head, and the mass above it where there are few."""
        base = _over(points).encode(x=self.x("at"), color=colour, y=self.y("height"))
        layers = [
            base.mark_rule(strokeWidth=2).encode(y2=alt.datum(0)),
            base.mark_circle(size=90, opacity=1).encode(tooltip=["at:Q", "mass:Q"]),
        ]
        if len(points) <= _LABELLED_POINTS:
            layers.append(base.mark_text(dy=-13, fontSize=11.5).encode(text=alt.Text("mass:Q", format=".3~f")))
        return layers


def _over(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _times(x: Histogram, y: Histogram, predicate: Timing, names: tuple[str, str]) -> alt.LayerChart:
    """The two distributions over time: boxes of density, and points as lollipops."""
    labels = [short if name == short.lower() else f"{short}: {name}" for short, name in zip("XY", names, strict=True)]
    boxes, points = [], []
    for label, histogram in zip(labels, (x, y), strict=True):
        own_boxes, own_points = boxes_and_points(histogram.pieces())
        boxes += [{"name": label, **box._asdict()} for box in own_boxes]
        points += [{"name": label, **point._asdict()} for point in own_points]
    tallest = max((box["density"] for box in boxes), default=1.0)
    highest = max((point["mass"] for point in points), default=1.0)
    first, last = _with_room(min(x.edges[0], y.edges[0]), max(x.edges[-1], y.edges[-1]))
    panel = _Panel(f"time{unit_of(predicate)}", first, last, "density" if boxes else "probability", 1.2 * tallest)
    colour = alt.Color("name:N", scale=alt.Scale(domain=labels, range=[LEFT, RIGHT]))
    layers = []
    if boxes:
        blocks = _over(boxes).mark_rect(opacity=0.55).encode(x=panel.x("lo"), x2="hi:Q", y=panel.y("density"))
        layers.append(blocks.encode(y2=alt.datum(0), color=colour, tooltip=["name:N", "lo:Q", "hi:Q", "density:Q"]))
    if points:
        share = tallest / highest if boxes else 1.0
        layers += panel.lollipops([{**point, "height": share * point["mass"]} for point in points], colour)
    return alt.layer(*layers).properties(width=WIDTH, height=_HEIGHT)


def _differences(x: Histogram, y: Histogram, predicate: Timing, low: float, high: float, p: float) -> alt.LayerChart:
    """The distribution of Y - X, the part inside the band in colour."""
    slopes, points = difference(x, y, (low, high))
    tallest = max((max(slope.at_lo, slope.at_hi) for slope in slopes), default=1.0)
    highest = max((point.mass for point in points), default=1.0)
    first, last = _extent(slopes, points, low, high)
    up = "density" if slopes else "probability"
    panel = _Panel(f"Y - X{unit_of(predicate)}", first, last, up, 1.4 * tallest)
    colour = alt.Color("side:N", scale=alt.Scale(domain=[_IN, _OUT], range=[YES, NO]), legend=None)
    shown = {"lo": max(low, first), "hi": min(high, last)}
    ends = [{"z": end} for end in (low, high) if first < end < last]
    layers = [
        _over([shown]).mark_rect(color=YES, opacity=0.12).encode(x=panel.x("lo"), x2="hi:Q"),
        _over(ends).mark_rule(color=YES, strokeDash=[4, 3]).encode(x=panel.x("z")),
    ]
    if slopes:
        area = _over(_outline(slopes, low, high)).mark_area(opacity=0.85)
        layers.append(area.encode(x=panel.x("z"), y=panel.y("density"), color=colour, detail="run:N"))
    if points:
        share = tallest / highest if slopes else 1.0
        rows = [
            {**point._asdict(), "height": share * point.mass, "side": _IN if low <= point.at <= high else _OUT}
            for point in points
        ]
        layers += panel.lollipops(rows, colour)
    layers.append(_band_label(panel, shown["lo"], shown["hi"], f"{predicate}:  {say_probability(p)}", bool(p)))
    return alt.layer(*layers).properties(width=WIDTH, height=_HEIGHT)


def _band_label(panel: _Panel, lo: float, hi: float, text: str, possible: bool) -> alt.Chart:
    """What the band is: inside it, or beside it where it is narrow."""
    roomy = hi - lo > _ROOM_FOR_A_LABEL * (panel.last - panel.first)
    beside, align = (hi, "left") if hi - panel.first < panel.last - lo else (lo, "right")
    says = {"z": 0.5 * (lo + hi) if roomy else beside, "text": text}
    label = _over([says]).mark_text(
        baseline="top", fontSize=13, fontWeight=600, color=YES if possible else MUTED,
        align="center" if roomy else align, dx=0 if roomy else {"left": 6, "right": -6}[align],
    )  # fmt: skip
    return label.encode(x=panel.x("z"), y=alt.value(6), text="text:N")


def _extent(slopes: list[Slope], points: list[Point], low: float, high: float) -> tuple[float, float]:
    """The differences to show: all that can be, and the ends of the band."""
    moments = [end for slope in slopes for end in slope[:2]] + [point.at for point in points]
    moments += [end for end in (low, high) if math.isfinite(end)]
    return _with_room(min(moments), max(moments))


def _with_room(first: float, last: float) -> tuple[float, float]:
    room = 0.05 * (last - first) or 1.0
    return first - room, last + room


def _outline(slopes: list[Slope], low: float, high: float) -> list[dict[str, Any]]:
    """The density as corners of areas: runs inside and outside the band."""
    rows: list[dict[str, Any]] = []
    run, was = -1, None
    for slope in slopes:
        inside = low <= slope.lo and slope.hi <= high
        if inside is not was:
            run, was = run + 1, inside
        side = _IN if inside else _OUT
        rows.append({"z": slope.lo, "density": slope.at_lo, "side": side, "run": run})
        rows.append({"z": slope.hi, "density": slope.at_hi, "side": side, "run": run})
    return rows
