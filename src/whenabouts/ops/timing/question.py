"""The question that a timing join asks, as a value that travels to wherever the data is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.schema import Contract

Strategy = Literal["auto", "sweep", "simple", "sorted", "eager", "lazy", "lookup", "partition"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)


@dataclass(frozen=True)
class Side:
    """What the join needs to know of one side."""

    name: Literal["left", "right"]
    contract: Contract
    quarantine: bool
    clock: Clock | None = None  # its own, before it met the other
    carry: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads, besides the equality keys."""
        return tuple(dict.fromkeys((self.contract.id, *self.contract.time.columns, *self.carry)))


@dataclass(frozen=True)
class TimingJoin:
    """The whole question, as a value that travels to wherever the data is."""

    left: Side
    right: Side
    clock: Clock
    low: float
    high: float
    min_confidence: float
    measure: bool = True
    by: tuple[tuple[str, str], ...] = ()
    strategy: str = "auto"
    block_size: int = 1000
    every: float = math.inf
    delays: tuple[float, float] = (0.0, 0.0)

    def output_schema(self, left: pa.Schema, right: pa.Schema) -> pa.Schema:
        """left_id, right_id, confidence, then what is carried."""
        fields = [
            pa.field("left_id", left.field(self.left.contract.id).type),
            pa.field("right_id", right.field(self.right.contract.id).type),
        ]
        if self.measure:
            fields.append(pa.field("confidence", pa.float64()))
        for side, schema in ((self.left, left), (self.right, right)):
            fields += [pa.field(f"{side.name}_{name}", schema.field(name).type) for name in side.carry]
        return pa.schema(fields)
