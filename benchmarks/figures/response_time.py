"""Paper 001, figure 4: response time against the arrival rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import altair as alt

from benchmarks.figures.drawing import HALF, HEIGHT, around, colour, heading, lines, log_axis
from benchmarks.figures.finding import Claim, Finding
from benchmarks.figures.rate_axis import LAZY, RATES, SIMPLE, Runs, rate_axis
from benchmarks.figures.response import Jobs
from benchmarks.figures.workload import ALGORITHMS
from whenabouts.chart.theme import themed, titled

TURNING_POINT = 400
"""Up to this rate the paper's simple algorithms answer sooner than its lazy ones."""
STREAMS = 2


@dataclass(frozen=True)
class Replay:
    """The jobs of a rate, for algorithms that work on arrivals and for those that wait."""

    at_once: Jobs
    in_blocks: Jobs

    def of(self, name: str) -> Jobs:
        return self.in_blocks if name in LAZY else self.at_once


def response_time(runs: Runs, replays: dict[int, Replay], tuples: int, setting: str) -> Finding:
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
            rate_axis(),
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
