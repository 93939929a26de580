"""The timing join of two streams against Spark's own stream-stream join: the same files, triggers, store and session.

A query reads one file a side and trigger, and its pairs are counted and thrown away. Both joins run once before
anything is timed, and the first triggers of a query are left out; ours, whose first triggers are over before the JVM
has compiled anything, goes over the files twice. The cost of a trigger is a fixed part and a part an event; the
smallest and the largest triggers tell them apart. Time on the processor, of the JVM and all Python workers, is beside
it for machines that have other things to do. An empty stateful trigger, a function in Python that gets one row and
keeps its state, is what Spark itself costs.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

import whenabouts as wa
from benchmarks.agreement import Agreement
from benchmarks.data import DISORDER, QUESTION, WIDTHS, WINDOW, Scale, short, sparse
from benchmarks.machine import THREADS
from benchmarks.measure import OURS, Row, row
from benchmarks.peers import confidence_sql
from benchmarks.spark_session import session

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

BENCHMARK = "stream"
SPARK = "Spark stream-stream join"
DELAY = 2 * DISORDER + WIDTHS[1]
WARM = 3
"""Triggers that are left out."""
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@dataclass(frozen=True)
class Run:
    """What a query took: seconds and events of each trigger, and what came out."""

    seconds: list[float]
    events: list[int]
    pairs: int
    confidence: float
    processor: float = 0.0

    @property
    def steady(self) -> float:
        """The seconds of a trigger, warm."""
        return statistics.median(self.seconds[WARM:])

    @property
    def rate(self) -> float:
        """Events a second, warm."""
        return self.events[-1] / self.steady


def run(scale: Scale) -> list[Row]:
    """Both joins on small and on large triggers, and an empty trigger."""
    sizes, timed = (10_000, 1_000_000, 2_000_000) if scale == "full" else (4_000, 100_000), 2
    spark = session(partitions=THREADS)
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKS)
    with tempfile.TemporaryDirectory() as folder:
        sides = files(Path(folder), sizes[0] // 2, 4 * WARM)
        for join in (our_join, spark_join):
            measure(spark, join, sides)
    rows: list[Row] = []
    runs: dict[str, dict[int, Run]] = {OURS: {}, SPARK: {}}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            sides = files(Path(folder), size // 2, WARM + timed)
            agreement = Agreement()
            measure(spark, our_join, sides)
            for name, join in ((OURS, our_join), (SPARK, spark_join)):
                runs[name][size] = took = measure(spark, join, sides)
                agreement.see_totals(name, took.pairs, took.confidence)
        case = f"{short(size)} events a trigger, 5 partners"
        rows += [
            row(BENCHMARK, case, name, by_size[size].rate, "events/s", better="higher", seconds=by_size[size].steady)
            for name, by_size in runs.items()
        ]
        faster = runs[OURS][size].rate / runs[SPARK][size].rate
        less = runs[SPARK][size].processor / runs[OURS][size].processor
        rows.append(row(BENCHMARK, case, "ratio", faster, "x Spark's events/s", better="higher"))
        rows.append(row(BENCHMARK, case, "ratio, on the processor", less, "x our time", better="higher"))
    for name, by_size in runs.items():
        each, fixed = line({size: took.steady for size, took in by_size.items()})
        rows.append(row(BENCHMARK, "cost of a trigger", name, 1e3 * fixed, "ms", better="lower"))
        rows.append(row(BENCHMARK, "cost of an event", name, 1e6 * each, "us", better="lower"))
        each, _ = line({size: took.processor / len(took.events) for size, took in by_size.items()})
        rows.append(row(BENCHMARK, "cost of an event, on the processor", name, 1e6 * each, "us", better="lower"))
    rows += against_empty(spark, runs[OURS][sizes[0]], sizes[0], 3 * WARM)
    spark.stop()
    return rows


def files(folder: Path, rows: int, triggers: int) -> tuple[str, str]:
    """Two folders of files of so many rows, one a trigger, in the order of time but for little."""
    case = sparse(rows * triggers)
    for name, table in zip(("left", "right"), case.tables(), strict=True):
        write(folder / name, [table.slice(at * rows, rows) for at in range(triggers)])
    return str(folder / "left"), str(folder / "right")


def write(folder: Path, tables: list[pa.Table]) -> None:
    """One file a table, in their order: Spark takes files by their age."""
    folder.mkdir(parents=True)
    for at, table in enumerate(tables):
        path = folder / f"{at:05}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1_700_000_000 + at, 1_700_000_000 + at))


def growing(spark: SparkSession, folder: str) -> DataFrame:
    """A folder as a stream, one file a trigger."""
    schema = "id long, lo double, hi double"
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(folder)


def our_join(left: DataFrame, right: DataFrame) -> DataFrame:
    """The join with whenabouts."""
    one, other = (
        wa.events(data, id="id", time=wa.between("lo", "hi"), max_delay=DELAY, max_width=WIDTHS[1])
        for data in (left, right)
    )
    return wa.timing_join(one, other, wa.within(QUESTION.window), min_confidence=QUESTION.threshold)


def spark_join(left: DataFrame, right: DataFrame) -> DataFrame:
    """The join with Spark alone: buckets of time as the key, a band on event time so that state is dropped.

    As `peers.spark_buckets`: told the widths, and with buckets of four windows, which is best for batches.
    """
    from pyspark.sql import functions as F

    middle, half_width = (F.col("lo") + F.col("hi")) / 2, (F.col("hi") - F.col("lo")) / 2
    bucket = 4.0 * WINDOW

    def numbered(time: Column) -> Column:
        return F.floor(time / bucket)

    def at(name: str) -> Column:
        return F.timestamp_micros((middle * 1000).cast("long")).alias(name)

    a = left.select(
        F.col("id").alias("left_id"),
        middle.alias("a"),
        half_width.alias("s"),
        numbered(middle).alias("bucket"),
        at("at"),
    ).withWatermark("at", f"{DELAY / 1000} seconds")
    reached = F.sequence(numbered(middle - QUESTION.reach), numbered(middle + QUESTION.reach))
    b = right.select(
        F.col("id").alias("right_id"),
        middle.alias("b"),
        half_width.alias("t"),
        F.explode(reached).alias("key"),
        at("time"),
    ).withWatermark("time", f"{DELAY / 1000} seconds")
    reach = F.expr(f"INTERVAL {QUESTION.reach / 1000 + 0.001} SECONDS")
    distance = F.abs(F.col("a") - F.col("b"))
    near = (F.col("at") >= F.col("time") - reach) & (F.col("at") <= F.col("time") + reach)
    pairs = a.join(b, (F.col("bucket") == F.col("key")) & near & (distance <= QUESTION.reach))
    answers = pairs.select("left_id", "right_id", distance.alias("m"), "s", "t").select(
        "left_id", "right_id", F.expr(confidence_sql(QUESTION)).alias("confidence")
    )
    return answers.where(F.col("confidence") >= QUESTION.least)


def measure(spark: SparkSession, join: Callable[[DataFrame, DataFrame], DataFrame], sides: tuple[str, str]) -> Run:
    """Run a join over all files."""
    from pyspark.sql import functions as F

    frame = join(*(growing(spark, side) for side in sides))
    told = frame.observe("totals", F.count(F.lit(1)).alias("pairs"), F.sum("confidence").alias("confidence"))
    before = processor_seconds()
    progress = drained(told)
    used = processor_seconds() - before
    totals = [one["observedMetrics"]["totals"] for one in progress]
    return Run(
        [one["durationMs"]["triggerExecution"] / 1000 for one in progress],
        [one["numInputRows"] for one in progress],
        sum(one["pairs"] for one in totals),
        sum(one["confidence"] or 0.0 for one in totals),
        used,
    )


def processor_seconds() -> float:
    """What this process, the JVM and all Python workers have spent on the processor."""
    parents, spent = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            spent[int(folder.name)] = sum(map(int, fields[11:13]))
    total = 0
    for process, ticks in spent.items():
        at = process
        while at > 1 and at != os.getpid():
            at = parents.get(at, 0)
        total += ticks if at == os.getpid() else 0
    return total / os.sysconf("SC_CLK_TCK")


def drained(frame: DataFrame) -> list:
    """The progress of a query that ran until all files were used up; its output is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        query = frame.writeStream.format("noop").option("checkpointLocation", folder).trigger(availableNow=True).start()
        query.awaitTermination()
        return [one for one in query.recentProgress if one["numInputRows"] > 0]


def line(seconds: dict[int, float]) -> tuple[float, float]:
    """The cost of an event and the fixed cost, from the smallest and the largest size."""
    (small, little), *_, (large, much) = sorted(seconds.items())
    each = (much - little) / (large - small)
    return each, little - each * small


def against_empty(spark: SparkSession, ours: Run, size: int, triggers: int) -> list[Row]:
    """A trigger of a few events against one that only goes through a stateful function in Python."""
    with tempfile.TemporaryDirectory() as folder:
        one = pa.table({"id": [1], "lo": [0.0], "hi": [1.0]})
        for name in ("left", "right"):
            write(Path(folder) / name, [one] * triggers)
        left, right = (growing(spark, str(Path(folder) / name)) for name in ("left", "right"))
        progress = drained(empty_state(left.unionAll(right)))
    empty = statistics.median(one["durationMs"]["triggerExecution"] / 1000 for one in progress[WARM:])
    case = f"{short(size)} events a trigger against an empty one"
    return [
        row(BENCHMARK, case, "empty stateful trigger", 1e3 * empty, "ms", better="lower"),
        row(BENCHMARK, case, OURS, ours.steady / empty, "x an empty trigger", better="lower"),
    ]


def empty_state(data: DataFrame) -> DataFrame:
    """A stateful function that keeps a few bytes and emits nothing."""
    from pyspark.sql.streaming.state import GroupStateTimeout

    def keep(key, frames, state):
        for _ in frames:
            pass
        state.update((b"state",))
        return iter(())

    return data.groupBy("id").applyInPandasWithState(
        keep, "id long", "state binary", "append", GroupStateTimeout.NoTimeout
    )
