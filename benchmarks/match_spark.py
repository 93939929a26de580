"""Patterns on Spark: the paper's synthetic stream with keys, from a Parquet file to ``noop``, and as a stream of files.

Matches are computed in full, confidences included, and thrown away. The same query in this process, on one thread,
stands beside it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

import whenabouts as wa
from benchmarks.data import Scale, short
from benchmarks.match import DIVISORS, query_for
from benchmarks.measure import Row, interleaved, row
from benchmarks.spark_session import drain, session
from whenabouts.testing import number_series

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BENCHMARK = "match_spark"
DELTA = 10
KEYS = 64


def run(scale: Scale) -> list[Row]:
    """Events a second of a batch and of a steady stream."""
    spark = session()
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            *_batch(spark, Path(folder), 20_000_000 if scale == "full" else 1_000_000),
            *_stream(spark, Path(folder), 1_000_000 if scale == "full" else 200_000),
        ]
    spark.stop()
    return rows


def keyed_query(strategy: str = "any") -> str:
    """The paper's query, within a key."""
    return query_for(DIVISORS[DELTA], strategy).replace(" WHERE ", " WHERE [key] AND ")


def _batch(spark: SparkSession, folder: Path, count: int) -> Iterator[Row]:
    path = str(folder / "events.parquet")
    series = number_series(count, delta=DELTA, keys=KEYS)
    pq.write_table(series, path, row_group_size=1 << 20)
    there = wa.events(spark.read.parquet(path), id="id", time=wa.between("lo", "hi"))
    here = wa.events(series, id="id", time=wa.between("lo", "hi"))
    matches = len(wa.match(here, keyed_query()))
    sides = {
        "Spark, to noop": lambda: drain(wa.match(there, keyed_query())),
        "this process": lambda: wa.match(here, keyed_query()),
    }
    drain(wa.match(there, keyed_query()))
    case = f"{short(count)} events, {KEYS} keys, delta={DELTA}, {matches / count:.2f} matches an event"
    for name, timing in interleaved(sides, repetitions=3).items():
        rate = count / timing.median / 1e6
        yield row(BENCHMARK, case, name, rate, "M events/s", better="higher", timing=timing, pairs=matches)


def _stream(spark: SparkSession, folder: Path, count: int) -> Iterator[Row]:
    """So many events a file, a file a turn; the first turns, in which everything starts, do not count."""
    turns, warm = 8, 3
    series = number_series(turns * count, delta=DELTA, keys=KEYS)
    (folder / "parts").mkdir()
    for turn in range(turns):
        path = folder / "parts" / f"{turn:04}.parquet"
        pq.write_table(series.slice(turn * count, count), path)
        os.utime(path, (1_700_000_000 + turn, 1_700_000_000 + turn))
    spark.conf.set("spark.sql.shuffle.partitions", 2)
    for strategy in ("any", "next"):
        data = spark.readStream.schema("id long, key long, value long, lo double, hi double")
        files = data.option("maxFilesPerTrigger", 1).parquet(str(folder / "parts"))
        events = wa.events(files, id="id", time=wa.between("lo", "hi"), max_delay=2 * DELTA, max_width=2 * DELTA)
        ended: list[float] = []
        writer = wa.match(events, keyed_query(strategy)).writeStream.option(
            "checkpointLocation", str(folder / f"checkpoint-{strategy}")
        )

        def drain_batch(batch: object, number: int, ended: list[float] = ended) -> None:
            drain(batch)  # type: ignore[arg-type]
            ended.append(time.perf_counter())

        writer.foreachBatch(drain_batch).trigger(availableNow=True).start().awaitTermination()
        seconds = ended[-1] - ended[warm - 1]
        rate = (len(ended) - warm) * count / seconds / 1e6
        case = f"a stream, {short(count)} events a turn, skip till {strategy} match"
        yield row(BENCHMARK, case, "Spark", rate, "M events/s", better="higher", turns=len(ended))
