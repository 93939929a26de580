"""The two ways in which Spark carries a state machine in Python, on the same packets: which costs less a trigger?

Both get the packets of `whenabouts.spark.streaming` and keep a snapshot as large as a trigger's rows; neither joins.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import whenabouts as wa
from benchmarks.data import DISORDER, QUESTION, WIDTHS, Scale, short
from benchmarks.machine import THREADS
from benchmarks.measure import Row, row
from benchmarks.spark_session import session
from benchmarks.stream import ROCKS, WARM, drained, files, growing
from whenabouts.api.timing_join import declarations, plan_join
from whenabouts.spark.streaming.carry import Feed, packed
from whenabouts.spark.streaming.packets import group_labels
from whenabouts.spark.streaming.timing import TimingStream, columns_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BENCHMARK = "stream_carriers"


def run(scale: Scale) -> list[Row]:
    """A trigger of either carrier, on few and on many events."""
    sizes = (10_000, 1_000_000) if scale == "full" else (10_000,)
    spark = session(partitions=THREADS)
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKS)
    carriers = {"applyInPandasWithState": applied, "transformWithStateInPandas": transformed}
    rows: list[Row] = []
    for size in (sizes[0], *sizes):
        rows = [] if size == sizes[0] else rows  # the first round warms both
        with tempfile.TemporaryDirectory() as folder:
            sides = files(Path(folder), size // 2, WARM + 4)
            for name, carrier in carriers.items():
                progress = drained(carrier(packets(*(growing(spark, side) for side in sides))))
                took = statistics.median(one["durationMs"]["triggerExecution"] for one in progress[WARM:])
                case = f"{short(size)} events a trigger"
                rows.append(row(BENCHMARK, case, name, took, "ms a trigger", better="lower"))
    spark.stop()
    return rows


def packets(left: DataFrame, right: DataFrame) -> DataFrame:
    """The packets of a timing join."""
    one, other = (
        wa.events(data, id="id", time=wa.between("lo", "hi"), max_delay=2 * DISORDER, max_width=WIDTHS[1])
        for data in (left, right)
    )
    join = plan_join(one, other, wa.within(QUESTION.window), QUESTION.threshold, None, True, (), (), "auto", 1000, None)
    stream = TimingStream(join, *declarations(join, one, other), THREADS)
    feeds = [
        Feed(inlet.name, data, inlet, columns_of(join, number))
        for number, (data, inlet) in enumerate(zip((left, right), stream.inlets(), strict=True))
    ]
    labels = group_labels(THREADS, THREADS)
    sent = [packed(number, feed, labels, False) for number, feed in enumerate(feeds)]
    return sent[0].unionAll(sent[1])


def applied(rows: DataFrame) -> DataFrame:
    """One function call a group and trigger; the state travels with its rows."""
    from pyspark.sql.streaming.state import GroupStateTimeout

    def keep(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        blobs = b"".join(blob for frame in frames for blob in frame["blob"])
        before = len(state.get[0]) if state.exists else 0
        state.update((blobs,))
        yield pd.DataFrame({"size": [before + len(blobs)]})

    return rows.groupBy("group").applyInPandasWithState(
        keep, "size long", "state binary", "append", GroupStateTimeout.NoTimeout
    )


def transformed(rows: DataFrame) -> DataFrame:
    """A processor object a task, which asks for its state over a socket."""
    from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

    class Keep(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.state = handle.getValueState("state", "state binary")

        def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timers: Any) -> Iterator[pd.DataFrame]:
            blobs = b"".join(blob for frame in rows for blob in frame["blob"])
            before = len(self.state.get()[0]) if self.state.exists() else 0
            self.state.update((blobs,))
            yield pd.DataFrame({"size": [before + len(blobs)]})

        def close(self) -> None:
            pass

    return rows.groupBy("group").transformWithStateInPandas(Keep(), "size long", "append", "None")
