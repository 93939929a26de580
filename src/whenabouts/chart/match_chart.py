"""Matches of a pattern: when each of their events may have happened, and when in the worlds where they match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.chart.theme import INK, LEFT, MUTED, RIGHT, WIDTH, YES, themed, titled
from whenabouts.chart.timeline import unit_for
from whenabouts.chart.words import say_probability
from whenabouts.errors import BadArgument, unknown_column
from whenabouts.kernels.match.ranges import valid_ranges
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration, duration
from whenabouts.ops.match.evaluate import Prepared
from whenabouts.ops.match.prepare import prepare
from whenabouts.ops.match.question import PatternMatch, plan_match
from whenabouts.query import parse_pattern

_ROW = 34
_MOST_ROWS = 60
_FAINTEST = 0.15


class TypedEvents(Protocol):
    """What these charts need to know of `wa.Events`."""

    @property
    def table(self) -> pa.Table | None: ...
    @property
    def contract(self) -> Any: ...
    @property
    def schema(self) -> pa.Schema: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def type(self) -> str | None: ...


def match(
    events: TypedEvents, query: str, matches: Any, *, row: int = 0, tick: Duration | str | float | None = None
) -> alt.LayerChart:
    """Draw one match: its events in the order of the pattern, each with its valid range.

    A bar is as dark as its moments are likely; the frame in it is the valid range: the moments at which the event can
    have happened if this is a match.

    Parameters
    ----------
    events : Events
        What was searched, in this process.
    query : str
        The pattern that was searched for.
    matches : frame
        What `wa.match` returned.
    row : int
        Which of the matches.
    tick : duration, optional
        The tick that was passed to `wa.match`.
    """
    table = _as_matches(matches)
    if not -len(table) <= row < len(table):
        raise BadArgument(f"There is no match {row} to draw: there are {len(table):,}.")
    chosen = table.slice(row % len(table), 1).to_pylist()[0]
    scene = _scene(events, query, tick, chosen["signature"])
    at = [scene.places[id] for id in chosen["signature"]]
    lower, upper = np.zeros(len(at)), np.zeros(len(at))
    question = scene.prepared.question
    valid_ranges(
        scene.prepared.events, np.array(at, dtype=np.int64), len(at), question.window, question.discrete, lower, upper
    )
    variables = [one.variable for one in scene.asked.pattern.present]
    bars, ranges, labels = [], [], []
    for place, (name, id, one) in enumerate(zip(variables, chosen["signature"], at, strict=True)):
        label = f"{name}: {id}"
        labels.append(label)
        bars += [{"label": label, **bar} for bar in scene.bars(one)]
        lo, hi = scene.stretch(float(lower[place]), float(upper[place]) + (1.0 if question.discrete else 0.0))
        ranges.append({"label": label, "lo": lo, "hi": hi})
    layers = [*_drawn_bars(bars, labels, scene.axis), _frames(ranges, labels, scene.axis)]
    sure = say_probability(chosen["confidence"])
    title = titled(f"A match with confidence {sure}", [_said(scene.asked), "The frames are the valid ranges."])
    return themed(alt.layer(*layers).properties(width=WIDTH, height=_ROW * len(labels), title=title))


def matches(
    events: TypedEvents, query: str, result: Any, *, tick: Duration | str | float | None = None
) -> alt.VConcatChart:
    """Draw a short stream and all matches in it, as figure 1 of the paper on patterns does.

    Above stand the events, in their order, each as the stretch in which it may have happened; below the matches, each
    with its time range and its confidence.

    Parameters
    ----------
    events : Events
        What was searched, in this process; at most 60 of them.
    query : str
        The pattern that was searched for.
    result : frame
        What `wa.match` returned.
    tick : duration, optional
        The tick that was passed to `wa.match`.
    """
    table = _as_matches(result)
    scene = _scene(events, query, tick, None)
    if len(scene.places) > _MOST_ROWS or len(table) > _MOST_ROWS:
        raise BadArgument(
            f"{len(scene.places):,} events and {len(table):,} matches are too many for one chart; "
            f"draw at most {_MOST_ROWS}, or one match with wa.chart.match."
        )
    order = [str(id) for id in scene.places]
    bars = [{"label": str(id), **bar} for id, one in scene.places.items() for bar in scene.bars(one)]
    above = alt.layer(*_drawn_bars(bars, order, scene.axis)).properties(width=WIDTH, height=_ROW * len(order))
    rows = []
    for one in table.to_pylist():
        lo, hi = (scene.offset(one[name]) for name in ("earliest", "latest"))
        label = ", ".join(map(str, one["signature"]))
        sure = one["confidence"]
        rows.append({"label": label, "lo": lo, "hi": hi, "confidence": sure, "text": say_probability(sure)})
    labels = [row["label"] for row in rows]
    x = alt.X("lo:Q", title=scene.axis, scale=alt.Scale(zero=False))
    y = alt.Y("label:N", sort=labels, title=None)
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y)
    spans = base.mark_rule(strokeWidth=5, color=YES).encode(x=x, x2="hi:Q", tooltip=["label:N", "confidence:Q"])
    texts = base.mark_text(align="left", dx=8, fontWeight=600).encode(x="hi:Q", text="text:N")
    below = alt.layer(spans, texts).properties(width=WIDTH, height=max(_ROW * len(rows), _ROW))
    found = f"{len(rows)} {'match' if len(rows) == 1 else 'matches'}"
    chart = alt.vconcat(above, below, spacing=18, title=titled(found, _said(scene.asked)))
    return themed(chart.resolve_scale(x="shared"))


@dataclass(frozen=True)
class _Scene:
    """Events past the door, where each id stands among them, and how their offsets are told."""

    asked: PatternMatch
    prepared: Prepared
    places: dict[Any, int]
    unit: float
    axis: str

    def stretch(self, lo: float, hi: float) -> tuple[float, float]:
        """Two offsets on the axis; a tick is drawn around its moment."""
        grain = self.asked.grain
        if grain:
            lo, hi = (lo - 0.5) * grain, (hi - 0.5) * grain
        shift = self._shift
        return (lo + shift) / self.unit, (hi + shift) / self.unit

    @property
    def _shift(self) -> float:
        """Plain numbers are told as they are, moments from the first one on."""
        return float(self.prepared.origin) if self.asked.clock.kind == "number" else 0.0

    def offset(self, moment: Any) -> float:
        """A moment of the result on the axis."""
        if self.asked.clock.kind == "number":
            return float(moment)
        ticks = pa.scalar(moment, self.asked.moment_type).cast(pa.int64()).as_py()
        return (ticks - self.prepared.origin) / self.unit

    def bars(self, one: int) -> list[dict[str, Any]]:
        """The pieces of an event, each as dark as its moments are likely."""
        events = self.prepared.events
        if len(events.shape) == 0:
            pieces = [(float(events.earliest[one]), float(events.latest[one]), 1.0)]
        else:
            own = slice(*(int(events.shapes.start[events.shape[one] + k]) for k in (0, 1)))
            lo, hi = (column[own] + events.anchor[one] for column in (events.shapes.lo, events.shapes.hi))
            pieces = list(zip(lo.tolist(), hi.tolist(), events.shapes.mass[own].tolist(), strict=True))
        densest = max((mass / (hi - lo) for lo, hi, mass in pieces if hi > lo), default=1.0)
        bars = []
        for lo, hi, mass in pieces:
            start, end = self.stretch(lo, hi)
            shade = _FAINTEST + (0.75 - _FAINTEST) * mass / (hi - lo) / densest if hi > lo else 0.9
            bars.append({"lo": start, "hi": end, "shade": shade, "point": hi == lo, "mass": mass})
        return bars


def _as_matches(result: Any) -> pa.Table:
    table = result if isinstance(result, pa.Table) else pa.table(result)
    for column in ("signature", "earliest", "latest", "confidence"):
        if column not in table.column_names:
            raise unknown_column(column, table.column_names, "the matches")
    return table


def _scene(events: TypedEvents, query: str, tick: Any, ids: Sequence[Any] | None) -> _Scene:
    table = events.table
    if table is None:
        raise BadArgument(
            "The events are in Spark, and charts are drawn in this process. Bring the few rows of the chart here with "
            ".toArrow(), and make wa.events of them."
        )
    column = table.column(events.contract.id)
    if ids is not None:
        table = table.filter(pc.is_in(column, pa.array(ids, column.type)))
    grain = 0.0 if tick is None else events.clock.ticks(duration(tick, "tick"), "tick")
    asked = plan_match(
        parse_pattern(query), events.schema, events.contract, events.clock, events.type, grain=grain, quarantine=True
    )
    prepared = prepare(asked, table)
    assert prepared.table is not None
    places = {id: place for place, id in enumerate(prepared.table.column(events.contract.id).to_pylist())}
    missing = [id for id in ids or () if id not in places]
    if missing:
        raise BadArgument(f"The match holds the id {missing[0]!r}, but the events do not. Pass what was searched.")
    times = prepared.events
    span = float(times.latest.max() - times.earliest.min()) * (grain or 1.0) if len(places) else 1.0
    name, unit = unit_for(events.clock, span)
    return _Scene(asked, prepared, places, unit, f"{name} after the first event" if name else "time")


def _said(asked: PatternMatch) -> str:
    """The pattern in a line."""
    parts = [f"{'!' if one.negated else ''}{one.type or 'ANY'} {one.variable}" for one in asked.pattern.components]
    window = f" within {asked.pattern.window}" if asked.pattern.window is not None else ""
    words = {"skip_till_any_match": "skip till any match", "skip_till_next_match": "skip till next match"}
    return f"SEQ({', '.join(parts)}){window}, {words[asked.pattern.strategy]}"


def _drawn_bars(bars: list[dict[str, Any]], labels: list[str], axis: str) -> list[alt.Chart]:
    """Stretches as bars, points as strokes."""
    x = alt.X("lo:Q", title=axis, scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(labelColor=INK))
    shade = alt.Opacity("shade:Q", scale=None)
    base = alt.Chart(alt.InlineData(values=bars)).encode(x=x, y=y, opacity=shade)
    stretches = base.transform_filter("!datum.point").mark_bar(color=LEFT, height=18)
    points = base.transform_filter("datum.point").mark_tick(color=RIGHT, thickness=3, height=22)
    return [stretches.encode(x2="hi:Q", tooltip=["label:N", "lo:Q", "hi:Q", "mass:Q"]), points]


def _frames(ranges: list[dict[str, Any]], labels: list[str], axis: str) -> alt.Chart:
    """The valid ranges, as frames around what they leave of the bars."""
    x = alt.X("lo:Q", title=axis, scale=alt.Scale(zero=False, nice=False))
    bars = alt.Chart(alt.InlineData(values=ranges)).mark_bar(
        filled=False, stroke=YES, strokeWidth=2.5, height=24, color=MUTED
    )
    return bars.encode(x=x, x2="hi:Q", y=alt.Y("label:N", sort=labels, title=None))
