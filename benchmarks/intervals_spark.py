"""All 19,900 pairs of 200 road sectors with up to 224 congestions each, a fifth of the events lost, on two engines.

Both sides have two threads, and both are warm: the JVM compiles for about ten rounds. Spark starts from a cached
DataFrame, this process from an Arrow table; both end with all pairs and their confidences.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.data import Scale
from benchmarks.measure import Row, interleaved, row
from benchmarks.spark_session import session
from whenabouts.testing import lose

QUERY = "AT LEAST 50 a INTERSECTS SOME b"
HOURS = 2.0


def sectors(count: int, seed: int = 5) -> pa.Table:
    """Congestions of sectors over two hours: anything from one to 224 of them, as in section 4.1."""
    rng = np.random.default_rng(seed)
    segments = rng.integers(1, 225, count)
    segments[0] = 224
    parts = []
    for number, own in enumerate(segments.tolist()):
        steps = rng.exponential(1.0, 2 * own + 1)
        times = 3600 * HOURS * np.cumsum(steps)[:-1] / steps.sum()
        parts.append(pa.table({"key": [number] * (2 * own), "seq": np.arange(1, 2 * own + 1), "time": times}))
    return pa.concat_tables(parts).combine_chunks()


def run(scale: Scale) -> list[Row]:
    """The same pairs on both engines, in turn."""
    table = lose(sectors(200 if scale == "full" else 40), 0.2, seed=2)
    spark = session(driver_memory="2g")
    data = spark.createDataFrame(table).cache()
    data.count()

    def ask(frame: object) -> object:
        some = wa.segments(frame, key="key", seq="seq", time="time")
        return wa.interval_query(some, some, QUERY, pairs="unordered", threads=2)

    def in_process() -> float:
        return float(np.sum(ask(table).column("confidence").to_numpy()))

    def on_spark() -> float:
        return float(np.sum(ask(data).toArrow().column("confidence").to_numpy()))

    sums: dict[str, float] = {}
    contestants = {"this process, 2 threads": in_process, "Spark, local[2]": on_spark}
    interleaved(contestants, repetitions=10 if scale == "full" else 2)
    timings = interleaved(contestants, repetitions=5 if scale == "full" else 2, inspect=sums.__setitem__)
    here, there = (sums[name] for name in contestants)
    assert abs(here - there) < 1e-6 * max(1.0, here), sums
    pairs = len(ask(table))
    base = timings["this process, 2 threads"].median
    return [
        row(
            "intervals_spark",
            f"{pairs:,} pairs, {len(table):,} events",
            name,
            timing.median / base,
            "x this process",
            better="lower",
            timing=timing,
            pairs=pairs,
        )
        for name, timing in timings.items()
    ]
