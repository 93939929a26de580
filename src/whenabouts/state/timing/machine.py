"""The timing join as a state machine: the micro-batch is the lazy block (paper 001, algorithms 4 to 7).

A block of new rows of both sides meets the buffers and itself; a pair is emitted in the turn in which its later row
comes in, so it is emitted once. Then the buffers take in the block, and forget what no future arrival could join.
How pairs are found is the batch operator's business, which is handed in: the stream is the batch, in blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.state.machine import MOMENT
from whenabouts.state.snapshot import Label, appended, read_snapshot, write_snapshot
from whenabouts.state.timing.expiry import Expiry

EXPIRES = "__expires"

Mask = NDArray[np.bool_]
Correlate = Callable[[pa.Table, pa.Table, tuple[Mask, Mask], dict[str, float]], Iterator[pa.RecordBatch]]
"""The pairs of two tables of which at least one row is new; what it did is added to the counts."""

VERSION = 2


class TimingMachine:
    """Two buffers, sorted by latest time, each row with the moment of its expiry; and the block of this turn."""

    def __init__(
        self,
        settings: dict[str, str],
        columns: tuple[Sequence[str], Sequence[str]],
        expiry: tuple[Expiry, Expiry],
        correlate: Correlate,
        keys: tuple[Sequence[str], Sequence[str]] = ((), ()),
    ) -> None:
        self.label = Label("timing join", VERSION, settings)
        self.columns = [[*dict.fromkeys((*names, MOMENT))] for names in columns]
        self.expiry = expiry
        self.correlate = correlate
        self.keys = keys
        self.buffers: list[pa.Table | None] = [None, None]
        self.block: list[pa.Table] = []
        self.counts: dict[str, float] = {}

    def on_batch(self, inputs: Sequence[pa.Table]) -> Iterator[pa.RecordBatch]:
        """Join the block with the buffers and with itself."""
        self.block = [self._joinable(side, rows.select(self.columns[side])) for side, rows in enumerate(inputs)]
        left, right = (
            appended(None if buffer is None else buffer.select(columns), block)
            for buffer, block, columns in zip(self.buffers, self.block, self.columns, strict=True)
        )
        if len(left) and len(right) and any(map(len, self.block)):
            new = [
                np.arange(len(rows)) >= len(rows) - len(block)
                for rows, block in zip((left, right), self.block, strict=True)
            ]
            yield from self.correlate(left, right, (new[0], new[1]), self.counts)

    def on_watermark(self, watermarks: Sequence[float]) -> Iterator[pa.RecordBatch]:
        """Buffer what a future arrival could join, and forget the rest; all pairs are out already."""
        for side, limit in enumerate((watermarks[1], watermarks[0])):
            buffer, fresh = self.buffers[side], self._lasting(side, limit)
            rows = fresh if buffer is None else pa.concat_tables([_needed(buffer, limit), fresh])
            moment = rows.column(MOMENT).to_numpy()
            if (moment[1:] < moment[:-1]).any():
                rows = rows.take(pa.array(np.argsort(moment, kind="stable")))
            self.buffers[side] = rows
        self.block = []
        self.counts["buffered"] = float(sum(len(rows) for rows in self.buffers if rows is not None))
        return iter(())

    def snapshot(self) -> bytes:
        """Both buffers, as columns."""
        names = ("left", "right")
        held = {name: rows for name, rows in zip(names, self.buffers, strict=True) if rows is not None}
        return write_snapshot(self.label, held)

    def restore(self, data: bytes) -> None:
        """Take the buffers back."""
        tables, _ = read_snapshot(data, self.label)
        self.buffers = [tables.get("left"), tables.get("right")]

    def _joinable(self, side: int, rows: pa.Table) -> pa.Table:
        """Rows without a null key: one with a null key joins nothing, ever."""
        for key in self.keys[side]:
            if rows.column(key).null_count:
                rows = rows.filter(rows.column(key).is_valid())
        return rows

    def _lasting(self, side: int, limit: float) -> pa.Table:
        """The rows of the block that are needed still, with their expiry: of most, a bound tells that they are not."""
        rows, expiry = self.block[side], self.expiry[side]
        rows = rows.filter(pa.array(expiry.at_the_latest(rows.column(MOMENT).to_numpy()) >= limit))
        return _needed(rows.append_column(EXPIRES, pa.array(expiry.of(rows))), limit)


def _needed(rows: pa.Table, limit: float) -> pa.Table:
    """The rows that an arrival at or after the limit could join."""
    needed = rows.column(EXPIRES).to_numpy() >= limit
    return rows if needed.all() else rows.filter(pa.array(needed))
