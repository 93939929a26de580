"""The similarity join of streams: its state machine, its routes, and Spark to carry them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from whenabouts.ops.similarity.blocks import COUNTED, BlockSimilarityJoin
from whenabouts.ops.similarity.question import SimilarityJoin
from whenabouts.spark.door import arrow_schema
from whenabouts.spark.similarity_join import spark_schema
from whenabouts.spark.streaming.carry import Feed, carry, partitions_of
from whenabouts.spark.streaming.metrics import Metric
from whenabouts.state.keeper import Keeper
from whenabouts.state.machine import SLICE
from whenabouts.state.route import ByKeys, BySlices, OneGroup, Route
from whenabouts.state.similarity.inlet import ObjectInlet
from whenabouts.state.similarity.machine import SimilarityMachine, ends_of
from whenabouts.state.watermark import Patience

WINDOWS = 16
"""The length of a slice, in windows: one row in so many is copied into the next slice."""


@dataclass(frozen=True)
class SimilarityStream:
    """A similarity join over streams, as a value: the question, how long streams are waited for, and their groups."""

    join: SimilarityJoin
    patience: tuple[Patience, ...]
    groups: int
    places: pa.DataType

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(stream.name for stream in self.join.streams)

    def keeper(self) -> Keeper:
        """A group's state machine with its watermarks."""
        columns = [stream.contract.columns for stream in self.join.streams]
        ends = ends_of(self.places) if self.join.changes else None
        machine = SimilarityMachine(
            self.settings, columns, self.join.window, BlockSimilarityJoin(self.join, SLICE), ends
        )
        return Keeper(machine, self.patience, self.names)

    @property
    def settings(self) -> dict[str, str]:
        """What the state depends on, in words that an error can quote."""
        join = self.join
        return {
            **{stream.name: repr(stream.contract) for stream in join.streams},
            "distance": f"{join.distance!r} by metric {join.metric}",
            "min_confidence": repr(join.min_confidence),
            "window": f"{join.window!r} of {'the sequence' if join.by_seq else 'time'}",
            "within": repr(join.within),
            "changes": repr(join.changes),
            "max_delay": repr(tuple(one.delay for one in self.patience)),
            "groups": repr(self.groups),
        }

    @property
    def route(self) -> Route:
        """Keys spread over groups; without keys places do, each row from its own to the end of its window."""
        if self.join.streams[0].contract.by:
            return ByKeys(self.groups)
        if self.groups == 1:
            return OneGroup()
        return BySlices(self.groups, WINDOWS * self.join.window, 0.0, self.join.window)

    def inlets(self) -> list[ObjectInlet]:
        """The ways in of all streams."""
        return [
            ObjectInlet(
                stream.name, stream.contract, stream.place(self.join.by_seq), self.join.clock, self.route,
                not stream.quarantine,
            )
            for stream in self.join.streams
        ]  # fmt: skip


def stream_similarity_join(
    join: SimilarityJoin, frames: Sequence[DataFrame], *, patience: tuple[Patience, ...], side_output: bool = False
) -> DataFrame:
    """The pairs as a streaming DataFrame: appended, each once, as soon as both objects are in; or their changelog."""
    schemas = tuple(arrow_schema(data) for data in frames)
    stream = SimilarityStream(join, patience, partitions_of(frames[0]), join.place_type(schemas))
    feeds = [
        Feed(one.name, data, inlet, one.contract.columns, one.contract.by)
        for one, data, inlet in zip(join.streams, frames, stream.inlets(), strict=True)
    ]
    metrics = [Metric(name) for name in (*COUNTED, *(("standing",) if join.changes else ()))]
    return carry(
        feeds, stream.keeper, groups=stream.groups, result=spark_schema(join.output_schema(schemas), join, frames),
        clock=join.clock, metrics=metrics, side_output=side_output,
    )  # fmt: skip
