"""A stream that is far longer than its window: whether state and memory stay flat.

Every trigger brings one window of events. After the warm-up neither the state may grow, nor the heap of the JVM
(after a collection), nor the memory of the Python workers.
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

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BENCHMARK = "stream_long"
WARM = 12
"""Triggers that are left out: the state is full after a few windows, and Python and the JVM are warm a little later."""


def run(scale: Scale) -> list[Row]:
    """State and memory, early and late in a stream of many windows."""
    windows, rows = (250, 10_000) if scale == "full" else (WARM + 50, 1_000)
    spark = session(partitions=THREADS, driver_memory="2g")
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKS)
    with tempfile.TemporaryDirectory() as folder:
        for seed, name in enumerate(("left", "right")):
            write(Path(folder) / name, parts(seed, windows, rows))
        buffered, size, heap, workers = watched(spark, folder, windows)
    spark.stop()
    case = f"{windows} windows of {rows:,} events a side"
    made = []
    for what, values, least in (
        ("events in state", buffered, WARM),
        ("bytes of state", size, WARM),
        ("bytes of JVM heap", heap, WARM),
        ("bytes of Python workers", workers, WARM),
    ):
        warm = values[least:]
        third = len(warm) // 3
        growth = statistics.median(warm[-third:]) / statistics.median(warm[:third])
        made.append(row(BENCHMARK, case, f"{OURS}: {what}", growth, "late / early", better="lower",
                        early=statistics.median(warm[:third]), late=statistics.median(warm[-third:])))  # fmt: skip
    return made


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


def watched(spark: SparkSession, folder: str, windows: int) -> tuple[list[float], ...]:
    """State and memory after every trigger, in the order of triggers."""
    frame = our_join(*(growing(spark, f"{folder}/{name}") for name in ("left", "right")))
    query = (
        frame.writeStream.format("noop")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    seen: dict[int, tuple[float, ...]] = {}
    while query.isActive:
        progress = query.lastProgress
        if progress is not None and progress["batchId"] not in seen and progress["observedMetrics"]:
            told = progress["observedMetrics"]["whenabouts"]
            seen[progress["batchId"]] = (told["buffered"], told["state_bytes"], heap(spark), python_memory())
        time.sleep(0.05)
    query.awaitTermination()
    values = [seen[batch] for batch in sorted(seen)]
    return tuple(list(column) for column in zip(*values, strict=True))  # type: ignore[return-value]


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
