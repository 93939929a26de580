"""Counts that come back with the data: each slice adds a row of them, which an observation sums up."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pyarrow as pa
from pyspark.errors import PySparkAssertionError
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from whenabouts.model.stats import COUNTS, Stats

COLUMN = "__counts"
_PATIENCE = 2.0
"""Seconds to wait for the counts: they reach the driver a moment after the frame was computed."""


def count_row(counts: Mapping[str, int], schema: pa.Schema) -> pa.RecordBatch:
    """A row that holds nothing but counts."""
    values = pa.array([[int(counts.get(name, 0)) for name in COUNTS]], pa.list_(pa.int64()))
    nulls = [pa.nulls(1, one.type) for one in schema]
    return pa.RecordBatch.from_arrays([*nulls, values], names=[*schema.names, COLUMN])


def with_no_counts(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows of the result, in the same schema as the row of counts."""
    none = pa.nulls(len(batch), pa.list_(pa.int64()))
    return pa.RecordBatch.from_arrays([*batch.columns, none], names=[*batch.schema.names, COLUMN])


def observe(data: DataFrame, stats: Stats) -> DataFrame:
    """Sum up the rows of counts as they pass, and let only the result through."""
    observation = Observation()
    sums = [
        (F.max if name == "buffer_max" else F.sum)(F.get(COLUMN, F.lit(place))).alias(name)
        for place, name in enumerate(COUNTS)
    ]
    observed = data.observe(observation, *sums)
    stats.wait_for(_Waiter(observation).counts)
    return observed.where(F.col(COLUMN).isNull()).drop(COLUMN)


class _Waiter:
    """Waits for an observation on a thread of its own: a classic session blocks until the counts are there."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.on_connect = type(observation).__module__.startswith("pyspark.sql.connect")
        self.thread: threading.Thread | None = None
        self.found: dict[str, int] | None = None

    def counts(self) -> Mapping[str, int] | None:
        """The counts, or None while the frame has not been computed."""
        if self.on_connect:
            self._fetch()
            return self.found
        if self.thread is None:
            self.thread = threading.Thread(target=self._fetch, daemon=True)
            self.thread.start()
        self.thread.join(_PATIENCE)
        return self.found

    def _fetch(self) -> None:
        try:
            counts = self.observation.get
        except PySparkAssertionError:
            return
        if counts:
            self.found = {name: int(value or 0) for name, value in counts.items()}
