"""Why most pairs need no arithmetic: the ranges of a partner's latest time that are surely in and surely out.

The picture of paper 000's figure 3 and paper 001's figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from whenabouts.chart.curves import Curves, Ends, interval_curves, template_curves
from whenabouts.chart.theme import INK, MUTED, NO, PROBE, WIDTH, YES, themed, titled
from whenabouts.chart.words import band_of, say_number, say_probability, unit_of
from whenabouts.errors import BadArgument
from whenabouts.model.histogram import Histogram
from whenabouts.model.predicate import Timing

_SURE, _PROBE, _NEVER = "surely yes", "probe", "surely no"
_KINDS = [_SURE, _PROBE, _NEVER]
_BOUNDS = {"most": "the most a partner can reach", "least": "the least"}
_WITH, _WITHOUT = "with the threshold", "from the ends alone"
_ROOM_FOR_A_LABEL = 0.055
"""The share of the width below which the name of a range does not fit into it."""


def ranges(
    x: Histogram,
    templates: Mapping[str, Histogram] | Sequence[Histogram],
    predicate: Timing,
    min_confidence: float,
) -> alt.VConcatChart:
    """Draw the ranges of one event over partners that have one of some distributions.

    Parameters
    ----------
    x : Histogram
        The event's time.
    templates : mapping of name to Histogram, or sequence of Histogram
        The distributions of occurrence times that partners have; where each lies is of no matter.
    predicate : Timing
        `within`, `deadline` or `delay`; numbers are seconds where it has a unit.
    min_confidence : float
        The threshold.
    """
    partners = list(templates.values()) if isinstance(templates, Mapping) else list(templates)
    if not partners:
        raise BadArgument("ranges(..., templates=...) is empty: give at least one distribution of a partner.")
    _check(min_confidence)
    curves = template_curves(x, partners, *band_of(predicate), min_confidence)
    among = f"{len(partners):,} distributions" if len(partners) > 1 else "one distribution"
    return _draw(curves, predicate, min_confidence, f"partners Y of {among}")


def interval_ranges(
    lo: float, hi: float, widths: tuple[float, float], predicate: Timing, min_confidence: float
) -> alt.VConcatChart:
    """Draw the ranges of an event that is uniform on [lo, hi] over uniform partners.

    Parameters
    ----------
    lo, hi : float
        The ends of the event's interval.
    widths : tuple of float
        The narrowest and the widest interval of a partner.
    predicate : Timing
        `within`, `deadline` or `delay`; numbers are seconds where it has a unit.
    min_confidence : float
        The threshold.
    """
    if not 0 <= widths[0] <= widths[1]:
        raise BadArgument(f"widths must be (narrowest, widest) and not negative, but are {widths}.")
    _check(min_confidence)
    curves = interval_curves(lo, hi, widths, *band_of(predicate), min_confidence)
    return _draw(curves, predicate, min_confidence, f"uniform partners Y, {widths[0]:g} to {widths[1]:g} wide")


def _check(min_confidence: float) -> None:
    if not 0.0 < min_confidence <= 1.0:
        raise BadArgument(f"min_confidence must be in (0, 1], not {min_confidence!r}.")


def _draw(curves: Curves, predicate: Timing, confidence: float, partners: str) -> alt.VConcatChart:
    step = float(curves.m[-1] - curves.m[0]) / 1000
    wanted = f"P({predicate}) >= {say_probability(confidence)}"
    lines = [f"{wanted}, for {partners}, by their latest time m.", *_savings(curves.ends, curves.free, step)]
    chart = alt.vconcat(
        _panel(curves, predicate, confidence, step),
        _strips(curves, predicate),
        spacing=8,
        title=titled(_answer(curves.ends, step), lines),
    )
    return themed(chart.resolve_scale(color="shared"))


def _answer(ends: Ends, step: float) -> str:
    """The title: what the ranges decide."""

    def say(value: float) -> str:
        return say_number(value, step)

    out = [f"before {say(ends.no_before)}"] if math.isfinite(ends.no_before) else []
    out += [f"after {say(ends.no_after)}"] if math.isfinite(ends.no_after) else []
    if not ends.any_sure:
        return f"Surely no {' or '.join(out)}; all in between is probed"
    if not math.isfinite(ends.yes_from):
        sure = f"up to m = {say(ends.yes_to)}"
    elif not math.isfinite(ends.yes_to):
        sure = f"from m = {say(ends.yes_from)}"
    else:
        sure = f"for m from {say(ends.yes_from)} to {say(ends.yes_to)}"
    return f"Surely yes {sure}; surely no {' or '.join(out)}"


def _savings(ends: Ends, free: Ends, step: float) -> list[str]:
    """How much less there is to probe than without the threshold (paper 000, equations 4 to 6)."""
    if not free.probed > 0:
        return []
    share = ends.probed / free.probed
    return [
        f"Left to probe: {say_number(ends.probed, step)} of the {say_number(free.probed, step)} "
        f"that the ends alone would leave ({share:.0%})."
    ]


def _segments(ends: Ends, first: float, last: float, row: str) -> list[dict[str, Any]]:
    """The ranges as coloured stretches from first to last."""
    cuts = [first, ends.no_before, ends.yes_from, ends.yes_to, ends.no_after, last]
    names = [(_NEVER, "VR"), (_PROBE, "LPR"), (_SURE, "SR"), (_PROBE, "RPR"), (_NEVER, "VR")]
    if not ends.any_sure:
        cuts, names = [first, ends.no_before, ends.no_after, last], [names[0], (_PROBE, "PR"), names[4]]
    cuts = [min(max(cut, first), last) for cut in cuts]
    return [
        {
            "lo": a, "hi": b, "middle": 0.5 * (a + b), "kind": kind, "row": row,
            "label": label if b - a > _ROOM_FOR_A_LABEL * (last - first) else "",
        }
        for a, b, (kind, label) in zip(cuts[:-1], cuts[1:], names, strict=True)
        if b > a
    ]  # fmt: skip


def _across(column: str, curves: Curves, title: str | None = None) -> alt.X:
    scale = alt.Scale(domain=[float(curves.m[0]), float(curves.m[-1])], nice=False)
    axis = alt.Axis(tickCount=10) if title else None
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=axis)


def _over(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _colour(legend: bool) -> alt.Color:
    scale = alt.Scale(domain=_KINDS, range=[YES, PROBE, NO])
    return alt.Color("kind:N", scale=scale, legend=alt.Legend(title=None, symbolOpacity=0.9) if legend else None)


def _panel(curves: Curves, predicate: Timing, confidence: float, step: float) -> alt.LayerChart:
    """The two curves over the ranges, with the threshold and where it is crossed."""
    first, last = float(curves.m[0]), float(curves.m[-1])
    between = [
        {"m": m, "least": least, "most": most}
        for m, least, most in zip(curves.m.tolist(), curves.least.tolist(), curves.most.tolist(), strict=True)
    ]
    bounds = [{"m": row["m"], "p": row[end], "bound": name} for end, name in _BOUNDS.items() for row in between]
    up = {"scale": alt.Scale(domain=[0, 1], nice=False), "axis": alt.Axis(tickCount=5), "title": f"P({predicate})"}
    dash = alt.StrokeDash(
        "bound:N", scale=alt.Scale(domain=list(_BOUNDS.values()), range=[[1, 0], [5, 3]]),
        legend=alt.Legend(title=None, symbolType="stroke", symbolStrokeColor=INK, symbolStrokeWidth=2, symbolSize=140),
    )  # fmt: skip
    x = _across("m", curves)
    ground = _over(_segments(curves.ends, first, last, _WITH)).mark_rect(opacity=0.25)
    return alt.layer(
        ground.encode(x=_across("lo", curves), x2="hi:Q", color=_colour(True), tooltip=["kind:N", "lo:Q", "hi:Q"]),
        _over(between).mark_area(color=INK, opacity=0.12).encode(x=x, y=alt.Y("least:Q", **up), y2="most:Q"),
        _over(bounds).mark_line(color=INK, strokeWidth=1.8).encode(x=x, y=alt.Y("p:Q", **up), strokeDash=dash),
        *_threshold(confidence, up),
        *_marks(curves, confidence, up, step),
    ).properties(width=WIDTH, height=260)


def _threshold(confidence: float, up: dict[str, Any]) -> list[alt.Chart]:
    level = _over([{"p": confidence, "text": ["confidence", say_probability(confidence)]}])
    return [
        level.mark_rule(color=MUTED, strokeDash=[2, 2]).encode(y=alt.Y("p:Q", **up)),
        level.mark_text(align="left", color=MUTED, lineHeight=14, dy=-7).encode(
            x=alt.value(WIDTH + 8), y=alt.Y("p:Q", **up), text="text:N"
        ),
    ]


def _marks(curves: Curves, confidence: float, up: dict[str, Any], step: float) -> list[alt.Chart]:
    """LH, LL, RL and RH where the curves cross the threshold; thin lines where the ranges ended without it."""
    ends, free = curves.ends, curves.free
    named = [("LH", ends.no_before, "right"), ("LL", ends.yes_from, "left")]
    named += [("RL", ends.yes_to, "right"), ("RH", ends.no_after, "left")]
    rows = [
        {"name": name, "m": m, "p": confidence, "text": f"{name} {say_number(m, step)}", "side": side}
        for name, m, side in named
        if math.isfinite(m) and (ends.any_sure or name in ("LH", "RH"))
    ]
    thin = [free.no_before, free.yes_from, free.yes_to, free.no_after]
    x = _across("m", curves)
    layers = [
        _over([{"m": m} for m in thin if math.isfinite(m)])
        .mark_rule(color=MUTED, strokeWidth=0.7, strokeDash=[1, 3])
        .encode(x=x),
        _over(rows).mark_rule(color=INK, strokeWidth=1).encode(x=x),
        _over(rows)
        .mark_circle(color=INK, size=55, opacity=1)
        .encode(x=x, y=alt.Y("p:Q", **up), tooltip=["name:N", "m:Q"]),
    ]
    for side, dx in (("left", 4), ("right", -4)):
        label = _over([row for row in rows if row["side"] == side]).mark_text(align=side, dx=dx, fontWeight=600)
        layers.append(label.encode(x=x, y=alt.value(-9), text="text:N"))
    return layers


def _strips(curves: Curves, predicate: Timing) -> alt.LayerChart:
    """The ranges as two bars, with the threshold and without it."""
    first, last = float(curves.m[0]), float(curves.m[-1])
    rows = _segments(curves.ends, first, last, _WITH) + _segments(curves.free, first, last, _WITHOUT)
    scale, axis = alt.Scale(paddingInner=0.2), alt.Axis(grid=False)
    y = alt.Y("row:N", sort=[_WITH, _WITHOUT], title=None, scale=scale, axis=axis)
    title = f"m, the latest time of the partner{unit_of(predicate)}"
    bars = _over(rows).mark_rect(opacity=0.9)
    names = _over(rows).mark_text(fontSize=11, fontWeight=600)
    return alt.layer(
        bars.encode(
            x=_across("lo", curves, title), x2="hi:Q", y=y, color=_colour(False), tooltip=["kind:N", "lo:Q", "hi:Q"]
        ),
        names.encode(x=_across("middle", curves, title), y=y, text="label:N"),
    ).properties(width=WIDTH, height=52)
