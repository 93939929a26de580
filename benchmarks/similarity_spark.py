"""The similarity join on Spark, from Parquet to nowhere, against one core of this process on the same files.

To read the samples and to hand them to Python is work for Spark, so what a second core brings depends on how samples
are laid out, and on how many of the pairs are answers: every layout is measured at both ends of the paper's range,
after some rounds in which the JVM compiles. Longer streams show what is left where planning counts for little.

A first question opens the files, and looks at them to plan its slices; one that is asked again of the same frames does
not. This process reads the files for every question.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

import whenabouts as wa
from benchmarks.agreement import Disagreement
from benchmarks.data import Scale
from benchmarks.machine import one_core
from benchmarks.measure import OURS, Row, interleaved, row
from benchmarks.similarity_data import THRESHOLD, WINDOW, clouds, distance_for
from benchmarks.spark_session import drain, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SELECTIVITIES = (0.002, 0.005)
CASES = {
    "full": [
        ("nested", 60_000, SELECTIVITIES),
        ("flat", 60_000, SELECTIVITIES),
        ("packed", 60_000, SELECTIVITIES),
        ("nested", 200_000, SELECTIVITIES[:1]),
        ("packed", 200_000, SELECTIVITIES[:1]),
    ],
    "small": [(layout, 10_000, SELECTIVITIES) for layout in ("nested", "flat", "packed")],
}
"""Layouts of the samples, objects a stream, and which shares of the pairs are answers."""
WARM = 8
HERE = "one core in process"
AGAIN = "whenabouts, asked again"
MODEL = {"id": "id", "seq": "n", "samples": "samples", "dimensions": 3, "unique_ids": False}


def run(scale: Scale) -> list[Row]:
    """Write the clouds to files, and let both read and join them."""
    kind, spark = "trajectory", session()
    rows: list[Row] = []
    for layout, count, selectivities in CASES[scale]:
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, table in enumerate(clouds(kind, count, layout=layout)):
                paths.append(str(Path(folder) / f"{number}.parquet"))
                pq.write_table(table, paths[-1], row_group_size=count // 8, use_dictionary=False)
            clouds.cache_clear()
            for selectivity in selectivities:
                eps = distance_for(kind, rows=4000, selectivity=selectivity)
                case = f"{layout}, {count:,} a stream, {100 * selectivity:g} % are answers"
                rows += _compared(spark, paths, eps, case, objects=2 * count)
    spark.stop()
    return rows


def _compared(spark: SparkSession, paths: list[str], eps: float, case: str, objects: int) -> list[Row]:
    question = {"distance": eps, "min_confidence": THRESHOLD, "window": WINDOW}

    def here() -> int:
        with one_core():
            sides = (wa.objects(pq.read_table(path), **MODEL) for path in paths)
            return len(wa.similarity_join(*sides, threads=1, **question))

    def frames() -> list[DataFrame]:
        return [spark.read.parquet(path) for path in paths]

    def there(frames: list[DataFrame]) -> DataFrame:
        return wa.similarity_join(*(wa.objects(frame, **MODEL) for frame in frames), **question)

    pairs, kept = here(), frames()
    if there(kept).count() != pairs:
        raise Disagreement(f"Spark found {there(kept).count():,} pairs, {HERE} {pairs:,}")
    for _ in range(WARM):
        drain(there(frames()))
    sides = {OURS: lambda: drain(there(frames())), AGAIN: lambda: drain(there(kept)), HERE: here}
    timings = interleaved(sides, repetitions=3)
    return [
        row(
            "similarity_spark", f"local[2], {case}", name, timings[HERE].best / timing.best, "x one core",
            better="higher", timing=timing, pairs=pairs, distance=eps, objects_per_second=objects / timing.best,
        )
        for name, timing in timings.items()
    ]  # fmt: skip
