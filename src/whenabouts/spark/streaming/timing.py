"""The timing join of two streams: its state machine, its routes, and Spark to carry them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import DoubleType, StructField, StructType

from whenabouts.ops.timing.blocks import BlockJoin
from whenabouts.ops.timing.question import Side, TimingJoin
from whenabouts.spark.streaming.carry import Feed, carry, partitions_of
from whenabouts.spark.streaming.metrics import Metric
from whenabouts.spark.streaming.static import carry_beside
from whenabouts.state.inlet import TimedInlet
from whenabouts.state.keeper import Keeper
from whenabouts.state.machine import MOMENT
from whenabouts.state.route import ByKeys, BySlices, OneGroup, Route
from whenabouts.state.timing.expiry import Expiry
from whenabouts.state.timing.machine import TimingMachine
from whenabouts.state.watermark import Patience

WINDOWS = 16
"""The length of a slice of time, in windows: one row in so many is copied into the next slice."""
METRICS = tuple(
    Metric(name) for name in ("candidates", "surely_yes", "probed", "computed", "lookup_hits", "response_total")
)
_NAMES = ("left", "right")


@dataclass(frozen=True)
class TimingStream:
    """A timing join over streams, as a value: the question, and what is declared of either side, in ticks."""

    join: TimingJoin
    patience: tuple[Patience, Patience]
    widths: tuple[float, float]
    groups: int

    def keeper(self) -> Keeper:
        """A group's state machine with its watermarks."""
        join = self.join
        sides = join.left, join.right
        bands = (join.low, join.high), (-join.high, -join.low)
        expiry = [
            Expiry(mine.contract.time, join.clock, other.contract.time, width, *band, join.min_confidence)
            for mine, other, width, band in zip(sides, reversed(sides), reversed(self.widths), bands, strict=True)
        ]
        columns = [columns_of(join, number) for number in (0, 1)]
        machine = TimingMachine(
            self.settings, (columns[0], columns[1]), (expiry[0], expiry[1]), BlockJoin(join, MOMENT),
            ([one for one, _ in join.by], [other for _, other in join.by]),
        )  # fmt: skip
        return Keeper(machine, self.patience, _NAMES)

    @property
    def settings(self) -> dict[str, str]:
        """What the state depends on, in words that an error can quote."""
        join = self.join
        return {
            "left": f"{join.left.contract.time!r} of {', '.join(join.left.columns)}",
            "right": f"{join.right.contract.time!r} of {', '.join(join.right.columns)}",
            "band": f"[{join.low!r}, {join.high!r}]",
            "min_confidence": repr(join.min_confidence),
            "by": repr(join.by),
            "max_delay": repr(tuple(one.delay for one in self.patience)),
            "max_width": repr(self.widths),
            "groups": repr(self.groups),
        }

    def inlets(self, stop: Sequence[bool] = (False, False), texts: Sequence[str] = ("", "")) -> list[TimedInlet]:
        """The ways in of both sides."""
        return [
            TimedInlet(side.name, side.contract, self.join.clock, width, route, halt, text)
            for side, width, route, halt, text in zip(
                (self.join.left, self.join.right), self.widths, self._routes(), stop, texts, strict=True
            )
        ]

    def _routes(self) -> tuple[Route, Route]:
        """Keys spread over groups; without keys time does, and a pair meets in the slice of its left event."""
        join = self.join
        if join.by:
            return ByKeys(self.groups), ByKeys(self.groups)
        window = join.high - join.low + sum(self.widths)
        if not math.isfinite(window) or window <= 0.0 or self.groups == 1:
            return OneGroup(), OneGroup()
        length = WINDOWS * window
        return (
            BySlices(self.groups, length, 0.0, 0.0, by_latest=True),
            BySlices(self.groups, length, -join.high, -join.low + self.widths[0], once_a_group=True),
        )


@dataclass(frozen=True)
class StaticAnswer:
    """The pairs of a stream's rows with those of a table, whichever of the two is the left side."""

    join: TimingJoin
    streaming: int

    def __call__(self, rows: pa.Table, table: pa.Table, counts: dict[str, float]) -> Iterator[pa.RecordBatch]:
        """All rows of the stream are new, and none of the table's."""
        sides = (rows, table) if self.streaming == 0 else (table, rows)
        new = [np.full(len(side), number == self.streaming) for number, side in enumerate(sides)]
        return BlockJoin(self.join, MOMENT)(*sides, (new[0], new[1]), counts)


def columns_of(join: TimingJoin, number: int) -> tuple[str, ...]:
    """The columns that a side's rows need."""
    side: Side = (join.left, join.right)[number]
    return tuple(dict.fromkeys((*side.columns, *(pair[number] for pair in join.by))))


def describe_stream(stream: TimingStream) -> list[tuple[str, str]]:
    """Lines about how a stream is spread, and how long rows are waited for."""
    route = stream._routes()[0]
    if isinstance(route, ByKeys):
        spread = f"{stream.groups} by their keys"
    elif isinstance(route, BySlices):
        spread = f"{stream.groups} that take turns with slices of time of {route.length:,.6g} ticks"
    else:
        spread = "one: there are no keys, and time cannot be sliced"
    waits = [
        f"{name} {one.delay:,.6g} ticks" + ("" if one.idle_after == math.inf else f", idle after {one.idle_after:,.6g}")
        for name, one in zip(_NAMES, stream.patience, strict=True)
    ]
    return [("groups", spread), ("max_delay", "; ".join(waits))]


def stream_join(
    join: TimingJoin,
    left: DataFrame,
    right: DataFrame,
    *,
    patience: tuple[Patience, Patience],
    widths: tuple[float, float],
    width_texts: tuple[str, str],
    side_output: bool = False,
) -> DataFrame:
    """The pairs as a streaming DataFrame: appended, each once, as soon as both events are in."""
    stream = TimingStream(join, patience, widths, partitions_of(left))
    feeds = _feeds(stream, left, right, width_texts)
    return carry(
        feeds, stream.keeper, groups=stream.groups, result=result_schema(join, left, right), clock=join.clock,
        metrics=METRICS, side_output=side_output,
    )  # fmt: skip


def static_join(
    join: TimingJoin,
    left: DataFrame,
    right: DataFrame,
    *,
    streaming: int,
    widths: tuple[float, float],
    width_texts: tuple[str, str],
    side_output: bool = False,
) -> DataFrame:
    """The pairs of a stream with a table that does not move: nothing is buffered, so nothing can be late.

    `streaming` is the number of the side that is the stream. Without keys, time is sliced only where the left side's
    width is known: widths are infinite where they are not.
    """
    stream = TimingStream(join, (Patience(0.0), Patience(0.0)), widths, partitions_of(left))
    feeds = _feeds(stream, left, right, width_texts)
    return carry_beside(
        feeds[streaming], feeds[1 - streaming], StaticAnswer(join, streaming), groups=stream.groups,
        result=result_schema(join, left, right), metrics=METRICS, side_output=side_output,
    )  # fmt: skip


def _feeds(stream: TimingStream, left: DataFrame, right: DataFrame, texts: tuple[str, str]) -> list[Feed]:
    join = stream.join
    stops = [not side.quarantine for side in (join.left, join.right)]
    return [
        Feed(_NAMES[number], data, inlet, columns_of(join, number), tuple(pair[number] for pair in join.by))
        for number, (data, inlet) in enumerate(zip((left, right), stream.inlets(stops, texts), strict=True))
    ]


def result_schema(join: TimingJoin, left: DataFrame, right: DataFrame) -> StructType:
    """left_id, right_id, confidence, which are never null, then what is carried."""
    fields = [StructField("left_id", left.schema[join.left.contract.id].dataType, False)]
    fields += [StructField("right_id", right.schema[join.right.contract.id].dataType, False)]
    if join.measure:
        fields.append(StructField("confidence", DoubleType(), False))
    for side, data in ((join.left, left), (join.right, right)):
        fields += [StructField(f"{side.name}_{name}", data.schema[name].dataType) for name in side.carry]
    return StructType(fields)
