"""The way in of a pattern's events: all of them move the clock, those that fit some component go on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from whenabouts.state.inlet import Arrivals, TimedInlet
from whenabouts.state.route import Copies


@dataclass(frozen=True)
class FittingInlet:
    """Rows that fit no component are not looked at, but that time passes is seen from them too.

    `fits` names the column with the components that a row fits.
    """

    timed: TimedInlet
    fits: str

    def take(self, rows: pa.Table) -> Arrivals:
        """Let the rows that fit through the door."""
        fitting = rows.column(self.fits).to_numpy() != 0
        if self.timed.stop_at_bad_rows:
            self.timed.take(rows.filter(pa.array(fitting)))
        taken = replace(self.timed, stop_at_bad_rows=False).take(rows)
        code = np.where(fitting, taken.code, 0)
        moment = np.where(~fitting & (taken.code != 0), -np.inf, taken.moment)
        chosen = fitting[taken.copies.row]
        return Arrivals(code, taken.refusals, moment, Copies(*(column[chosen] for column in taken.copies)))
