"""Paper 002, figures 4(a) to 4(e): events a second on its synthetic stream, by method, delta, length and frequency.

Time is counted in ticks, as in the paper, and the point-based method runs as far as it can be waited for. Beside them
figure 4(e) has continuous time, which the paper does not know.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

import altair as alt

import whenabouts as wa
from benchmarks.figures.drawing import Rows, around, log_axis, over
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.match import query_for, stream
from whenabouts.chart.theme import INK, LEFT, RIGHT, WIDTH, YES, themed, titled

DELTAS = (1, 2, 5, 10, 20, 30, 40, 50)
POINT_UP_TO = {"any": 10, "next": 5}
"""The widest delta that the point-based method is asked for: a match of three has delta^3 point matches."""
DIVISORS = (36, 40, 41)
LENGTHS = (2, 3, 4, 5, 6)
SHARES = ((41, 36), (25, 60), (15, 100), (9, 167), (6, 250), (4, 500))
"""For figure 4(d): v_1 and v_3; E_1 takes more and more events and E_3 fewer, and both together about as many pairs."""
COLOURS = {"point": INK, "any_state": RIGHT, "selectivity": LEFT, "sorted": YES, "continuous": LEFT}

METHODS = ("point", "any_state", "selectivity", "sorted")

Series = dict[str, dict[float, float]]


def run(scale: Scale) -> list[Finding]:
    """Measure all five."""
    count = 20_000 if scale == "full" else 2_000
    for strategy in ("any", "next"):
        for method in METHODS:
            _rate(200, 1, DIVISORS, method, strategy)
    _rate(200, 50, DIVISORS, "sorted", "next", tick=None)
    return [_points(count), _optimised(count), _lengths(count), _frequencies(count), _next(count)]


def _rate(
    count: int, delta: float, divisors: Sequence[int], method: str, strategy: str = "any", tick: float | None = 1
) -> float:
    """Events a second, the median of three runs."""
    events, query = stream(count, delta), query_for(tuple(divisors), strategy)
    taken = []
    for _ in range(3):
        start = time.process_time()
        wa.match(events, query, tick=tick, method=method)
        taken.append(time.process_time() - start)
    return count / median(taken)


def _swept(values: Sequence[float], rate: Callable[[float], float]) -> dict[float, float]:
    return {value: rate(value) for value in values}


def _finding(
    name: str, title: str, along: str, series: Series, setting: str, claims: list[Claim], *, powers: bool = False
) -> Finding:
    rows: Rows = [{"x": x, "rate": rate, "name": method} for method, of in series.items() for x, rate in of.items()]
    xs = sorted({row["x"] for row in rows})
    domain = around(xs, 1.15)
    x = alt.X(**log_axis("x", along, domain, xs)) if powers else alt.X("x:Q", title=along, axis=alt.Axis(values=xs))
    y = alt.Y("rate:Q", title="events a second", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"))
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(series), range=[COLOURS[method] for method in series]),
        legend=alt.Legend(),
    )
    base = over(rows).encode(x=x, y=y, color=colour)
    layers = alt.layer(base.mark_line(strokeWidth=2), base.mark_circle(size=45, opacity=1))
    chart = themed(layers.properties(width=WIDTH, height=260, title=titled(title, setting)))
    table = [(f"{value:g}", *(_said(of.get(value)) for of in series.values())) for value in xs]
    numbers = {method: {f"{x:g}": rate for x, rate in of.items()} for method, of in series.items()}
    return Finding(name, chart, setting, (along, *series), table, claims, numbers)


def _said(rate: float | None) -> str:
    return "" if rate is None else f"{rate:,.0f}"


def _points(count: int) -> Finding:
    """4(a): the point-based method next to the event-based one."""
    short = [delta for delta in DELTAS if delta <= POINT_UP_TO["any"]]
    point = _swept(short, lambda delta: _rate(max(count // (10 * int(delta)), 200), delta, DIVISORS, "point"))
    event = _swept(DELTAS, lambda delta: _rate(count, delta, DIVISORS, "any_state"))
    last = short[-1]
    claims = [
        Claim(
            "the point-based method degrades fast with delta",
            f"{point[1] / point[last]:,.0f} times slower at delta = {last} than at 1",
            point[1] / point[last] > 10,
        ),
        Claim(
            "the event-based method always outperforms it",
            f"{event[1] / point[1]:.1f} times as fast at delta = 1, {event[last] / point[last]:,.0f} times at {last}",
            all(event[delta] > rate for delta, rate in point.items()),
        ),
    ]
    setting = f"Skip till any match, W = 100, l = 3, divisors {DIVISORS}, fixed; matches grow with delta."
    series = {"point": point, "any_state": event}
    return _finding("patterns-points", "Points against events", "delta", series, setting, claims)


def _optimised(count: int) -> Finding:
    """4(b): the optimisations, by delta."""
    series = {
        method: _swept(DELTAS, lambda delta, method=method: _rate(count, delta, DIVISORS, method))
        for method in ("any_state", "selectivity", "sorted")
    }
    claims = [
        Claim(
            "the any state method degrades with delta",
            f"{series['any_state'][1] / series['any_state'][50]:.1f} times slower at delta = 50 than at 1",
            series["any_state"][1] > 2 * series["any_state"][50],
        ),
        Claim(
            "sorting for query order performs the best",
            ", ".join(f"{of[50]:,.0f}/s by {method}" for method, of in series.items()) + " at delta = 50",
            all(series["sorted"][50] >= of[50] for of in series.values()),
        ),
    ]
    setting = f"Skip till any match, W = 100, l = 3, divisors {DIVISORS}, fixed."
    return _finding("patterns-optimised", "The optimisations, by delta", "delta", series, setting, claims)


def _lengths(count: int) -> Finding:
    """4(c): the optimisations, by length."""
    series = {
        method: _swept(
            LENGTHS, lambda length, method=method: _rate(count // 4, 10, range(60, 60 + int(length)), method)
        )
        for method in ("any_state", "selectivity", "sorted")
    }
    claims = [
        Claim(
            "the any state method loses performance quickly as the pattern gets longer",
            f"{series['any_state'][2] / series['any_state'][6]:.1f} times slower at l = 6 than at 2",
            series["any_state"][2] > 2 * series["any_state"][6],
        ),
        Claim(
            "sorting still works the best",
            ", ".join(f"{of[6]:,.0f}/s by {method}" for method, of in series.items()) + " at l = 6",
            all(series["sorted"][6] >= of[6] for of in series.values()),
        ),
    ]
    setting = "Skip till any match, W = 100, delta = 10, divisors from 60 on."
    return _finding("patterns-lengths", "The optimisations, by length", "l", series, setting, claims)


def _frequencies(count: int) -> Finding:
    """4(d): the optimisations, by how frequent the first component is."""
    series: Series = {
        method: {100 / first: _rate(count, 10, (first, 40, last), method) for first, last in SHARES}
        for method in ("any_state", "selectivity", "sorted")
    }
    most = 100 / SHARES[-1][0]
    claims = [
        Claim(
            "where most events fit the first component and few the last, selectivity order works the best",
            ", ".join(f"{of[most]:,.0f}/s by {method}" for method, of in series.items()) + f" at {most:g}%",
            all(series["selectivity"][most] >= of[most] for of in series.values()),
        )
    ]
    setting = "Skip till any match, W = 100, l = 3, delta = 10, v_2 = 40; v_3 grows as v_1 falls."
    return _finding(
        "patterns-frequencies", "The optimisations, by frequency", "percent of the events that fit E_1", series,
        setting, claims, powers=True,
    )  # fmt: skip


def _next(count: int) -> Finding:
    """4(e): skip till next match."""
    short = [delta for delta in DELTAS if delta <= POINT_UP_TO["next"]]
    some = {delta: max(int(count / (5 * delta)), 300) for delta in DELTAS}
    few = {delta: max(int(count / (40 * delta)), 200) for delta in DELTAS}
    series = {"point": _swept(short, lambda delta: _rate(few[int(delta)], delta, DIVISORS, "point", "next"))}
    for method in ("any_state", "sorted"):
        series[method] = _swept(
            DELTAS, lambda delta, method=method: _rate(some[int(delta)], delta, DIVISORS, method, "next")
        )
    series["continuous"] = _swept(DELTAS, lambda delta: _rate(count, delta, DIVISORS, "sorted", "next", tick=None))
    last = short[-1]
    claims = [
        Claim(
            "the event-based methods outperform the point-based one here, too",
            f"{series['sorted'][last] / series['point'][last]:,.0f} times as fast at delta = {last}",
            all(series["sorted"][delta] > rate for delta, rate in series["point"].items()),
        ),
        Claim(
            "the confidence dominates the cost from delta = 30 on",
            f"{series['sorted'][1] / series['sorted'][30]:,.0f} times slower at delta = 30 than at 1",
            series["sorted"][1] > 3 * series["sorted"][30],
        ),
    ]
    setting = f"Skip till next match, W = 100, l = 3, divisors {DIVISORS}, fixed; ticks, and continuous time."
    return _finding("patterns-next", "Skip till next match", "delta", series, setting, claims)
