"""The question that a similarity join asks, as a value that travels to wherever the data is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.model.times import At, Between, TimeModel
from whenabouts.schema.arrow import plain_type
from whenabouts.schema.objects import ObjectContract

Method = Literal["auto", "grid", "wop"]
METHODS: tuple[str, ...] = get_args(Method)

_UNITS = {10**9: "s", 10**6: "ms", 10**3: "us", 1: "ns"}
ENTERS, EXPIRES = "enters", "expires"


@dataclass(frozen=True)
class Stream:
    """What the join needs to know of one stream of objects."""

    name: str
    contract: ObjectContract
    quarantine: bool

    def place(self, by_seq: bool) -> TimeModel:
        """The model of the places by which windows slide."""
        model = At(self.contract.seq) if by_seq and self.contract.seq else self.contract.time
        assert model is not None
        return model


@dataclass(frozen=True)
class SimilarityJoin:
    """The whole question; lengths of time and of the sequence are in ticks of their clocks.

    `by_seq` says that windows slide over the sequence and not over time; `window` is infinite where nothing expires.
    `within` is infinite where times do not matter; else `time_clock` is theirs. `last` is the last place of the whole
    data, for a changelog of a part of it.
    """

    streams: tuple[Stream, ...]
    distance: float
    metric: int
    min_confidence: float
    by_seq: bool
    clock: Clock
    window: float = math.inf
    within: float = math.inf
    time_clock: Clock | None = None
    measure: bool = True
    method: str = "auto"
    batch: int = 1
    changes: bool = False
    last: float | None = None

    @property
    def within_itself(self) -> bool:
        """Whether one stream is joined with itself."""
        return len(self.streams) == 1

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The streams that are joined with each other."""
        count = len(self.streams)
        return [(0, 0)] if self.within_itself else [(i, j) for i in range(count) for j in range(i + 1, count)]

    def place_type(self, schemas: tuple[pa.Schema, ...]) -> pa.DataType:
        """The type of `enters` and `expires`: that of the places, wide enough for all streams and for the window."""
        models = [stream.place(self.by_seq) for stream in self.streams]
        if self.clock.kind != "number":
            zone = schemas[0].field(models[0].columns[0]).type.tz if isinstance(models[0], At) else None
            zone = zone or ("UTC" if self.clock.kind == "instant" else None)
            return pa.timestamp(_UNITS[self.clock.tick], zone)
        whole = self.clock.exact and (math.isinf(self.window) or float(self.window).is_integer())
        return pa.int64() if whole and all(isinstance(model, At | Between) for model in models) else pa.float64()

    def output_schema(self, schemas: tuple[pa.Schema, ...]) -> pa.Schema:
        """left_id, right_id, confidence, enters, expires; with the streams' numbers where there are several."""
        kinds = [schema.field(stream.contract.id).type for schema, stream in zip(schemas, self.streams, strict=True)]
        several = len(self.streams) > 2
        left, right = (plain_type(kinds[0]),) * 2 if several else (kinds[0], kinds[-1])
        place = self.place_type(schemas)
        fields = [("left_stream", pa.int64())] * several + [("left_id", left)]
        fields += [("right_stream", pa.int64())] * several + [("right_id", right)]
        fields += [("confidence", pa.float64())] * self.measure
        if self.changes:
            return pa.schema([("change", pa.string()), ("at", place), *fields])
        return pa.schema([*fields, (ENTERS, place), (EXPIRES, place)])
