"""Template histograms: a table of satisfaction times and one comparison a pair, against a probability a pair.

Events are detected by one of 500 sensors a side, each with a latency histogram of 20 buckets of its own, as in example
5 of the PTJoin paper: a window of 1500, a threshold of 0.8. Strategy "partition" cuts the other side at satisfaction
times, arrival by arrival; strategy "auto" sweeps by the same table; strategy "sorted" computes the probability of each
candidate. None is asked for the confidence itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.agreement import Disagreement
from benchmarks.data import Scale, short
from benchmarks.machine import THREADS
from benchmarks.measure import OURS, Row, Timing, interleaved, row
from whenabouts.testing import template_histograms

SENSORS = 500
BUCKETS = 20
WINDOW = 1500.0
THRESHOLD = 0.8
CASES = {"full": ((1_000, 20), (200_000, 20), (200_000, 200)), "small": ((1_000, 20), (5_000, 20))}
"""Events a side, and partners of an event on the other side."""
STRATEGIES = ("partition", "auto", "sorted")


def run(scale: Scale) -> list[Row]:
    """Compare the strategies on few events, where making the table is all there is to do, and on many."""
    latencies = [template_histograms(SENSORS, buckets=BUCKETS, seed=seed) for seed in (1, 2)]

    def contestants(n: int, partners: int) -> dict[str, Callable[[], pa.Table]]:
        left, right = (
            wa.events(
                detections(n, partners, list(latency), seed),
                id="id",
                time=wa.detected("t", latency=latency, by="sensor"),
            )
            for seed, latency in enumerate(latencies)
        )
        join = partial(
            wa.timing_join, left, right, wa.within(WINDOW), min_confidence=THRESHOLD, confidence=False, threads=THREADS
        )
        return {strategy: partial(join, strategy=strategy) for strategy in STRATEGIES}

    interleaved(contestants(1_000, 20), repetitions=1)
    rows: list[Row] = []
    for n, partners in CASES[scale]:
        found: dict[str, np.ndarray] = {}

        def keep_pairs(strategy: str, answer: pa.Table, n: int = n, found: dict[str, np.ndarray] = found) -> None:
            found[strategy] = np.sort(answer["left_id"].to_numpy() * n + answer["right_id"].to_numpy())

        timings = interleaved(contestants(n, partners), repetitions=3, inspect=keep_pairs)
        rows += _rows(n, partners, timings, _same_pairs(found))
    return rows


def _same_pairs(found: dict[str, np.ndarray]) -> int:
    """Count the pairs, having made sure that all strategies found the same ones."""
    expected = found["sorted"]
    for strategy, pairs in found.items():
        if not np.array_equal(pairs, expected):
            message = f"strategy {strategy!r} finds {pairs.size:,} pairs, 'sorted' {expected.size:,}, and others"
            raise Disagreement(message)
    return int(expected.size)


def _rows(n: int, partners: int, timings: dict[str, Timing], pairs: int) -> list[Row]:
    case = f"{short(n)} x {short(n)}, {partners} partners, {SENSORS} templates of {BUCKETS} buckets"
    partition = timings["partition"].median
    return [
        row(
            "templates",
            case,
            f"{OURS}, {strategy}",
            timing.median / partition,
            "x partition",
            better="higher",
            timing=timing,
            pairs=pairs,
        )
        for strategy, timing in timings.items()
    ]


def detections(n: int, partners: int, sensors: list[str], seed: int) -> pa.Table:
    """Make `n` detections by random sensors, an event having so many partners on the other side."""
    random = np.random.default_rng(seed)
    times = np.sort(random.uniform(0.0, n * 2 * WINDOW / partners, n))
    chosen = pa.array(random.integers(len(sensors), size=n))
    return pa.table({"id": np.arange(n), "t": times, "sensor": pa.array(sensors).take(chosen)})
