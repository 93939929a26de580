"""The interval query of two streams: its state machine, its blocks of keys, and Spark to carry them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, DoubleType, StructField, StructType

from whenabouts.ops.intervals.question import IntervalQuestion
from whenabouts.ops.intervals.stepwise import Stepwise
from whenabouts.spark.streaming.carry import Feed, carry, partitions_of
from whenabouts.spark.streaming.metrics import Metric
from whenabouts.state.intervals.inlet import ByBlocks, SegmentInlet
from whenabouts.state.intervals.machine import IntervalMachine, Waiting
from whenabouts.state.keeper import Keeper
from whenabouts.state.watermark import Patience

METRICS = (Metric("after_closing"), Metric("in_bad_keys"))
_NAMES = ("left", "right")


@dataclass(frozen=True)
class IntervalStream:
    """An interval query over streams, as a value."""

    question: IntervalQuestion
    patience: tuple[Patience, Patience]
    waiting: Waiting
    updates: bool
    groups: int
    pairs: pa.Table | None = field(default=None, repr=False)
    pairs_name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs_name", "all" if self.pairs is None else _name_of(self.pairs))

    @property
    def blocks(self) -> tuple[int, int]:
        """Blocks of left and of right keys, about equally many."""
        left = math.isqrt(self.groups)
        while self.groups % left:
            left -= 1
        return left, self.groups // left

    def keeper(self) -> Keeper:
        """A group's state machine with its watermarks."""
        contracts = self.question.left.contract, self.question.right.contract
        answer = Stepwise(self.question, self.updates)
        machine = IntervalMachine(
            self.settings, contracts, self.question.clock, self.waiting, answer, self.updates, self.pairs
        )
        return Keeper(machine, self.patience, _NAMES)

    @property
    def settings(self) -> dict[str, str]:
        """What the state depends on, in words that an error can quote."""
        question = self.question
        return {
            "left": repr(question.left.contract),
            "right": repr(question.right.contract),
            "query": repr(question.query),
            "min_confidence": repr(question.min_confidence),
            "method": question.method,
            "pairs": self.pairs_name,
            "timeout": repr(self.waiting.timeout),
            "keep": repr(self.waiting.keep),
            "max_delay": repr(tuple(one.delay for one in self.patience)),
            "max_width": repr(self.waiting.widths),
            "groups": repr(self.groups),
        }

    def inlets(self, texts: Sequence[str] = ("", "")) -> list[SegmentInlet]:
        """The ways in of both sides."""
        return [
            SegmentInlet(
                side.name, side.contract, self.question.clock, ByBlocks(number, *self.blocks), not side.quarantine,
                self.waiting.widths[number], texts[number],
            )
            for number, side in enumerate(self.question.sides)
        ]  # fmt: skip


def _name_of(pairs: pa.Table) -> str:
    """What tells given pairs from others, whatever their order and the types of their columns."""
    keys = zip(pairs.column("left_key").to_pylist(), pairs.column("right_key").to_pylist(), strict=True)
    named = sorted(set(map(repr, keys)))
    return f"{len(named)} with the mark {hashlib.sha256(repr(named).encode()).hexdigest()[:16]}"


def stream_query(stream: IntervalStream, left: DataFrame, right: DataFrame, width_texts: Sequence[str]) -> DataFrame:
    """The pairs as a streaming DataFrame: each once when it is final, and with updates at every change before."""
    question = stream.question
    feeds = [
        Feed(name, data, inlet, side.contract.columns, (side.contract.key,))
        for name, data, inlet, side in zip(
            _NAMES, (left, right), stream.inlets(width_texts), question.sides, strict=True
        )
    ]
    fields = [
        StructField("left_key", left.schema[question.left.contract.key].dataType),
        StructField("right_key", right.schema[question.right.contract.key].dataType),
    ]
    if question.measure:
        fields.append(StructField("confidence", DoubleType()))
    if stream.updates:
        fields.append(StructField("final", BooleanType()))
    return carry(
        feeds, stream.keeper, groups=stream.groups, result=StructType(fields), clock=question.clock, metrics=METRICS
    )


def groups_of(data: DataFrame) -> int:
    """How many groups a query has."""
    return partitions_of(data)
