"""Clocks: run the contestants in turn, and put what they took into rows of a report."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")

OURS = "whenabouts"

Row = dict[str, object]
"""A line of a report: ``benchmark, case, subject``, its ``value`` in a ``unit`` and which way is ``better``; then the
details that the value was made from. A row that could not be measured has a ``skipped`` with the reason instead."""


@dataclass(frozen=True)
class Timing:
    """The seconds that one contestant took, run by run."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def interleaved(
    contestants: Mapping[str, Callable[[], T]],
    *,
    repetitions: int,
    inspect: Callable[[str, T], None] = lambda name, result: None,
) -> dict[str, Timing]:
    """
    Time each contestant in turn, `repetitions` times over, so that a slow moment of the machine falls on all of them.

    Every round has an order of its own: what one leaves behind, memory that is still being given back above all, is
    paid for by the next, and that must not always be the same.

    `inspect` is shown each result while the clock stands still; the result is dropped before the next one starts.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    shuffled = random.Random(repetitions)
    for _ in range(repetitions):
        for name, run in shuffled.sample(list(contestants.items()), len(contestants)):
            gc.collect()
            start = time.perf_counter()
            result = run()
            seconds[name].append(time.perf_counter() - start)
            inspect(name, result)
            del result
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def row(
    benchmark: str,
    case: str,
    subject: str,
    value: float,
    unit: str,
    *,
    better: Literal["higher", "lower"],
    timing: Timing | None = None,
    pairs: int | None = None,
    **details: object,
) -> Row:
    """Make one line of a report."""
    made: Row = {
        "benchmark": benchmark,
        "case": case,
        "subject": subject,
        "value": value,
        "unit": unit,
        "better": better,
    }
    if timing is not None:
        made |= {"seconds_median": timing.median, "seconds_best": timing.best, "runs": len(timing.seconds)}
        if pairs is not None:
            made |= {"pairs": pairs, "pairs_per_second": pairs / timing.median}
    return made | details


def skipped(benchmark: str, case: str, subject: str, reason: str) -> Row:
    """Make a line that says why there is no figure."""
    return {"benchmark": benchmark, "case": case, "subject": subject, "skipped": reason}


def against_ours(benchmark: str, case: str, timings: Mapping[str, Timing], pairs: int | None = None) -> list[Row]:
    """Say of each contestant how many times as long as ours it took, median by median."""
    ours = timings[OURS].median
    return [
        row(
            benchmark,
            case,
            name,
            timing.median / ours,
            "x ours",
            better="higher",
            timing=timing,
            pairs=pairs,
        )
        for name, timing in timings.items()
    ]
