"""Spark sessions that are pleasant to work with: a local one, and what to set in one of your own."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from typing import TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from whenabouts.errors import MissingJava

ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
"""The state store for streams: it keeps state on disk and writes what changed, where the other keeps all in memory."""
UNWEIGHED = str(2**31 - 1)
"""The size of a batch of rows, in bytes, at which Spark does not weigh it."""
_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
SETTINGS = {
    _BYTES: UNWEIGHED,
    "spark.sql.streaming.stateStore.providerClass": ROCKS,
}
BUILDER_SETTINGS = {"spark.python.sql.dataFrameDebugging.enabled": "false"}
"""What a session that runs already does not take."""
if hasattr(socket, "AF_UNIX"):
    BUILDER_SETTINGS["spark.python.unix.domain.socket.enabled"] = "true"
ENVIRONMENT = {"ARROW_ENABLE_UNSAFE_MEMORY_ACCESS": "true"}
"""What a JVM reads when it starts."""
Tuned = TypeVar("Tuned", SparkSession, SparkSession.Builder)


def tune(spark: Tuned) -> Tuned:
    """Set what makes whenabouts fast in a session of your own, or in the builder of one, and return it.

    - `spark.sql.execution.arrow.maxBytesPerBatch` to its largest value. Spark hands rows to Python in batches that end
      after so many bytes, or 10,000 rows. To keep to the bytes it weighs the batch again at every row, which takes
      about three times as long as to hand it over. Set it back where single rows are larger than some 100 kB, such as
      clouds of thousands of samples.
    - `spark.sql.streaming.stateStore.providerClass` to RocksDB, for streams that start from now on.
    - Of a builder also `spark.python.sql.dataFrameDebugging.enabled` to false. PySpark tells the JVM the line of Python
      that each Column comes from, for its messages, which takes three quarters of the time of making one. A join makes
      hundreds, so that this is some tenths of a second a query.
    - And `spark.python.unix.domain.socket.enabled` to true, where the system has such sockets: Spark and its Python
      workers then talk without TCP, over which every task in Python waits 40 ms for an acknowledgement.
    - And, for the JVMs that start from now on, the variable `ARROW_ENABLE_UNSAFE_MEMORY_ACCESS`, unless it is set: that
      of the driver takes it from this process, those of executors from `spark.executorEnv`. Arrow in Java then trusts
      that a row which Spark reads or writes lies within its batch. Checking it takes a third of the time in which a
      value from Python becomes one of Spark's.
    """
    if isinstance(spark, SparkSession.Builder):
        for name, value in ENVIRONMENT.items():
            chosen = os.environ.setdefault(name, value)
            spark.config(f"spark.executorEnv.{name}", chosen)
        for name, value in (SETTINGS | BUILDER_SETTINGS).items():
            spark.config(name, value)
        return spark
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    return spark


def is_tuned(spark: SparkSession) -> bool:
    """Whether Spark hands rows over without weighing them; one that does not know the setting never does."""
    try:
        limit = spark.conf.get(_BYTES)
    except PySparkException:
        return True
    return limit is not None and limit.rstrip("b") == UNWEIGHED


def local_session(name: str = "whenabouts", *, cores: int | str = "*", memory: str = "2g") -> SparkSession:
    """The running session, or a quiet local one on `cores` cores."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if not (os.environ.get("JAVA_HOME") or shutil.which("java") or os.environ.get("SPARK_REMOTE")):
        raise MissingJava("Spark needs Java 17 or newer, and none was found. Install one, or run `make setup`.")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = (
        SparkSession.builder.appName(name)
        .master(f"local[{cores}]")
        .config("spark.driver.memory", memory)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.shuffle.compress", "false")  # what never leaves the machine
        .config("spark.python.daemon.module", "whenabouts.spark.daemon")  # whose workers leave quietly
        .config("spark.sql.shuffle.partitions", os.cpu_count() if cores == "*" else cores)
        .config("spark.log.level", "ERROR")
    )
    return tune(builder).getOrCreate()
