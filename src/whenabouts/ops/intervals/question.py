"""The question that an interval query asks, as a value that travels to wherever the data is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.model.relation import IntervalQuery
from whenabouts.schema import SegmentContract

Method = Literal["lattice", "simpmatch", "sase", "ignore", "static"]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True)
class SegmentSide:
    """What the query needs to know of one side."""

    name: Literal["left", "right"]
    contract: SegmentContract
    quarantine: bool


@dataclass(frozen=True)
class IntervalQuestion:
    """The whole question: sides, query, threshold, and how it is worked out.

    `most` bounds the nodes of SimpMatch's tree; `reach` and `step` make the grid of the discrete method.
    """

    left: SegmentSide
    right: SegmentSide
    clock: Clock
    query: IntervalQuery
    min_confidence: float | None = None
    measure: bool = True
    method: str = "lattice"
    unordered: bool = False
    most: int = 2**62
    reach: int = 30
    step: float = 1.0

    @property
    def sides(self) -> tuple[SegmentSide, SegmentSide]:
        return self.left, self.right

    def output_schema(self, left: pa.Schema, right: pa.Schema) -> pa.Schema:
        """left_key, right_key, confidence."""
        fields = [
            pa.field("left_key", left.field(self.left.contract.key).type),
            pa.field("right_key", right.field(self.right.contract.key).type),
        ]
        return pa.schema([*fields, pa.field("confidence", pa.float64())] if self.measure else fields)
