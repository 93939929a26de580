"""Two segmented intervals and how surely a query holds: recorded ends as marks, lost ends as ranges that they lie in.

A recorded end whose time is uncertain is a mark as wide as that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.chart.theme import INK, LEFT, RIGHT, WIDTH, themed, titled
from whenabouts.chart.timeline import Drawable, unit_for
from whenabouts.chart.words import say_probability
from whenabouts.errors import BadArgument
from whenabouts.kernels.intervals.sequences import Sequences
from whenabouts.kernels.intervals.uncertain import Pieces
from whenabouts.model.relation import IntervalQuery
from whenabouts.ops.intervals.evaluate import Evaluator
from whenabouts.ops.intervals.prepare import Prepared, prepare
from whenabouts.ops.intervals.question import IntervalQuestion, SegmentSide
from whenabouts.query import format_interval_query, parse_interval_query

_ROW = 86
_BAR = 22
_VAGUE = 0.35
_OPEN_ENDS = 4.0
"""How far an unbounded lost event is drawn, in mean distances of events."""


@dataclass(frozen=True)
class _End:
    """One point event: where it can be, and whether it was recorded."""

    lo: float
    hi: float
    recorded: bool


def segments(
    left: Drawable, right: Drawable, left_key: Any, right_key: Any, query: str | IntervalQuery
) -> alt.LayerChart:
    """Draw the segments of two keys above each other.

    Parameters
    ----------
    left, right : Segments
        Frames of this process.
    left_key, right_key
        The pair to draw.
    query : str
        The title says how surely it holds.
    """
    asked = query if isinstance(query, IntervalQuery) else parse_interval_query(query)
    prepared = _prepare(left, right, left_key, right_key, asked)
    zero = np.zeros(1, dtype=np.int64)
    p = float(Evaluator(prepared).confidences(zero, zero)[0])
    names = str(left_key), str(right_key)
    sides = [
        _ends(sequences) if pieces is None else _uncertain_ends(sequences, pieces)
        for sequences, pieces in zip(prepared.sequences, prepared.pieces or (None, None), strict=True)
    ]
    span = max(end.hi for side in sides for end in side) - min(end.lo for side in sides for end in side)
    unit, ticks = unit_for(prepared.question.clock, span)
    title = titled(
        f"{format_interval_query(asked)}: {say_probability(p)}",
        f"a is {names[0]}, b is {names[1]}. {_doubts([end for side in sides for end in side])}",
    )
    if unit:
        return themed(_draw(sides, names, 0.0, ticks, f"{unit} from the first time").properties(title=title))
    return themed(_draw(sides, names, float(prepared.origin), 1.0, "time").properties(title=title))


def _doubts(ends: list[_End]) -> str:
    """What is not known of the events."""
    lost = sum(not end.recorded for end in ends)
    vague = sum(end.recorded and end.lo < end.hi for end in ends)
    said = f"{lost} of {len(ends)} events were lost"
    if vague:
        said += f", and {vague} have uncertain times"
    return f"{said}: each lies somewhere in its range." if lost + vague else f"{said}."


def _prepare(left: Drawable, right: Drawable, left_key: Any, right_key: Any, query: IntervalQuery) -> Prepared:
    tables = []
    for side, key in ((left, left_key), (right, right_key)):
        if side.table is None:
            raise BadArgument("Charts are drawn in this process. Bring the rows of the two keys here with .toArrow().")
        column = side.table.column(side.contract.key)
        rows = side.table.filter(pc.equal(column, pa.scalar(key, column.type)))
        if not len(rows):
            raise BadArgument(f"The segments have no key {key!r}.")
        tables.append(rows)
    question = IntervalQuestion(
        SegmentSide("left", left.contract, False), SegmentSide("right", right.contract, False),
        left.clock.meet(right.clock), query,
    )  # fmt: skip
    return prepare(question, *tables)


def _ends(sequences: Sequences) -> list[_End]:
    """The range of every event of one key."""
    known = [(at, float(t)) for at, t in enumerate(sequences.time) if not math.isnan(t)]
    far = _OPEN_ENDS / float(sequences.rate[0])
    first = float(sequences.lo[0]) if math.isfinite(sequences.lo[0]) else known[0][1] - far
    last = float(sequences.hi[0]) if math.isfinite(sequences.hi[0]) else known[-1][1] + far
    ends = []
    for at, time in enumerate(sequences.time):
        if not math.isnan(time):
            ends.append(_End(float(time), float(time), True))
            continue
        lo = max((t for place, t in known if place < at), default=first)
        hi = min((t for place, t in known if place > at), default=last)
        ends.append(_End(lo, hi, False))
    return ends


def _uncertain_ends(sequences: Sequences, pieces: Pieces) -> list[_End]:
    """The range of every event of one key, from the first to the last piece of its distribution."""
    first, last = pieces.first[:-1], pieces.first[1:] - 1
    ranges = zip(pieces.lo[first].tolist(), pieces.hi[last].tolist(), np.isnan(sequences.time).tolist(), strict=True)
    return [_End(lo, hi, not lost) for lo, hi, lost in ranges]


def _draw(sides: list[list[_End]], names: tuple[str, str], origin: float, ticks: float, along: str) -> alt.LayerChart:
    bars: list[dict[str, Any]] = []
    ranges: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for label, own in zip((f"a: {names[0]}", f"b: {names[1]}"), sides, strict=True):
        ends = [_End((origin + end.lo) / ticks, (origin + end.hi) / ticks, end.recorded) for end in own]
        for number in range(0, len(ends), 2):
            begin, end = ends[number], ends[number + 1]
            row = {"side": label, "segment": number // 2 + 1}
            bars.append({**row, "lo": begin.lo, "hi": end.hi, "sure": "may be in it"})
            if begin.hi < end.lo:
                bars.append({**row, "lo": begin.hi, "hi": end.lo, "sure": "surely in it"})
        for number, end in enumerate(ends):
            row = {"side": label, "event": "start" if number % 2 == 0 else "end", "lo": end.lo}
            (marks if end.recorded else ranges).append({**row, "hi": end.hi, "number": number + 1})
    labels = [f"a: {names[0]}", f"b: {names[1]}"]
    y = alt.Y("side:N", title=None, sort=labels, axis=alt.Axis(labelFontSize=13))
    colour = alt.Color("side:N", scale=alt.Scale(domain=labels, range=[LEFT, RIGHT]), legend=None)
    x = alt.X("lo:Q", title=along, scale=alt.Scale(zero=False))
    opacity = alt.Opacity(
        "sure:N", scale=alt.Scale(domain=["surely in it", "may be in it"], range=[0.85, 0.22]), legend=alt.Legend()
    )
    tips = ["side:N", "segment:Q", "sure:N", "lo:Q", "hi:Q"]
    layers = [
        _over(bars).mark_bar(height=_BAR).encode(y=y, x=x, x2="hi:Q", color=colour, opacity=opacity, tooltip=tips)
    ]
    if ranges:
        lost = _over(ranges).encode(y=y, x=x, x2="hi:Q", color=colour, tooltip=["event:N", "number:Q", "lo:Q", "hi:Q"])
        layers.append(lost.mark_rule(strokeWidth=2, strokeDash=[3, 3], yOffset=_BAR))
    sharp, wide = ([row for row in marks if (row["lo"] < row["hi"]) == uncertain] for uncertain in (False, True))
    if wide:
        vague = _over(wide).encode(y=y, x=x, x2="hi:Q", tooltip=["event:N", "number:Q", "lo:Q", "hi:Q"])
        layers.append(vague.mark_bar(color=INK, opacity=_VAGUE, height=_BAR + 10))
    if sharp:
        recorded = _over(sharp).encode(y=y, x=x, tooltip=["event:N", "number:Q", "lo:Q"])
        layers.append(recorded.mark_tick(color=INK, thickness=2, size=_BAR + 10))
    return alt.layer(*layers).properties(width=WIDTH, height=2 * _ROW)


def _over(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))
