"""A local Spark session that is pleasant to work with."""

from __future__ import annotations

import os
import shutil
import sys

from pyspark.sql import SparkSession

from whenabouts.errors import MissingJava

ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
"""The state store for streams: it keeps state on disk and writes what changed, where the other keeps all in memory."""


def local_session(name: str = "whenabouts", *, cores: int | str = "*", memory: str = "2g") -> SparkSession:
    """The running session, or a quiet local one on `cores` cores."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if not (os.environ.get("JAVA_HOME") or shutil.which("java") or os.environ.get("SPARK_REMOTE")):
        raise MissingJava("Spark needs Java 17 or newer, and none was found. Install one, or run `make setup`.")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.appName(name)
        .master(f"local[{cores}]")
        .config("spark.driver.memory", memory)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
        .config("spark.sql.shuffle.partitions", os.cpu_count() if cores == "*" else cores)
        .config("spark.sql.streaming.stateStore.providerClass", ROCKS)
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    return session
