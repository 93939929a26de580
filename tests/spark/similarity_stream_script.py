"""Join two streams of uncertain objects until all files are used up, then write the sink out: run to be killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow.parquet as pq


def main(folder: Path) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import whenabouts as wa

    spark = wa.local_session(cores=2, memory="1g")
    spark.conf.set("spark.sql.shuffle.partitions", 2)

    def side(name: str) -> wa.Objects:
        schema = spark.read.parquet(str(folder / name / "0000.parquet")).schema
        data = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / name))
        return wa.objects(data, id="id", seq="n", samples="samples", dimensions=2, max_delay=20)

    frame = wa.similarity_join(side("left"), side("right"), distance=1.0, min_confidence=0.5, window=50)
    query = (
        frame.writeStream.format("parquet")
        .options(path=str(folder / "out"), checkpointLocation=str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    pq.write_table(spark.read.parquet(str(folder / "out")).toArrow(), folder / "result.parquet")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
