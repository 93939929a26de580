"""Clocks: what the numbers of a time column mean, and which of them may meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from whenabouts.errors import MixedUnits
from whenabouts.model.duration import Duration

_UNIT_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


@dataclass(frozen=True, slots=True)
class Clock:
    """How a time column counts.

    `number` are plain numbers, integers or floats; `instant` are timestamps with a zone (one moment on
    Earth, whatever zone they are shown in); `local` are timestamps without one. A tick is the column's own
    unit, so that integers stay exact.
    """

    kind: Literal["number", "instant", "local"]
    tick: int = 1
    exact: bool = True

    def ticks(self, length: Duration, role: str) -> float:
        """A duration in this clock's ticks."""
        if self.kind == "number" and not length.plain:
            raise MixedUnits(
                f"{role} is {length}, but the times are plain numbers. Write it as a number of the same unit."
            )
        if self.kind != "number" and length.plain:
            raise MixedUnits(
                f"{role} is the number {length}, but the times are timestamps. Write it as '{length}s' or a timedelta."
            )
        return float(length.amount if self.kind == "number" else length.amount / self.tick)

    def fine_enough(self, *lengths: Duration) -> Clock:
        """A clock that counts lengths in halves of a tick: itself, or else one of milliseconds or microseconds.

        A margin that is a small part of a tick would be rounded away beside the years that doubles have to count.
        """
        if self.kind == "number":
            return self
        finer = [tick for tick in (self.tick, 10**6, 10**3) if tick <= self.tick]
        whole = (tick for tick in finer if all(2 * length.amount % tick == 0 for length in lengths))
        return replace(self, tick=next(whole, finer[-1]))

    def meet(self, other: Clock) -> Clock:
        """The clock on which times of both can be compared: the finer of the two."""
        if self.kind != other.kind:
            raise MixedUnits(
                f"Times of one side are {_SAY[self.kind]}, of the other {_SAY[other.kind]}. "
                "Bring both to the same kind before wa.events: cast numbers to timestamps, "
                "or give zoneless timestamps a zone."
            )
        return Clock(self.kind, min(self.tick, other.tick), self.exact and other.exact)


_SAY = {
    "number": "plain numbers",
    "instant": "timestamps with a time zone",
    "local": "timestamps without a time zone",
}


def timestamp_clock(unit: str, zone: str | None) -> Clock:
    """The clock of an Arrow timestamp type."""
    return Clock("instant" if zone else "local", _UNIT_NANOSECONDS[unit])
