"""Paper 001, figures 3, 4 and 5: execution time, response time and buffer length against the arrival rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import geometric_mean

import altair as alt

from benchmarks.figures.drawing import HALF, HEIGHT, Rows, around, axis, colour, heading, lines, log_axis, rule
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.figures.response import Jobs, jobs_of_arrivals, jobs_of_blocks
from benchmarks.figures.workload import ALGORITHMS, BLOCK, SWEEP, Measured, Workload, measure
from whenabouts.chart.theme import WIDTH, themed, titled

RATES = (12, 25, 50, 100, 200, 400, 800, 1600)
D = 500.0
CONFIDENCE = 0.8
TURNING_POINT = 400
"""Up to this rate the paper's simple algorithms answer sooner than its lazy ones."""
LAZY = ("lazy", "lookup")
SIMPLE = ("simple", "sorted")
STREAMS = 2
NOTICEABLE = 0.97
"""A mean ratio of times below this counts as faster."""
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)

Runs = dict[int, dict[str, Measured]]


@dataclass(frozen=True)
class _Replay:
    """The jobs of a rate, for algorithms that work on arrivals and for those that wait."""

    at_once: Jobs
    in_blocks: Jobs

    def of(self, name: str) -> Jobs:
        return self.in_blocks if name in LAZY else self.at_once


def run(scale: Scale) -> list[Finding]:
    """Measure all rates once; the three figures are read from the same runs."""
    tuples, repetitions = (8_000, 3) if scale == "full" else (1_500, 1)
    runs: Runs = {}
    replays: dict[int, _Replay] = {}
    for rate in RATES:
        workload = Workload(rate=rate, tuples=tuples, d=D, confidence=CONFIDENCE)
        names = {name: (name, BLOCK) for name in (*ALGORITHMS, SWEEP)}
        runs[rate] = measure(workload, names, repetitions=repetitions * (2 if rate < 400 else 1))
        pairs, _ = workload.contestant("eager")()
        replays[rate] = _Replay(jobs_of_arrivals(workload, pairs), jobs_of_blocks(workload, pairs, BLOCK))
    setting = f"{tuples:,} tuples a stream at every rate, d = {D:g} ms, threshold {CONFIDENCE:g}, blocks of {BLOCK:,}"
    return [
        _execution(runs, f"{setting}; best of {repetitions} or more runs."),
        _response(runs, replays, tuples, f"{setting}."),
        _buffers(runs, f"{setting}; both buffers together."),
    ]


def _rate_axis() -> alt.X:
    return alt.X(**log_axis("rate", "tuples a second, a stream", (10.5, 1850), RATES))


def _execution(runs: Runs, setting: str) -> Finding:
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
        lines(rows, _rate_axis(), times, colour(names)).properties(
            width=HALF, height=HEIGHT, title=heading("Execution time")
        ),
        alt.layer(rule("ratio", 1.0, ratios), lines(rows, _rate_axis(), ratios, colour(names))).properties(
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


def _response(runs: Runs, replays: dict[int, _Replay], tuples: int, setting: str) -> Finding:
    """Figure 4, on this core and on one so slow that the simple algorithm is fully busy at the turning point."""
    service = {rate: {name: runs[rate][name].seconds / (STREAMS * tuples) for name in ALGORITHMS} for rate in RATES}
    busy = {rate: {name: STREAMS * rate * service[rate][name] for name in ALGORITHMS} for rate in RATES}
    slower = 1.0 / busy[TURNING_POINT]["simple"]
    response = {
        core: {
            rate: {
                name: replays[rate].of(name).mean_response(factor * service[rate][name]) / 1000 for name in ALGORITHMS
            }
            for rate in RATES
        }
        for core, factor in (("this", 1.0), ("slower", slower))
    }
    here, there = response["this"], response["slower"]
    seen = around(value for took in response.values() for by_name in took.values() for value in by_name.values())
    y = alt.Y(**log_axis("seconds", "seconds to the answer", seen))
    panels = [
        lines(
            [{"rate": rate, "name": name, "seconds": took[rate][name]} for rate in RATES for name in ALGORITHMS],
            _rate_axis(),
            y,
            colour(ALGORITHMS),
        ).properties(width=HALF, height=HEIGHT, title=heading(title))
        for title, took in (("This core", here), (f"A core {slower:.3g} times slower", there))
    ]
    before, after = _better_until(here), _better_until(there)
    chart = alt.hconcat(*panels, spacing=34).properties(
        title=titled(
            "Waiting for a block costs seconds, until an overloaded core costs more",
            [
                "Paper 001, figure 4. Mean time from the later latest time of a pair to its answer, "
                "with one server and a queue.",
                f"The slower core is one on which the simple algorithm is just fully busy at {TURNING_POINT} tuples/s.",
            ],
        )
    )
    last = RATES[-1]
    return Finding(
        "response-time",
        themed(chart),
        f"{setting} Seconds; a star stands for a core {slower:.3g} times slower, on which the simple algorithm is just "
        f"fully busy at {TURNING_POINT} tuples/s.",
        (
            "tuples/s",
            *ALGORITHMS,
            *(f"{name} *" for name in ALGORITHMS),
        ),
        [
            (f"{rate:,}", *(f"{took[rate][name]:.3g}" for took in (here, there) for name in ALGORITHMS))
            for rate in RATES
        ],
        [
            *(
                Claim(
                    f"eager answers sooner than the lazy family ({core})",
                    f"its response is at most {max(_shares(took)):.2g} of theirs",
                    max(_shares(took)) < 1.0,
                )
                for core, took in (("this core", here), ("the slower one", there))
            ),
            Claim(
                f"simple and simple sort answer sooner than the lazy family up to {TURNING_POINT} tuples/s",
                f"up to {before:,} on this core, up to {after:,} on the slower one",
                after == TURNING_POINT,
            ),
            Claim(
                "when processing cannot keep up with the arrivals the response time rises sharply",
                f"at {last:,}/s simple is {busy[last]['simple']:.0%} busy on this core and answers after "
                f"{here[last]['simple']:.2g} s, {slower * busy[last]['simple']:.0%} and {there[last]['simple']:.2g} s "
                "on the slower one",
                there[last]["simple"] > 10 * there[RATES[0]]["simple"],
            ),
        ],
        {"slower": slower, "busy": busy, "seconds": response},
        [
            "If a tuple's cost goes on growing with the rate as it does up to here, this core is fully busy at "
            + ", ".join(f"{last / math.sqrt(busy[last][name]):,.0f}/s with {name}" for name in ALGORITHMS)
            + "."
        ],
    )


def _shares(response: dict[int, dict[str, float]]) -> list[float]:
    """Eager's response over that of the quicker of the lazy ones, at each rate."""
    return [took["eager"] / min(took[name] for name in LAZY) for took in response.values()]


def _better_until(response: dict[int, dict[str, float]]) -> int:
    """The last rate up to which both simple algorithms answer sooner than both lazy ones."""
    until = 0
    for rate, took in response.items():
        if max(took[name] for name in SIMPLE) >= min(took[name] for name in LAZY):
            break
        until = rate
    return until


def _buffers(runs: Runs, setting: str) -> Finding:
    length = {rate: {name: measured[name].average_buffer for name in ALGORITHMS} for rate, measured in runs.items()}
    more = [length[rate]["lazy"] - length[rate]["eager"] for rate in RATES]
    rows: Rows = [{"rate": rate, "name": name, "length": length[rate][name]} for rate in RATES for name in ALGORITHMS]
    y = alt.Y(**axis("length", "tuples in both buffers", (0, 1.05 * max(row["length"] for row in rows))))
    chart = lines(rows, _rate_axis(), y, colour(ALGORITHMS)).properties(
        width=WIDTH,
        height=HEIGHT,
        title=titled(
            f"The lazy family keeps {min(more):,.0f} to {max(more):,.0f} tuples more",
            ["Paper 001, figure 5. Tuples in both buffers, on average over the arrivals."],
        ),
    )
    simple_family = all(
        math.isclose(took[name], took["eager"], rel_tol=1e-3) for took in length.values() for name in SIMPLE
    )
    return Finding(
        "buffer-length",
        themed(chart),
        setting,
        ("tuples/s", *ALGORITHMS),
        [(f"{rate:,}", *(f"{length[rate][name]:,.0f}" for name in ALGORITHMS)) for rate in RATES],
        [
            Claim(
                "eager's buffers are the shortest",
                "simple and sorted have the same" if simple_family else "see the table",
                all(took["eager"] <= min(took.values()) * 1.001 for took in length.values()),
            ),
            Claim(
                "simple sort's buffers are shorter than simple's",
                "they are equal" if simple_family else "see the table",
                all(took["sorted"] < took["simple"] for took in length.values()),
            ),
            Claim(
                f"lazy's are longer than eager's by roughly the block, {BLOCK:,}",
                f"by {min(more):,.0f} to {max(more):,.0f}",
                all(0.5 * BLOCK < extra < 2 * BLOCK for extra in more),
            ),
            Claim(
                "with a look-up table they are almost the same as lazy's",
                f"they differ by at most {max(abs(took['lazy'] - took['lookup']) for took in length.values()):.0f}",
                all(math.isclose(took["lazy"], took["lookup"], rel_tol=0.01) for took in length.values()),
            ),
        ],
        {"tuples": length},
    )
