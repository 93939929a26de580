"""Patterns on the paper's synthetic stream, in process and on one core: confidences, deltas, strategies, methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

import whenabouts as wa
from benchmarks.data import Scale, short
from benchmarks.measure import Row, Timing, interleaved, row
from whenabouts.testing import number_series

BENCHMARK = "match"
WINDOW = 100
DIVISORS = {
    1: (16, 17, 19), 5: (17, 20, 22), 10: (21, 22, 25), 20: (24, 28, 29), 30: (31, 33, 34), 40: (33, 37, 38),
    50: (37, 39, 41),
}  # fmt: skip
"""By delta, v_1, v_2 and v_3 of E_j % v_j = 0 that give about one match an event. Up to 20 some values fit two
components, from 30 on none does."""
METHODS = ("sorted", "query_order", "selectivity", "any_state", "point")


def query_for(divisors: tuple[int, ...], strategy: str = "any") -> str:
    """The paper's query for components that take the multiples of some numbers."""
    names = [f"e{place}" for place in range(1, len(divisors) + 1)]
    tests = " AND ".join(f"{name}.value % {v} = 0" for name, v in zip(names, divisors, strict=True))
    return (
        f"PATTERN SEQ({', '.join(f'ANY {name}' for name in names)}) WHERE {tests} "
        f"AND skip_till_{strategy}_match({', '.join(names)}) WITHIN {WINDOW} RETURN e1.value AS value"
    )


def stream(count: int, delta: float) -> wa.Events:
    """The paper's stream of so many events."""
    return wa.events(number_series(count, delta=delta), id="id", time=wa.between("lo", "hi"))


def matcher(events: wa.Events, query: str, **options: object) -> Callable[[], pa.Table]:
    """A run of a query, ready to be timed."""
    return lambda: wa.match(events, query, **options)


def measured(
    contestants: dict[str, Callable[[], pa.Table]], repetitions: int
) -> tuple[dict[str, Timing], dict[str, int]]:
    """Time some queries in turn, and count their matches; the first run of each, which compiles, does not count."""
    counts = {name: len(run()) for name, run in contestants.items()}
    return interleaved(contestants, repetitions=repetitions), counts


def run(scale: Scale) -> list[Row]:
    """Throughput and its price: a wider delta, skip till next match, and the other methods."""
    count = 1_000_000 if scale == "full" else 50_000
    return [*_deltas(count), *_strategies(count // 5), *_methods(max(count // 500, 500)), *_certain(count)]


def _deltas(count: int) -> Iterator[Row]:
    """One match an event, confidence included: events a second, and how much dearer a match is at the widest delta."""
    case = f"{short(count)} events, about one match an event, W={WINDOW}, l=3"
    timings, matches = measured(
        {f"delta={delta}": matcher(stream(count, delta), query_for(v)) for delta, v in DIVISORS.items()}, 5
    )
    for name, timing in timings.items():
        rate = count / timing.median / 1e6
        yield row(BENCHMARK, case, name, rate, "M events/s", better="higher", timing=timing, pairs=matches[name])
    wide, narrow = (timings[name].median / matches[name] for name in ("delta=50", "delta=1"))
    yield row(BENCHMARK, case, "delta=50 over delta=1", wide / narrow, "x a match (1.5 at most)", better="lower")


def _strategies(count: int) -> Iterator[Row]:
    """Skip till next match over skip till any match, on the same stream."""
    for delta in (1, 5, 10, 30, 50):
        events, divisors = stream(count, delta), DIVISORS[delta]
        case = f"{short(count)} events, delta={delta}, skip till next over skip till any"
        timings, matches = measured({name: matcher(events, query_for(divisors, name)) for name in ("any", "next")}, 3)
        for name, timing in timings.items():
            rate = count / timing.median / 1e6
            yield row(BENCHMARK, case, name, rate, "M events/s", better="higher", timing=timing, pairs=matches[name])
        ratio = timings["next"].median / timings["any"].median
        yield row(BENCHMARK, case, "next over any", ratio, "x the cost (3 at most)", better="lower")


def _methods(count: int) -> Iterator[Row]:
    """The paper's methods beside each other, in its own discrete time; all find the same matches."""
    for delta in (1, 10):
        events, query = stream(count, delta), query_for(DIVISORS[delta])
        case = f"{short(count)} events, delta={delta}, tick=1, by method"
        timings, matches = measured({name: matcher(events, query, tick=1, method=name) for name in METHODS}, 3)
        assert len(set(matches.values())) == 1, matches
        for name, timing in timings.items():
            rate = count / timing.median / 1e3
            yield row(BENCHMARK, case, name, rate, "k events/s", better="higher", timing=timing, pairs=matches[name])


def _certain(count: int) -> Iterator[Row]:
    """Certain times, for comparison with engines that know no others (see match_peers)."""
    events, query = stream(count, 0), query_for(DIVISORS[1], "next")
    case = f"{short(count)} events with certain times, skip till next match"
    timings, matches = measured({"whenabouts": matcher(events, query)}, 5)
    timing = timings["whenabouts"]
    rate = count / timing.median / 1e6
    yield row(
        BENCHMARK, case, "whenabouts", rate, "M events/s", better="higher", timing=timing, pairs=matches["whenabouts"]
    )
