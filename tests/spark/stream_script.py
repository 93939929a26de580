"""Join or match the streams of a folder until all files are used up, then write what the sink holds: to be killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow.parquet as pq


def main(folder: Path, query: str | None = None) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import whenabouts as wa

    spark = wa.local_session(cores=2, memory="1g")

    def side(name: str) -> wa.Events:
        schema = spark.read.parquet(str(folder / name / "0000.parquet")).schema
        data = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / name))
        return wa.events(data, id="id", time=wa.between("lo", "hi"), max_delay="10s", max_width="2s")

    if query is None:
        frame = wa.timing_join(side("left"), side("right"), wa.within("1s"), min_confidence=0.6)
    else:
        frame = wa.match(side("left"), query)
    running = (
        frame.writeStream.format("parquet")
        .options(path=str(folder / "out"), checkpointLocation=str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    running.awaitTermination()
    pq.write_table(spark.read.parquet(str(folder / "out")).toArrow(), folder / "result.parquet")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
