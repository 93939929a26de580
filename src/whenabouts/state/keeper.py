"""A keeper leads one group through its turns: sets late rows aside, moves the clocks, and carries the snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from whenabouts.state.machine import MOMENT, OWNED, Machine
from whenabouts.state.snapshot import Label, read_snapshot, write_snapshot
from whenabouts.state.watermark import Patience, Watermarks

RESULT = "result"
LATE = "late"


class Emission(NamedTuple):
    """Rows that leave a turn: results, or late rows of an input."""

    kind: str
    input: int
    rows: pa.Table


class Keeper:
    """A machine with its watermarks.

    Whether a row is late is judged by the watermark before its turn: within a turn there is no order of arrival. The
    machine forgot its state by that same watermark, so a row that is not late finds all its partners.
    """

    def __init__(self, machine: Machine, patience: Sequence[Patience], names: Sequence[str]) -> None:
        self.machine = machine
        self.watermarks = Watermarks(patience)
        self.names = tuple(names)
        self.counts: dict[str, float] = {}

    def turn(self, inputs: Sequence[pa.Table], clocks: Sequence[float]) -> Iterator[Emission]:
        """One micro-batch: new rows of every input, and the largest moment of each in the whole of the batch."""
        limits = self.watermarks.current()
        timely = []
        for number, (rows, limit) in enumerate(zip(inputs, limits, strict=True)):
            late = rows.column(MOMENT).to_numpy() < limit
            owned = rows.column(OWNED).to_numpy()
            self.counts[f"{self.names[number]}_rows"] = float(np.count_nonzero(owned))
            self.counts[f"{self.names[number]}_late"] = float(np.count_nonzero(owned & late))
            if late.any():
                yield Emission(LATE, number, rows.filter(pa.array(late & owned)))
                rows = rows.filter(pa.array(~late))
            timely.append(rows)
        yield from self._results(self.machine.on_batch(timely))
        self.watermarks.advance(clocks)
        yield from self._results(self.machine.on_watermark(self.watermarks.current()))
        self.counts |= self.machine.counts

    def _results(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Emission]:
        for batch in batches:
            self.counts["emitted"] = self.counts.get("emitted", 0.0) + len(batch)
            yield Emission(RESULT, -1, pa.Table.from_batches([batch]))

    def snapshot(self) -> bytes:
        """The clocks and the machine's own snapshot."""
        clocks = dict(zip(self.names, self.watermarks.clocks, strict=True))
        head = write_snapshot(self._label, {}, clocks)
        return len(head).to_bytes(4, "little") + head + self.machine.snapshot()

    def restore(self, data: bytes) -> None:
        """Go on from a snapshot."""
        end = 4 + int.from_bytes(data[:4], "little")
        _, clocks = read_snapshot(data[4:end], self._label)
        self.watermarks.advance([clocks[name] for name in self.names])
        self.machine.restore(data[end:])

    @property
    def _label(self) -> Label:
        return Label("keeper", 1, {"inputs": ", ".join(self.names)})
