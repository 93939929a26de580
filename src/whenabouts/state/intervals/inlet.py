"""How point events come in: their moments, and the blocks of keys that they go to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.clock import Clock
from whenabouts.schema import Problems, Refusals, SegmentContract, Times, read_times, without_time
from whenabouts.schema.arrow import nulls
from whenabouts.state.inlet import MALFORMED, TOO_WIDE, Arrivals, ends
from whenabouts.state.route import BUCKET, Copies


@dataclass(frozen=True)
class ByBlocks:
    """A left and a right block of keys meet in one group: a row goes to the groups of all blocks of the other side."""

    side: int
    left_blocks: int
    right_blocks: int

    def copies(self, rows: pa.Table, at: Ints, earliest: Floats, latest: Floats) -> Copies:
        """Every row once for each block of the other side; the first of them owns it."""
        bucket = rows.column(BUCKET).to_numpy()[at]
        others = self.right_blocks if self.side == 0 else self.left_blocks
        other = np.tile(np.arange(others), len(at))
        own = np.repeat(bucket % (self.left_blocks if self.side == 0 else self.right_blocks), others)
        group = own * self.right_blocks + other if self.side == 0 else other * self.right_blocks + own
        return Copies(np.repeat(at, others), group, other == 0, np.zeros(len(other), dtype=np.int64))


@dataclass(frozen=True)
class SegmentInlet:
    """Rows of one side. What is wrong with a whole key shows when it is closed; here a row is looked at by itself."""

    name: str
    contract: SegmentContract
    clock: Clock
    route: ByBlocks
    stop_at_bad_rows: bool = False
    max_width: float = 0.0
    width_text: str = ""

    def take(self, rows: pa.Table) -> Arrivals:
        """Read the times as every operator does; a row without one tells nothing that a gap does not tell."""
        if self.stop_at_bad_rows:
            self._stop(rows.filter(pa.array(~without_time(rows, self.contract.time))))
        times, problems = self._read(rows)
        malformed = len(problems.reasons)
        width = times.hi - times.lo
        problems.add(width > self.max_width * (1 + 1e-12), f"its time is wider than max_width={self.width_text}")
        refusals = [(MALFORMED, reason) for reason in problems.reasons[1:malformed]]
        refusals += [(TOO_WIDE, reason) for reason in problems.reasons[malformed:]]
        earliest, latest = ends(times)
        good = np.flatnonzero(problems.good)
        copies = self.route.copies(rows, good, earliest[good], latest[good])
        return Arrivals(problems.code, refusals, latest, copies)

    def _read(self, rows: pa.Table) -> tuple[Times, Problems]:
        times = read_times(rows, self.contract.time, self.clock)
        for name in (self.contract.key, self.contract.seq):
            times.problems.add(nulls(rows.column(name).combine_chunks()), f"{name!r} is null")
        return times, times.problems

    def _stop(self, rows: pa.Table) -> None:
        """Raise for rows that are bad by themselves; that an event was lost is no fault of its row."""
        refused = Refusals(self.contract, f"the {self.name} segments", "segments")
        refused.add(rows, self._read(rows)[1])
        refused.raise_if_any()
