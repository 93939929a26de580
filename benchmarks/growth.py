"""How the time grows with the events: ten and thirty times as many should take ten and thirty times as long."""

from __future__ import annotations

from functools import partial

from benchmarks.data import Case, Scale, sparse
from benchmarks.measure import OURS, Row, Timing, interleaved, row
from benchmarks.spark_batch import SPARK_SQL, spark_join, spark_sql_join
from benchmarks.spark_session import drain, session

SIZES = {"full": (1_000_000, 10_000_000, 30_000_000), "small": (20_000, 60_000, 200_000)}

LONG = 20_000_000
"""A join of so many events a side is run once: it takes a minute."""


def run(scale: Scale) -> list[Row]:
    """Join ever larger files on Spark at five partners an event, and hold the times to the smallest one's."""
    spark = session(driver_memory="5g", partitions=32)
    sides = {OURS: spark_join, SPARK_SQL: spark_sql_join}

    def measured(case: Case, repetitions: int) -> dict[str, Timing]:
        case.files()
        contestants = {name: lambda join=join: drain(join(spark, case)) for name, join in sides.items()}
        return interleaved(contestants, repetitions=repetitions)

    measured(sparse(20_000), 4)
    smallest, *larger = (sparse(size) for size in SIZES[scale])
    base = measured(smallest, 5)
    rows: list[Row] = []
    runs = (2 if case.rows < LONG else 1 for case in larger)
    for case, timings in [(smallest, base), *((case, measured(case, n)) for case, n in zip(larger, runs, strict=True))]:
        for name, timing in timings.items():
            of_linear = timing.median / (base[name].median * case.rows / smallest.rows)
            made = partial(row, "growth", case.name, name, of_linear, "x linear", better="lower")
            rows.append(made(timing=timing, events_per_second=2 * case.rows / timing.median))
    spark.stop()
    return rows
