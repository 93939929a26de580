"""Run by the tests in a process of its own: joins on a given kind of Spark, and reports what came out as JSON.

A process can hold one kind of session only, so Spark Connect and separate executors each get their own.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from pyspark.sql import SparkSession

import whenabouts as wa
from whenabouts.spark.streaming.metrics import metrics_of
from whenabouts.testing import intervals, lose, poisson_segments, trajectory


def session(kind: str) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    if kind == "connect":
        return SparkSession.builder.remote("local[2]").getOrCreate()
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    return (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )


def parents(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The process that started this worker's daemon: one for each executor."""
    for _ in batches:
        daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()[1]
        yield pa.RecordBatch.from_pydict({"executor": [daemon]})


def streamed(spark: SparkSession, tables: list[pa.Table]) -> list[int]:
    """How many pairs a stream gives, how many its metrics tell of, and how many the batch gives."""
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    folder = Path(tempfile.mkdtemp())
    few = [table.slice(0, 2000) for table in tables]
    for name, table in zip(("left", "right"), few, strict=True):
        (folder / name).mkdir()
        pq.write_table(table, folder / name / "0.parquet")
    sides = [
        wa.events(
            spark.readStream.schema("id long, lo double, hi double").parquet(str(folder / name)), id="id",
            time=wa.between("lo", "hi"), max_delay=1000, max_width=200,
        )
        for name in ("left", "right")
    ]  # fmt: skip
    query = (
        wa.timing_join(*sides, wa.within(1000), min_confidence=0.6)
        .writeStream.format("parquet")
        .options(path=str(folder / "out"), checkpointLocation=str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    here = [wa.events(table, id="id", time=wa.between("lo", "hi")) for table in few]
    expected = wa.timing_join(*here, wa.within(1000), min_confidence=0.6)
    found = spark.read.parquet(str(folder / "out")).select("left_id", "right_id").distinct().count()
    return [found, int(metrics_of(query.lastProgress)["emitted"]), len(expected)]


def matched(spark: SparkSession, table: pa.Table) -> list[int]:
    """How many matches of a pattern Spark finds, how many of them this process finds too, and how many it finds."""
    query = "PATTERN SEQ(ANY a, ANY b) WHERE a.id % 3 = 0 AND b.id % 5 = 0 AND a.id < b.id WITHIN 500 RETURN b.id"
    few = table.slice(0, 3000)
    model = {"id": "id", "time": wa.between("lo", "hi")}
    there = wa.match(wa.events(spark.createDataFrame(few), **model), query, min_confidence=0.5).toArrow()
    here = wa.match(wa.events(few, **model), query, min_confidence=0.5)
    found, expected = ({tuple(one) for one in side["signature"].to_pylist()} for side in (there, here))
    return [len(there), len(found & expected), len(here)]


def related(spark: SparkSession) -> list[bool | int]:
    """Whether an interval query gives what this process gives, and for how many pairs; and rows that are rejected."""
    columns = {"key": "key", "seq": "seq", "time": "time"}
    events = lose(poisson_segments(12, segments=6, seed=1), 0.3, seed=2)
    here = wa.segments(events, **columns)
    there = wa.segments(spark.createDataFrame(events), **columns)
    query = "AT LEAST 4 a INTERSECTS SOME b"
    found, expected = (wa.interval_query(one, one, query, pairs="unordered") for one in (there, here))
    keys = [("left_key", "ascending"), ("right_key", "ascending")]
    same = found.toArrow().cast(expected.schema).sort_by(keys).equals(expected.sort_by(keys))
    bad = wa.segments(spark.createDataFrame([("x", 1, 5), ("x", 2, 4)], "key string, seq long, time long"), **columns)
    return [same, len(expected), bad.rejected.count()]


def near(spark: SparkSession) -> list[bool | int]:
    """Whether a similarity join gives what this process gives, and how many pairs; and rows that are rejected."""
    points = trajectory(60, dimensions=2, extent=4.0)
    model = {"id": "id", "seq": "n", "samples": "samples", "dimensions": 2}
    question = {"distance": 1.0, "min_confidence": 0.3, "window": 20}
    keys = [("left_id", "ascending"), ("right_id", "ascending")]
    same = True
    for layout in ("nested", "flat", "packed"):
        blurred = wa.blur(points, points=["c0", "c1"], radius=(0.5, 1.0), samples=9, layout=layout)
        clouds = blurred.drop_columns(["c0", "c1"])
        found = wa.similarity_join(wa.objects(spark.createDataFrame(clouds), **model), **question).toArrow()
        expected = wa.similarity_join(wa.objects(clouds, **model), **question)
        same &= found.cast(expected.schema).sort_by(keys).equals(expected.sort_by(keys))
    rows = [(1, 1, [[0.0, 0.0], [1.0]]), (2, 2, [[0.0, 0.0]])]
    ragged = spark.createDataFrame(rows, "id int, n int, samples array<array<double>>")
    return [same, len(expected), wa.objects(ragged, **model).rejected.count()]


def main(kind: str) -> None:
    spark = wa.tune(session(kind))
    tables = [intervals(60_000, partners=5, window=1000, seed=seed) for seed in (1, 2)]
    here = [wa.events(table, id="id", time=wa.between("lo", "hi")) for table in tables]
    there = [wa.events(spark.createDataFrame(table), id="id", time=wa.between("lo", "hi")) for table in tables]
    stats = wa.Stats()
    expected = wa.timing_join(*here, wa.within(1000), min_confidence=0.6)
    frame = wa.timing_join(*there, wa.within(1000), min_confidence=0.6, stats=stats)
    found = frame.toArrow()
    keys = [("left_id", "ascending"), ("right_id", "ascending")]
    executors = spark.range(0, 64, 1, 8).mapInArrow(parents, "executor string").distinct().count()
    bad = wa.events(spark.createDataFrame([(1, 5.0, 3.0), (2, 1.0, 2.0)], "id long, lo double, hi double"),
                    id="id", time=wa.between("lo", "hi"))  # fmt: skip
    try:
        wa.timing_join(bad, bad, wa.within(1), min_confidence=0.5).toArrow()
        error = ""
    except Exception as caught:
        error = str(caught)
    report = {
        "session": type(spark).__module__,
        "executors": executors,
        "pairs": len(found),
        "equal": found.cast(expected.schema).sort_by(keys).equals(expected.sort_by(keys)),
        "slices": stats.slices,
        "emitted": stats.emitted,
        "rejected": [row["reason"] for row in bad.rejected.toArrow().to_pylist()],
        "error": error,
    }
    if kind == "connect":
        report["matched"] = matched(spark, tables[0])
        report["related"] = related(spark)
        report["near"] = near(spark)
        report["streamed"] = streamed(spark, tables)
    print("REPORT " + json.dumps(report), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
