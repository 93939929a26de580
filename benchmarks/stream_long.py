"""A stream that is far longer than its window: whether state and memory stay flat.

Every trigger brings one window of events. After the warm-up neither the state may grow, in rows, bytes and what Spark's
state store holds of it in memory, nor the heap of the JVM (after a collection), nor the memory of the Python workers.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.data import WIDTHS, WINDOW, Scale
from benchmarks.machine import THREADS
from benchmarks.measure import OURS, Row, row
from benchmarks.spark_session import session
from benchmarks.stream import ROCKS, growing, our_join, write
from whenabouts.spark.streaming import NAME

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BENCHMARK = "stream_long"
WARM = 5
"""One in so many triggers, the first ones, are left out. The state is full after a few windows, Python and the JVM are
warm a little later, and last RocksDB has filled the cache that it may have, 8 MB a task."""
PAUSE = 1.0
"""Seconds between two looks at the memory: a collection of the heap is not for free."""


def run(scale: Scale) -> list[Row]:
    """State and memory, early and late in a stream of many windows."""
    windows, rows = (250, 1_000) if scale == "full" else (60, 200)
    spark = session(partitions=THREADS, driver_memory="2g")
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKS)
    with tempfile.TemporaryDirectory() as folder:
        for seed, name in enumerate(("left", "right")):
            write(Path(folder) / name, parts(seed, windows, rows))
        seen = watched(spark, folder)
    spark.stop()
    case = f"{windows} windows of {rows:,} events a side"
    return [flatness(case, what, [values for batch, values in sorted(one.items()) if batch >= windows // WARM])
            for what, one in seen.items()]  # fmt: skip


def flatness(case: str, what: str, values: list[float]) -> Row:
    """The last third of the values over the first, and how far the largest is above the first third."""
    third = len(values) // 3
    early, late = statistics.median(values[:third]), statistics.median(values[-third:])
    return row(
        BENCHMARK, case, f"{OURS}: {what}", late / early, "late / early", better="lower",
        early=early, late=late, most=max(values) / early,
    )  # fmt: skip


def parts(seed: int, windows: int, rows: int) -> list[pa.Table]:
    """Events in the order of time, a window a table."""
    draw = np.random.default_rng(seed)
    tables = []
    for window in range(windows):
        latest = WINDOW * window + np.sort(draw.uniform(0.0, WINDOW, rows))
        earliest = latest - draw.uniform(*WIDTHS, rows)
        ids = np.arange(window * rows, (window + 1) * rows)
        tables.append(pa.table({"id": ids, "lo": earliest, "hi": latest}))
    return tables


def watched(spark: SparkSession, folder: str) -> dict[str, dict[int, float]]:
    """State and memory by the number of the trigger after which they were looked at."""
    frame = our_join(*(growing(spark, f"{folder}/{name}") for name in ("left", "right")))
    query = (
        frame.writeStream.format("noop")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    seen: dict[str, dict[int, float]] = {}
    running = True
    while running:
        running = query.isActive
        for progress in query.recentProgress:
            if progress["observedMetrics"]:
                batch, told, store = progress["batchId"], progress["observedMetrics"][NAME], progress["stateOperators"]
                seen.setdefault("events in state", {})[batch] = told["buffered"]
                seen.setdefault("bytes of state", {})[batch] = told["state_bytes"]
                seen.setdefault("bytes of the state store in memory", {})[batch] = store[0]["memoryUsedBytes"]
        if running and seen:
            batch = max(seen["bytes of state"])
            seen.setdefault("bytes of JVM heap", {})[batch] = heap(spark)
            seen.setdefault("bytes of Python workers", {})[batch] = python_memory()
        time.sleep(PAUSE)
    query.awaitTermination()
    return seen


def heap(spark: SparkSession) -> float:
    """The JVM's heap after a collection."""
    runtime = spark._jvm.java.lang.Runtime.getRuntime()
    runtime.gc()
    return float(runtime.totalMemory() - runtime.freeMemory())


def python_memory() -> float:
    """The resident memory of all Python workers of this process."""
    parents, resident = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
            except OSError:
                continue
            parents[int(folder.name)] = int(fields["PPid"])
            if fields["Name"].strip().startswith("python"):
                resident[int(folder.name)] = 1024.0 * int(fields.get("VmRSS", "0 kB").split()[0])

    def descends(process: int) -> bool:
        while process > 1:
            process = parents.get(process, 0)
            if process == os.getpid():
                return True
        return False

    return sum(size for process, size in resident.items() if descends(process))
