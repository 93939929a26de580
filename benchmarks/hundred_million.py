"""A hundred million events a side, on Spark: does it get through, and in how much memory?"""

from __future__ import annotations

import whenabouts as wa
from benchmarks.data import Scale, sparse
from benchmarks.measure import OURS, Row, interleaved, row
from benchmarks.memory import PeakMemory
from benchmarks.spark_batch import spark_join
from benchmarks.spark_session import drain, session

GB_ALLOWED = 12
SIZES = {"full": 100_000_000, "small": 200_000}


def run(scale: Scale) -> list[Row]:
    """Join once, watching the memory of the JVM, of its Python workers and of this process."""
    case = sparse(SIZES[scale])
    case.files()
    # A shuffle partition should hold what two tasks can sort side by side: about two million events.
    spark = session(driver_memory="5g", partitions=max(8, 2 * case.rows // 2_000_000))
    drain(spark_join(spark, sparse(20_000)))
    stats = wa.Stats()
    with PeakMemory() as memory:
        timing = interleaved({OURS: lambda: drain(spark_join(spark, case, stats=stats))}, repetitions=1)[OURS]
    spark.stop()

    seconds = timing.median
    rows = [
        row("hundred_million", case.name, OURS, seconds, "seconds", better="lower", timing=timing, pairs=stats.emitted)
    ]
    if memory.peak_gb is not None:
        held = row(
            "hundred_million", case.name, "peak memory", memory.peak_gb, "GB", better="lower", allowed=GB_ALLOWED
        )
        rows.append(held | {"within_allowed": memory.peak_gb <= GB_ALLOWED})
    return rows
