"""A block of new rows against what was there before: the timing join of a turn of a stream."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats
from whenabouts.ops.timing.join import execute
from whenabouts.ops.timing.prepare import prepare
from whenabouts.ops.timing.question import TimingJoin

_COUNTED = ("candidates", "surely_yes", "probed", "computed", "lookup_hits")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class BlockJoin:
    """Finds the pairs of two tables of which at least one row is new.

    `moment` names the column with a row's latest time in ticks, which both sides have.
    """

    join: TimingJoin
    moment: str

    def __call__(
        self, left: pa.Table, right: pa.Table, new: tuple[Mask, Mask], counts: dict[str, float]
    ) -> Iterator[pa.RecordBatch]:
        """The new pairs; counts what had to be done, and how long answers took since the later event."""
        prepared = prepare(self._inner, left, right, new)
        latest = max(float(np.max(side.column(self.moment).to_numpy(), initial=-np.inf)) for side in (left, right))
        waited = 0.0
        for batch in execute(prepared, reuse=True):
            pairs, moments = self._without_moments(batch)
            waited += len(pairs) * self._now(latest) - float(np.maximum(*moments).sum())
            yield pairs
        for name in _COUNTED:
            counts[name] = counts.get(name, 0.0) + prepared.counts.get(name, 0)
        looked_up = prepared.counts.get("probed", 0) - prepared.counts.get("computed", 0)
        counts["lookup_hits"] = max(counts["lookup_hits"], float(looked_up))
        counts["response_total"] = counts.get("response_total", 0.0) + waited * self._seconds

    @property
    def _inner(self) -> TimingJoin:
        """The join that also carries moments; rows were checked when they came in."""
        left, right = (
            replace(side, quarantine=True, carry=(*side.carry, self.moment))
            for side in (self.join.left, self.join.right)
        )
        return replace(self.join, left=left, right=right)

    def _without_moments(self, batch: pa.RecordBatch) -> tuple[pa.RecordBatch, tuple[Floats, Floats]]:
        names = f"left_{self.moment}", f"right_{self.moment}"
        moments = batch.column(names[0]).to_numpy(), batch.column(names[1]).to_numpy()
        return batch.select([name for name in batch.schema.names if name not in names]), moments

    def _now(self, latest: float) -> float:
        """The time in ticks: of the wall for instants, else the latest that the rows know of."""
        return time.time_ns() / self.join.clock.tick if self.join.clock.kind == "instant" else latest

    @property
    def _seconds(self) -> float:
        return 1.0 if self.join.clock.kind == "number" else self.join.clock.tick / 1e9
