"""Timing predicates: each is a band on Y - X, the right time minus the left time."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Literal

from whenabouts.errors import BadArgument
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration, duration


@dataclass(frozen=True, slots=True)
class Timing:
    """A timing predicate on a pair (x, y); made by `within`, `deadline` and `delay`."""

    kind: Literal["within", "deadline", "delay"]
    length: Duration

    def band(self, clock: Clock) -> tuple[float, float]:
        """The band [low, high] in which Y - X satisfies the predicate, in the clock's ticks."""
        d = clock.ticks(self.length, f"{self.kind}(...)")
        if self.kind == "within":
            return -d, d
        return (-math.inf, d) if self.kind == "deadline" else (d, math.inf)

    def __str__(self) -> str:
        if self.kind == "within":
            return f"|X - Y| <= {self.length}"
        sign = "-" if self.length.amount < 0 else "+"
        size = Duration(abs(self.length.amount), self.length.plain)
        return f"X {sign} {size} {'>=' if self.kind == 'deadline' else '<='} Y"


def within(d: str | dt.timedelta | int | float | Duration) -> Timing:
    """|X - Y| <= d: the two happened within d of each other (the papers' mutual deadline)."""
    length = duration(d, "within(...)")
    if length.amount < 0:
        raise BadArgument(f"within({length}) can hold for no pair: give a length of zero or more.")
    return Timing("within", length)


def deadline(d: str | dt.timedelta | int | float | Duration) -> Timing:
    """X + d >= Y: the right event happened no later than d after the left one, or before it.

    There is no lower end: every right event that is early enough is a partner.
    """
    return Timing("deadline", duration(d, "deadline(...)"))


def delay(d: str | dt.timedelta | int | float | Duration) -> Timing:
    """X + d <= Y: the right event happened at least d after the left one, with no upper end."""
    return Timing("delay", duration(d, "delay(...)"))
