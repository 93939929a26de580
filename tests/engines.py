"""One test, every engine: each takes an Arrow table as events and gives a result back as an Arrow table."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.agreement import pairs_of

ENGINES = ["process", pytest.param("spark", marks=pytest.mark.spark)]


class Engine(Protocol):
    """Where a test runs."""

    name: str

    def events(self, table: pa.Table, **options: Any) -> wa.Events:
        """`wa.events` over the table as a frame of this engine."""

    def collect(self, frame: Any) -> pa.Table:
        """A frame of this engine, computed."""

    def raises(self, kind: type[Exception], match: str) -> AbstractContextManager[Any]:
        """Expect an error that comes up while the frame is computed."""


class _Joins:
    def join(self, left: wa.Events, right: wa.Events, predicate: wa.Timing, **options: Any) -> dict:
        """A timing join, as a mapping of pairs of ids to confidences."""
        return pairs_of(self.collect(wa.timing_join(left, right, predicate, **options)))  # type: ignore[attr-defined]


class ProcessEngine(_Joins):
    """This process, on Arrow tables."""

    name = "process"

    def events(self, table: pa.Table, **options: Any) -> wa.Events:
        return wa.events(table, **options)

    def collect(self, frame: pa.Table) -> pa.Table:
        return frame

    def raises(self, kind: type[Exception], match: str) -> AbstractContextManager[Any]:
        return pytest.raises(kind, match=match)


class SparkEngine(_Joins):
    """A local Spark session, batch."""

    name = "spark"

    def __init__(self, session: Any) -> None:
        self.session = session

    def events(self, table: pa.Table, **options: Any) -> wa.Events:
        return wa.events(self.session.createDataFrame(table), **options)

    def collect(self, frame: Any) -> pa.Table:
        return frame.toArrow()

    @contextmanager
    def raises(self, kind: type[Exception], match: str) -> Iterator[Any]:
        """A task's error reaches the driver inside one of Spark's own, and is taken out of it."""
        with pytest.raises(kind, match=match) as caught, wa.spark_errors():
            yield caught


def start_engine(name: str) -> Engine:
    """Start an engine. Spark has one session a process, which all tests share, so nobody stops it."""
    if name == "process":
        return ProcessEngine()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.default.parallelism", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
    )
    return SparkEngine(wa.tune(builder).getOrCreate())
