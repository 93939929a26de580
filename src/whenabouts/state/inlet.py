"""Where rows of a stream come in: which are set aside, what their moment is, and to which groups they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.clock import Clock
from whenabouts.schema import Contract, Refusals, Times, check_ids, read_times
from whenabouts.state.route import Copies, Route

MALFORMED = "malformed"
TOO_WIDE = "too wide"


class Arrivals(NamedTuple):
    """What an inlet made of some rows.

    `code` is 0 where a row goes on, else `code - 1` is its entry in `refusals`, pairs of a disposition and a reason.
    `moment` is the latest time of every row in ticks.
    """

    code: Ints
    refusals: list[tuple[str, str]]
    moment: Floats
    copies: Copies


class Inlet(Protocol):
    """One input's way in. It is sent to the workers, so it must be a plain value."""

    def take(self, rows: pa.Table) -> Arrivals:
        """Look at some rows: any part of the stream, in any order."""


@dataclass(frozen=True)
class TimedInlet:
    """Rows with an uncertain time: they must keep their contract, and be no wider than declared."""

    name: str
    contract: Contract
    clock: Clock
    max_width: float
    route: Route
    stop_at_bad_rows: bool = False
    width_text: str = ""

    def take(self, rows: pa.Table) -> Arrivals:
        """Read the times once, with the same reading that every operator has."""
        times = read_times(rows, self.contract.time, self.clock)
        check_ids(rows, self.contract, times.problems)
        if self.stop_at_bad_rows:
            refused = Refusals(self.contract, f"the {self.name} events")
            refused.add(rows, times.problems)
            refused.raise_if_any()
        malformed = len(times.problems.reasons)
        width = times.hi - times.lo
        times.problems.add(width > self.max_width * (1 + 1e-12), f"its time is wider than max_width={self.width_text}")
        refusals = [(MALFORMED, reason) for reason in times.problems.reasons[1:malformed]]
        refusals += [(TOO_WIDE, reason) for reason in times.problems.reasons[malformed:]]
        earliest, latest = ends(times)
        good = np.flatnonzero(times.problems.good)
        copies = self.route.copies(rows, good, earliest[good], latest[good])
        return Arrivals(times.problems.code, refusals, latest, copies)


def ends(times: Times) -> tuple[Floats, Floats]:
    """The earliest and the latest time of every row, in ticks of its clock."""
    anchor = times.anchor.astype(np.float64)
    return anchor + times.lo, anchor + times.hi
