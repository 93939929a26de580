"""What a state machine is: rows and watermarks in, results out, and a snapshot that outlives the process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa

MOMENT = "__moment"
"""A column of every row that reaches a machine: its latest possible time in ticks, of which watermarks are made."""
OWNED = "__owned"
"""A column too: whether this group answers for the row. A row that is copied to several groups has one owner."""

SLICE = "__slice"
"""And a third: the slice of time that the copy is for, where rows are spread over slices; else 0."""


class Machine(Protocol):
    """The state of one group of rows, and what it does with more of them.

    A turn is one micro-batch: `on_batch` with the new rows of every input, none of them late, then `on_watermark`
    with how far every input has come. Both may emit. A machine is made afresh for every turn: what it knows it has
    from `restore`, and what is to be known in the next turn must be in `snapshot`.
    """

    counts: dict[str, float]
    """What it did in this turn, and how much it holds: counts by name, for the progress of the query."""

    def on_batch(self, inputs: Sequence[pa.Table]) -> Iterator[pa.RecordBatch]:
        """Take the new rows of every input, a table each, and emit what is known with them."""

    def on_watermark(self, watermarks: Sequence[float]) -> Iterator[pa.RecordBatch]:
        """No row of input k with a moment before `watermarks[k]` will come any more: emit, and forget."""

    def snapshot(self) -> bytes:
        """All it has to remember, as columns; see `whenabouts.state.snapshot`."""

    def restore(self, data: bytes) -> None:
        """Go on from a snapshot; raises `StateMismatch` where it is of another machine, version or question."""
