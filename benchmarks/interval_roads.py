"""Congestions of motorway sectors, generated to be like the Linear Road data of paper 004 (section 4.1).

That data is not at hand; what the paper tells of it is. Of 200 sectors over two hours 138 are never slower than 20
km/h and 169 never slower than 15, the busiest have 224 and 102 congestions, and table 2 says how many pairs share k of
them. Its shares can only be those of pairs of sectors that are ever congested: of all 19,900 pairs less than a tenth
are. Here the speed of a sector wavers about a mean of its own, near the threshold or far above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

import whenabouts as wa
from whenabouts.testing import lose

SECTORS = 200
THRESHOLDS = (15, 20)
PAPER_NEVER = {15: 169, 20: 138}
PAPER_MOST = {15: 102, 20: 224}
PAPER_SHARES = {
    15: (39.5, 26.0, 22.1, 18.4, 15.6, 14.0, 11.3, 10.6, 8.7, 6.9, 5.9, 5.5),
    20: (30.1, 24.5, 22.1, 20.6, 19.2, 18.1, 17.7, 17.1, 16.7, 16.0, 15.8, 15.6),
}
"""Table 2: the percentage of pairs that share at least 1 to 12 congestions."""
_EVERY, _MEMORY, _HOURS = 8.0, 5.0, 2.0
_SLOWEST, _SLOW, _FREE, _WAVERS = 19.0, 44.0, 70.0, 5.5


def speeds(sectors: int = SECTORS, seed: int = 0) -> pa.Table:
    """A mean speed every eight seconds: `sector`, `time` in seconds, `speed` in km/h. Half of the sectors are free."""
    rng = np.random.default_rng(seed)
    steps = int(3600 * _HOURS / _EVERY)
    memory = np.exp(-_EVERY / _MEMORY)
    noise = rng.normal(size=(sectors, steps))
    noise[:, 1:] *= np.sqrt(1 - memory**2)
    for step in range(1, steps):
        noise[:, step] += memory * noise[:, step - 1]
    mean = np.where(rng.random(sectors) < 0.5, _FREE, _SLOWEST + (_SLOW - _SLOWEST) * np.sqrt(rng.random(sectors)))
    return pa.table(
        {
            "sector": np.repeat(np.arange(sectors), steps),
            "time": np.tile(_EVERY * np.arange(steps), sectors),
            "speed": (mean[:, None] + _WAVERS * noise).ravel(),
        }
    )


@dataclass(frozen=True)
class Road:
    """The congestions below a threshold, and what of all pairs of sectors is asked and answered."""

    threshold: int
    sectors: int = SECTORS

    @cached_property
    def whole(self) -> wa.Segments:
        return wa.congestions(speeds(self.sectors), key="sector", time="time", value="speed", below=self.threshold)

    @cached_property
    def congestions(self) -> np.ndarray:
        """How many each sector has that has any."""
        sector = self.whole.data.column("sector").to_numpy()
        return np.unique(sector, return_counts=True)[1] // 2

    def shares(self, k: int, loss: float = 0.0, method: str = "lattice") -> np.ndarray:
        """The confidence, for every pair of congested sectors, that k congestions intersect one of the other."""
        events = lose(self.whole.data, loss, key="sector", seed=9)
        some = wa.segments(events, key="sector", seq="seq", time="time", role="role")
        query = f"AT LEAST {k} a INTERSECTS SOME b"
        return wa.interval_query(some, some, query, pairs="unordered", method=method).column("confidence").to_numpy()
