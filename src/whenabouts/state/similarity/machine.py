"""The similarity join as a state machine: the windows of all streams, and the pairs that stand, where they are asked
for.

New objects meet the windows and each other; a pair enters in the turn in which its later object comes in. An object
is kept until no arrival can share a window with it: every arrival has a place of at least the watermark W, so an
object at place p is obsolete when p + w <= W. For a changelog the pairs that entered are kept too, until they expire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.state.machine import MOMENT, OWNED, SLICE
from whenabouts.state.snapshot import Label, appended, read_snapshot, write_snapshot

VERSION = 1
_ENDS = "__ends"
_STANDING = "standing"

Bits = NDArray[np.int64]
Correlate = Callable[[Sequence[pa.Table], Sequence[Bits], dict[str, float]], Iterator[pa.RecordBatch]]
"""The pairs of some tables whose rows together have both bits: one of them new, and one of them owned."""


class SimilarityMachine:
    """A window of rows for each stream; and with `changes` the standing pairs, each with the place at which it ends."""

    def __init__(
        self,
        settings: dict[str, str],
        columns: Sequence[Sequence[str]],
        window: float,
        correlate: Correlate,
        ends: Callable[[pa.RecordBatch], NDArray[np.float64]] | None = None,
    ) -> None:
        self.label = Label("similarity join", VERSION, settings)
        self.columns = [[*dict.fromkeys((*names, MOMENT, OWNED, SLICE))] for names in columns]
        self.window = window
        self.correlate = correlate
        self.ends = ends
        self.windows: list[pa.Table | None] = [None] * len(columns)
        self.standing: pa.Table | None = None
        self.counts: dict[str, float] = {}

    def on_batch(self, inputs: Sequence[pa.Table]) -> Iterator[pa.RecordBatch]:
        """Join the new rows with the windows and with each other, then let them in."""
        bits = []
        for number, rows in enumerate(inputs):
            held = self.windows[number]
            old = 0 if held is None else len(held)
            own = rows.select(self.columns[number])
            self.windows[number] = appended(held, own)
            owned = self.windows[number].column(OWNED).to_numpy()  # type: ignore[union-attr]
            bits.append(2 * (np.arange(len(owned)) >= old).astype(np.int64) + owned)
        tables = [table for table in self.windows if table is not None]
        if not any(map(len, inputs)):
            return
        for batch in self.correlate(tables, bits, self.counts):
            yield batch if self.ends is None else self._entered(batch)

    def _entered(self, pairs: pa.RecordBatch) -> pa.RecordBatch:
        """Remember pairs until they expire, and say that they enter."""
        assert self.ends is not None
        table = pa.Table.from_batches([pairs])
        kept = table.append_column(_ENDS, pa.array(self.ends(pairs)))
        self.standing = kept if self.standing is None else pa.concat_tables([self.standing, kept])
        return _change(table, "enters")

    def on_watermark(self, watermarks: Sequence[float]) -> Iterator[pa.RecordBatch]:
        """Forget the objects that no arrival can meet, and say which pairs have expired."""
        for number, rows in enumerate(self.windows):
            if rows is None:
                continue
            others = [mark for other, mark in enumerate(watermarks) if other != number] or list(watermarks)
            needed = rows.column(MOMENT).to_numpy() + self.window > min(others)
            self.windows[number] = rows.filter(pa.array(needed))
        self.counts["buffered"] = float(sum(len(rows) for rows in self.windows if rows is not None))
        if self.standing is None:
            return
        gone = self.standing.column(_ENDS).to_numpy() <= min(watermarks)
        expired = self.standing.filter(pa.array(gone)).drop_columns([_ENDS])
        self.standing = self.standing.filter(pa.array(~gone))
        self.counts["standing"] = float(len(self.standing))
        if len(expired):
            yield _change(expired, "expires")

    def snapshot(self) -> bytes:
        """The windows and the standing pairs, as columns."""
        held = {f"window {number}": rows for number, rows in enumerate(self.windows) if rows is not None}
        if self.standing is not None:
            held[_STANDING] = self.standing
        return write_snapshot(self.label, held)

    def restore(self, data: bytes) -> None:
        """Take them back."""
        tables, _ = read_snapshot(data, self.label)
        self.windows = [tables.get(f"window {number}") for number in range(len(self.windows))]
        self.standing = tables.get(_STANDING)


def _change(pairs: pa.Table, change: str) -> pa.RecordBatch:
    """Pairs as rows of a changelog."""
    names = [name for name in pairs.column_names if name not in ("enters", "expires")]
    columns = {"change": pa.array([change] * len(pairs), pa.string()), "at": pairs.column(change).combine_chunks()}
    columns |= {name: pairs.column(name).combine_chunks() for name in names}
    return pa.RecordBatch.from_pydict(columns)


def ends_of(scale: pa.DataType) -> Callable[[pa.RecordBatch], NDArray[np.float64]]:
    """How to read the place at which pairs expire as ticks, from a column of the given type."""

    def ends(pairs: pa.RecordBatch) -> NDArray[np.float64]:
        column = pairs.column("expires")
        ticks = column if pa.types.is_floating(scale) else pc.cast(column, pa.int64())
        return ticks.to_numpy(zero_copy_only=False).astype(np.float64)

    return ends
