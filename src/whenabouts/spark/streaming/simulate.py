"""A simulated stream of sensor readings, for demonstrations: uncertain, at times late, now and then broken."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

_LATE, _BROKEN = 2_000, 5_000
"""One reading in so many comes half a minute late, one in so many has its ends the wrong way round."""


def sensor_stream(spark: SparkSession, kind: str, rate: int, *, zones: int) -> DataFrame:
    """Readings of one kind of sensor, `rate` a second: id, zone, and between which moments each happened.

    All but the wall clock follows from a reading's number, so that a micro-batch that runs again is the same.
    """
    source = spark.readStream.format("rate").option("rowsPerSecond", rate).load()

    def chosen(what: str, out_of: int) -> Column:
        return F.pmod(F.xxhash64(F.lit(f"{kind} {what}"), "value"), F.lit(out_of))

    seen = F.unix_micros("timestamp")
    seen = F.when(chosen("late", _LATE) == 0, seen - 30_000_000).otherwise(seen)
    latest = seen - chosen("delay", 50_000)
    earliest = latest - chosen("width", 150_000)
    broken = chosen("broken", _BROKEN) == 0
    return source.select(
        F.concat(F.lit(f"{kind}-"), F.col("value").cast("string")).alias("id"),
        chosen("zone", zones).cast("int").alias("zone"),
        F.timestamp_micros(F.when(broken, latest + 1).otherwise(earliest)).alias("earliest"),
        F.timestamp_micros(latest).alias("latest"),
    )
