"""Paper 003, figures 7 to 11: pruning power and time an arrival, over thresholds, dimensions and windows.

Both of the paper's methods run here with the same distance kernel as ours; a timestamp is one object of either stream.
WoP computes every pair of the windows, so it runs on fewer timestamps than fill a window, and what it takes for a pair
is multiplied with the pairs of a timestamp in full windows.
"""

from __future__ import annotations

import time
from typing import Any

import altair as alt

import whenabouts as wa
from benchmarks.figures.drawing import HALF, HEIGHT, around, heading, log_axis, over
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.similarity_data import (
    KINDS,
    RADII,
    SAMPLES,
    SELECTIVITY,
    THRESHOLD,
    WINDOW,
    clouds,
    distance_for,
    objects,
)
from whenabouts.chart.theme import INK, LEFT, PROBE, RIGHT, YES, themed, titled

TIMESTAMPS = {"full": (4_000, 500), "small": (1_500, 300)}
"""How many for the grid and for us, and how many for WoP."""
ALPHAS = (0.1, 0.3, 0.5, 0.7, 0.9)
DIMENSIONS = (2, 3, 4, 5)
WINDOWS = (500, 1000, 1500, 2000)
METHODS = {"wop": "WoP", "grid": "Grid", "auto": "whenabouts"}
COLOURS = {"WoP": INK, "Grid": RIGHT, "whenabouts": LEFT}


def run(scale: Scale) -> list[Finding]:
    """All five figures."""
    many, few = TIMESTAMPS[scale]
    return [_pruning(many), _methods(many, few), _thresholds(many, few), _dimensions(many, few), _windows(many, few)]


def measured(kind: str, method: str, rows: int, **changed: Any) -> tuple[float, wa.Stats]:
    """Seconds of this process for a timestamp in full windows, and what was counted."""
    dimensions, window = changed.get("dimensions", 3), changed.get("window", WINDOW)
    options = {"min_confidence": changed.get("alpha", THRESHOLD), "window": window}
    eps = distance_for(kind, dimensions=dimensions, rows=max(rows, WINDOW))
    sides = objects(clouds(kind, rows, dimensions=dimensions, radii="gaussian"))
    wa.similarity_join(*objects([side.table for side in sides], 20), distance=eps, method=method, threads=1, **options)
    stats = wa.Stats()
    start = time.process_time()
    wa.similarity_join(*sides, distance=eps, method=method, threads=1, stats=stats, **options)
    seconds = time.process_time() - start
    if method == "wop":
        return seconds / stats.window_pairs * (2 * window - 1), stats
    return seconds / rows, stats


def _pruning(rows: int) -> Finding:
    points, table, numbers = [], [], {}
    for kind in KINDS:
        for alpha in ALPHAS:
            power = measured(kind, "grid", rows, alpha=alpha)[1].pruning_power
            ours = measured(kind, "auto", rows, alpha=alpha)[1].pruning_power
            numbers[f"{kind} {alpha}"] = {"grid": power, "whenabouts": ours}
            table.append((kind, f"{alpha}", *(f"{100 * power[k]:.1f} %" for k in ("objects", "samples")),
                          f"{100 * sum(ours.values()):.1f} %"))  # fmt: skip
            for at, part in enumerate(("objects", "samples")):
                name = ("OP", "SP")[at]
                points.append({"kind": kind, "alpha": str(alpha), "name": name, "share": 100 * power[part], "at": at})
    both = [100 * sum(entry["grid"].values()) for entry in numbers.values()]
    rising = all(
        numbers[f"{kind} 0.9"]["grid"]["samples"] >= numbers[f"{kind} 0.1"]["grid"]["samples"] for kind in KINDS
    )
    chart = (
        over(points)
        .mark_bar()
        .encode(
            x=alt.X("alpha:N", title="alpha", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="pairs pruned (%)"),
            color=alt.Color("name:N", scale=alt.Scale(domain=["OP", "SP"], range=[YES, PROBE])),
            order="at:O",
            column=alt.Column("kind:N", title=None),
        )
        .properties(width=HALF, height=HEIGHT, title=titled("Pruning power", "of the paper's two stages"))
    )
    claims = [
        Claim("OP and SP prune more than 90 % of the pairs", f"{min(both):.0f} to {max(both):.0f} %", min(both) > 90),
        Claim("SP prunes more as alpha grows", "yes" if rising else "not always", rising),
    ]
    return Finding(
        "similarity-pruning", themed(chart), _setting(rows), ("data", "alpha", "OP", "SP", "whenabouts"), table,
        claims, numbers, ["The last column is what whenabouts prunes before any distance."],
    )  # fmt: skip


def _sweep(
    name: str, title: str, values: tuple[Any, ...], option: str | None, rows: tuple[int, int]
) -> tuple[Any, ...]:
    """The time of each method for each value, as numbers, table and chart."""
    points, table, numbers = [], [], {}
    kinds = ("sensor",) if option == "dimensions" else tuple(KINDS)
    for kind in kinds:
        for value in values:
            took = {}
            for method, label in METHODS.items():
                changed = {} if option is None else {option: value}
                took[label] = measured(kind, method, rows[1] if method == "wop" else rows[0], **changed)[0]
                points.append({"kind": kind, "value": value, "name": label, "seconds": took[label]})
            numbers[f"{kind} {value}"] = took
            table.append((kind, str(value), *(f"{1e6 * seconds:,.0f}" for seconds in took.values())))
    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    y = alt.Y(**log_axis("seconds", "seconds a timestamp", around([point["seconds"] for point in points])))
    panels = []
    for kind in kinds:
        own = [point for point in points if point["kind"] == kind]
        base = over(own).encode(x=alt.X("value:O", title=name, axis=alt.Axis(labelAngle=0)), y=y)
        base = base.encode(color=alt.Color("name:N", scale=scale))
        mark = base.mark_line(point=True, strokeWidth=2)
        if option is None:
            by_name = alt.X("name:N", title=None, sort=list(COLOURS), axis=alt.Axis(labelAngle=0))
            mark = base.mark_point(size=120, filled=True).encode(x=by_name)
        panels.append(mark.properties(width=HALF, height=HEIGHT, title=heading(kind)))
    chart = alt.hconcat(*panels, title=titled(title, "time of one core for one object of either stream"))
    return numbers, table, themed(chart)


def _methods(many: int, few: int) -> Finding:
    numbers, table, chart = _sweep("", "WoP, Grid and ours", ("defaults",), None, (many, few))
    ratios = [took["WoP"] / took["Grid"] for took in numbers.values()]
    ours = [took["Grid"] / took["whenabouts"] for took in numbers.values()]
    claims = [
        Claim("Grid is about two orders of magnitude faster than WoP", _range(ratios), min(ratios) > 30),
        Claim("(ours) at least three times as fast as Grid", _range(ours), min(ours) >= 3),
    ]
    return _finding("similarity-methods", chart, many, "case", table, claims, numbers)


def _thresholds(many: int, few: int) -> Finding:
    numbers, table, chart = _sweep("alpha", "Over thresholds", ALPHAS, "alpha", (many, few))
    falls = [numbers[f"{kind} 0.9"]["Grid"] / numbers[f"{kind} 0.1"]["Grid"] for kind in KINDS]
    flat = [numbers[f"{kind} 0.9"]["WoP"] / numbers[f"{kind} 0.1"]["WoP"] for kind in KINDS]
    claims = [
        Claim("Grid gets slightly cheaper as alpha grows", f"at 0.9 {_range(falls)} of 0.1", max(falls) < 1),
        Claim("WoP costs the same for any alpha", f"{_range(flat)}", all(0.7 < ratio < 1.4 for ratio in flat)),
    ]
    return _finding("similarity-thresholds", chart, many, "alpha", table, claims, numbers)


def _dimensions(many: int, few: int) -> Finding:
    numbers, table, chart = _sweep("d", "Over dimensions", DIMENSIONS, "dimensions", (many, few))
    growth = [numbers["sensor 5"][label] / numbers["sensor 2"][label] for label in ("WoP", "Grid")]
    claims = [Claim("WoP and Grid cost more in more dimensions", _range(growth), min(growth) > 1)]
    return _finding("similarity-dimensions", chart, many, "d", table, claims, numbers)


def _windows(many: int, few: int) -> Finding:
    numbers, table, chart = _sweep("w", "Over windows", WINDOWS, "window", (many, few))
    growth = [numbers[f"{kind} 2000"]["Grid"] / numbers[f"{kind} 500"]["Grid"] for kind in KINDS]
    claims = [Claim("the cost rises with the window", f"w = 2000 against 500: {_range(growth)}", min(growth) > 1)]
    return _finding("similarity-windows", chart, many, "w", table, claims, numbers)


def _finding(name: str, chart: Any, rows: int, of: str, table: Any, claims: list[Claim], numbers: Any) -> Finding:
    headings = ("data", of, *(f"{label}, µs" for label in METHODS.values()))
    note = "WoP's is its time for a pair, measured on fewer timestamps, times the pairs of a timestamp in full windows."
    return Finding(name, chart, _setting(rows), headings, table, claims, numbers, [note])


def _setting(rows: int) -> str:
    return (
        f"l = {SAMPLES} samples, d = 3, w = {WINDOW:,}, alpha = {THRESHOLD}, radii from {RADII[0]:g} to {RADII[1]:g} "
        f"(left uniform, right Gaussian), {rows:,} timestamps, and a distance for which about {100 * SELECTIVITY:g} % "
        "of the pairs are answers."
    )


def _range(values: list[float]) -> str:
    return f"{min(values):.2g} to {max(values):.2g} times" if len(values) > 1 else f"{values[0]:.2g} times"
