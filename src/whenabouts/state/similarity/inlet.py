"""Where uncertain objects of a stream come in: their clouds are checked, and their place is their moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.model.times import TimeModel
from whenabouts.schema import Refusals, read_times
from whenabouts.schema.objects import ObjectContract, read_objects
from whenabouts.state.inlet import MALFORMED, Arrivals, ends
from whenabouts.state.route import Route


@dataclass(frozen=True)
class ObjectInlet:
    """Objects with a place in a sequence or in time: they must keep their contract."""

    name: str
    contract: ObjectContract
    place: TimeModel
    clock: Clock
    route: Route
    stop_at_bad_rows: bool = False

    def take(self, rows: pa.Table) -> Arrivals:
        """Check the rows with the same reading that the join has, and send each to where its window lies."""
        problems = read_objects(rows, self.contract)[2]
        times = read_times(rows, self.place, self.clock)
        for code, reason in enumerate(times.problems.reasons[1:], start=1):
            problems.add(times.problems.code == code, reason)
        if self.stop_at_bad_rows:
            refused = Refusals(self.contract, f"the {self.name} objects", "objects")
            refused.add(rows, problems)
            refused.raise_if_any()
        moment = ends(times)[1]
        good = np.flatnonzero(problems.good)
        copies = self.route.copies(rows, good, moment[good], moment[good])
        return Arrivals(problems.code, [(MALFORMED, reason) for reason in problems.reasons[1:]], moment, copies)
