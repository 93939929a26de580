"""Pattern matching as a state machine: a buffer of events, and matches as soon as they are certain to stay.

Under skip-till-any-match nothing that comes later can take a match away: it is emitted in the turn in which the last of
its events arrives. Where other events can spoil a match (skip-till-next-match, absent components) it is emitted when
the watermark says that none of them can come any more. How matches are found is the batch operator's business,
which is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.state.machine import MOMENT, SLICE
from whenabouts.state.snapshot import Label, appended, read_snapshot, write_snapshot

VERSION = 1

Mask = NDArray[np.bool_]


class Matcher(Protocol):
    """The batch operator, over a buffer."""

    def fresh(self, table: pa.Table, new: Mask, counts: dict[str, float]) -> Iterator[pa.RecordBatch]:
        """The matches that have a new row."""

    def settled(
        self, table: pa.Table, since: float, until: float, counts: dict[str, float]
    ) -> Iterator[pa.RecordBatch]:
        """The matches that became final while the watermark moved."""


class MatchMachine:
    """One buffer, sorted by latest time; a row is needed until the watermark is `needed_for` beyond its moment."""

    def __init__(
        self, settings: dict[str, str], columns: Sequence[str], matcher: Matcher, eager: bool, needed_for: float
    ) -> None:
        self.label = Label("match", VERSION, settings)
        self.columns = [*dict.fromkeys((*columns, MOMENT, SLICE))]
        self.matcher = matcher
        self.eager = eager
        self.needed_for = needed_for
        self.buffer: pa.Table | None = None
        self.settled = -math.inf
        self.counts: dict[str, float] = {}

    def on_batch(self, inputs: Sequence[pa.Table]) -> Iterator[pa.RecordBatch]:
        """Buffer the new rows; emit what they complete, unless later rows could spoil it."""
        rows = inputs[0].select(self.columns)
        held = 0 if self.buffer is None else len(self.buffer)
        if self.buffer is None or len(rows):
            self.buffer = appended(self.buffer, rows).combine_chunks()
        if self.eager and len(rows):
            yield from self.matcher.fresh(self.buffer, np.arange(len(self.buffer)) >= held, self.counts)

    def on_watermark(self, watermarks: Sequence[float]) -> Iterator[pa.RecordBatch]:
        """Emit what is final now, and forget rows that no match to come can need."""
        (limit,) = watermarks
        if self.buffer is not None and len(self.buffer) and limit > self.settled:
            if not self.eager:
                yield from self.matcher.settled(self.buffer, self.settled, limit, self.counts)
            self._forget(limit)
        self.settled = max(self.settled, limit)
        self.counts["buffered"] = float(0 if self.buffer is None else len(self.buffer))

    def _forget(self, limit: float) -> None:
        assert self.buffer is not None
        moment = self.buffer.column(MOMENT).to_numpy()
        slack = 1e-12 * (abs(limit) + self.needed_for)
        needed = moment + self.needed_for + slack >= limit
        if not needed.all():
            self.buffer = self.buffer.filter(pa.array(needed))

    def snapshot(self) -> bytes:
        """The buffer, as columns, and how far matches were emitted."""
        held = {} if self.buffer is None else {"events": self.buffer}
        return write_snapshot(self.label, held, {"settled": self.settled})

    def restore(self, data: bytes) -> None:
        """Take the buffer back."""
        tables, numbers = read_snapshot(data, self.label)
        self.buffer, self.settled = tables.get("events"), numbers["settled"]
