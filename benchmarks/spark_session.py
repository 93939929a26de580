"""The one Spark session that both sides of a benchmark run in."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import whenabouts as wa
from benchmarks.machine import THREADS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def session(*, driver_memory: str = "4g", partitions: int = 4 * THREADS) -> SparkSession:
    """
    Start Spark in this process, on as many cores as the other sides have threads, tuned as users are told to.

    Parameters
    ----------
    driver_memory
        The heap of the one JVM, as Spark writes sizes.
    partitions
        How many pieces a shuffle makes; adaptive execution merges the small ones.
    """
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.master(f"local[{THREADS}]")
        .appName("whenabouts benchmarks")
        .config("spark.driver.memory", driver_memory)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", partitions)
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.shuffle.compress", "false")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
    )
    return wa.tune(builder).getOrCreate()


def drain(frame: DataFrame) -> None:
    """Compute every row and column of the frame, and keep nothing."""
    frame.write.format("noop").mode("overwrite").save()


def totals(frame: DataFrame) -> tuple[int, float]:
    """Count the pairs of an answer and add up their confidences."""
    from pyspark.sql import functions as F

    pairs, confidence = frame.agg(F.count(F.lit(1)), F.sum("confidence")).collect()[0]
    return pairs, confidence or 0.0
