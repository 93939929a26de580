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

from whenabouts.state.machine import MOMENT, SLICE
from whenabouts.state.snapshot import Label, read_snapshot, write_snapshot
from whenabouts.state.timing.expiry import Expiry

EXPIRES = "__expires"

Mask = NDArray[np.bool_]
Correlate = Callable[[pa.Table, pa.Table, tuple[Mask, Mask], dict[str, float]], Iterator[pa.RecordBatch]]
"""The pairs of two tables of which at least one row is new; what it did is added to the counts."""

VERSION = 1


class TimingMachine:
    """Two buffers, sorted by latest time, each row with the moment of its expiry."""

    def __init__(
        self,
        settings: dict[str, str],
        columns: tuple[Sequence[str], Sequence[str]],
        expiry: tuple[Expiry, Expiry],
        correlate: Correlate,
        keys: tuple[Sequence[str], Sequence[str]] = ((), ()),
    ) -> None:
        self.label = Label("timing join", VERSION, settings)
        self.columns = [[*dict.fromkeys((*names, MOMENT, SLICE))] for names in columns]
        self.expiry = expiry
        self.correlate = correlate
        self.keys = keys
        self.buffers: list[pa.Table | None] = [None, None]
        self.counts: dict[str, float] = {}

    def on_batch(self, inputs: Sequence[pa.Table]) -> Iterator[pa.RecordBatch]:
        """Join the block with the buffers and with itself, then buffer it."""
        held = [0 if buffer is None else len(buffer) for buffer in self.buffers]
        for side, rows in enumerate(inputs):
            self._append(side, rows.select(self.columns[side]))
        left, right = self.buffers
        if left is not None and right is not None and any(map(len, inputs)):
            new = [np.arange(len(table)) >= old for table, old in zip((left, right), held, strict=True)]
            yield from self.correlate(left, right, (new[0], new[1]), self.counts)

    def on_watermark(self, watermarks: Sequence[float]) -> Iterator[pa.RecordBatch]:
        """Forget what expired; all pairs are out already."""
        for side, limit in enumerate((watermarks[1], watermarks[0])):
            rows = self.buffers[side]
            if rows is None:
                continue
            needed = rows.column(EXPIRES).to_numpy() >= limit
            if not needed.all():
                rows = rows.filter(pa.array(needed))
            moment = rows.column(MOMENT).to_numpy()
            if (moment[1:] < moment[:-1]).any():
                rows = rows.take(pa.array(np.argsort(moment, kind="stable")))
            self.buffers[side] = rows
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

    def _append(self, side: int, rows: pa.Table) -> None:
        """Buffer rows with their expiry; one with a null key joins nothing, ever."""
        buffer = self.buffers[side]
        for key in self.keys[side]:
            if rows.column(key).null_count:
                rows = rows.filter(rows.column(key).is_valid())
        if buffer is not None and not len(rows):
            return
        new = rows.append_column(EXPIRES, pa.array(self.expiry[side].of(rows)))
        self.buffers[side] = new if buffer is None else pa.concat_tables([buffer, new])
