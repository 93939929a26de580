"""The similarity join on Spark, from Parquet to nowhere, against one core of this process on the same files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow.parquet as pq

import whenabouts as wa
from benchmarks.data import Scale
from benchmarks.measure import OURS, Row, interleaved, row
from benchmarks.similarity_data import THRESHOLD, WINDOW, clouds, distance_for
from benchmarks.spark_session import drain, session

COUNTS = {"full": 60_000, "small": 10_000}


def run(scale: Scale) -> list[Row]:
    """Write the clouds to files, and let both read and join them."""
    count, kind = COUNTS[scale], "trajectory"
    eps = distance_for(kind)
    question = {"distance": eps, "min_confidence": THRESHOLD, "window": WINDOW}
    model = {"id": "id", "seq": "n", "samples": "samples", "dimensions": 3, "unique_ids": False}
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, table in enumerate(clouds(kind, count)):
            paths.append(str(Path(folder) / f"{number}.parquet"))
            pq.write_table(table, paths[-1], row_group_size=count // 8)
        spark = session()

        def here() -> int:
            return len(
                wa.similarity_join(*(wa.objects(pq.read_table(path), **model) for path in paths), threads=1, **question)
            )

        def there() -> None:
            drain(wa.similarity_join(*(wa.objects(spark.read.parquet(path), **model) for path in paths), **question))

        frame = wa.similarity_join(*(wa.objects(spark.read.parquet(path), **model) for path in paths), **question)
        assert frame.count() == here(), "the engines disagree"
        there()
        timings = interleaved({OURS: there, "one core in process": here}, repetitions=3)
        spark.stop()
    ratio = timings["one core in process"].best / timings[OURS].best
    return [
        row("similarity_spark", f"{count:,} a stream, local[2]", OURS, ratio, "x one core", better="higher",
            timing=timings[OURS], objects_per_second=2 * count / timings[OURS].best),
        row("similarity_spark", f"{count:,} a stream", "one core in process", 1.0, "x one core", better="higher",
            timing=timings["one core in process"]),
    ]  # fmt: skip
