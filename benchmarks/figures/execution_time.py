"""Paper 001, figure 3: execution time against the arrival rate."""

from __future__ import annotations

from statistics import geometric_mean

import altair as alt

from benchmarks.figures.drawing import HALF, HEIGHT, Rows, around, colour, heading, lines, log_axis, rule
from benchmarks.figures.finding import Claim, Finding
from benchmarks.figures.rate_axis import CONFIDENCE, LAZY, RATES, SIMPLE, D, Runs, rate_axis
from benchmarks.figures.workload import ALGORITHMS, SWEEP, Measured
from whenabouts.chart.theme import themed, titled

NOTICEABLE = 0.97
"""A mean ratio of times below this counts as faster."""
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


def execution_time(runs: Runs, setting: str) -> Finding:
    """Seconds of every algorithm, and over those of eager."""
    names = (*ALGORITHMS, SWEEP)
    seconds = {rate: {name: measured[name].seconds for name in names} for rate, measured in runs.items()}
    ratio = {rate: {name: took[name] / took["eager"] for name in names} for rate, took in seconds.items()}
    rows: Rows = [
        {"rate": rate, "name": name, "seconds": seconds[rate][name], "ratio": ratio[rate][name]}
        for rate in RATES
        for name in names
    ]
    times = alt.Y(**log_axis("seconds", "seconds", around(row["seconds"] for row in rows)))
    ratios = alt.Y(**log_axis("ratio", "times eager", around(row["ratio"] for row in rows), STEPS))
    panels = alt.hconcat(
        lines(rows, rate_axis(), times, colour(names)).properties(
            width=HALF, height=HEIGHT, title=heading("Execution time")
        ),
        alt.layer(rule("ratio", 1.0, ratios), lines(rows, rate_axis(), ratios, colour(names))).properties(
            width=HALF, height=HEIGHT, title=heading("Over that of eager")
        ),
        spacing=34,
    )
    top = ratio[RATES[-1]]
    sort_gain = [took["sorted"] / took["simple"] for took in seconds.values()]
    lazy_gain = {name: [took[name] for took in ratio.values()] for name in LAZY}
    fastest = runs[RATES[-1]]
    chart = panels.properties(
        title=titled(
            f"At {RATES[-1]:,} tuples/s: simple takes {top['simple']:.1f}, lazy {top['lazy']:.2f} times eager",
            [
                f"Paper 001, figure 3. The same pairs, within {D:g} ms at confidence {CONFIDENCE:g}, by five "
                "algorithms in the order of arrival.",
                "The sweep sees all tuples at once: it is what a batch join does here.",
            ],
        )
    )
    return Finding(
        "execution-time",
        themed(chart),
        setting,
        ("tuples/s", "eager, s", *(f"{name} / eager" for name in names if name != "eager")),
        [
            (
                f"{rate:,}",
                f"{seconds[rate]['eager']:.3f}",
                *(f"{ratio[rate][name]:.2f}" for name in names if name != "eager"),
            )
            for rate in RATES
        ],
        [
            Claim(
                "eager and the lazy family grow much more slowly than the simple family",
                f"from {RATES[0]} to {RATES[-1]:,}/s "
                + ", ".join(
                    f"{name} by {seconds[RATES[-1]][name] - seconds[RATES[0]][name]:.2f} s" for name in ALGORITHMS
                ),
                min(_growth(seconds, name) for name in SIMPLE)
                > 1.5 * max(_growth(seconds, name) for name in ("eager", *LAZY)),
            ),
            Claim(
                "simple sort is faster than simple",
                f"{_span(sort_gain)} times simple",
                geometric_mean(sort_gain) < NOTICEABLE,
            ),
            Claim(
                "the lazy family is faster than eager",
                ", ".join(f"{name} {_span(gain)}" for name, gain in lazy_gain.items()) + " times eager",
                all(geometric_mean(gain) < NOTICEABLE for gain in lazy_gain.values()),
            ),
        ],
        {"seconds": seconds, "pairs": {rate: measured["eager"].counts["emitted"] for rate, measured in runs.items()}},
        [
            f"At {RATES[-1]:,} tuples/s a look at a pair, with its probability, takes simple {_look(fastest):.0f} ns; "
            "of the probabilities that simple computes "
            + ", ".join(f"{name} computes {_computed(fastest, name):.0%}" for name in ("eager", *LAZY))
            + "."
        ],
    )


def _look(measured: dict[str, Measured]) -> float:
    """How many nanoseconds the simple algorithm takes for a pair."""
    return 1e9 * measured["simple"].seconds / measured["simple"].counts["computed"]


def _computed(measured: dict[str, Measured], name: str) -> float:
    return measured[name].counts["computed"] / measured["simple"].counts["computed"]


def _growth(seconds: dict[int, dict[str, float]], name: str) -> float:
    return seconds[RATES[-1]][name] - seconds[RATES[0]][name]


def _span(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f} (mean {geometric_mean(values):.2f})"
