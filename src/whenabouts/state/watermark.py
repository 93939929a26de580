"""Watermarks under uncertain time: how late a row may still come, input by input.

A row's moment is the latest time that it can have happened. A row of input k arrives at the latest `delay` after its
moment (D, paper 000, definition 6). So once a row with moment m was seen it is at least m o'clock, and no row with a
moment before

    watermark = m - delay

can come any more (theorem 4's argument). The largest m so far is the input's clock. An input that is silent does not
move its clock; with `idle_after` it is taken to be no further behind the others than that, so that a sensor that fell
asleep does not make the others' state grow for ever.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How long an input is waited for, in ticks."""

    delay: float
    idle_after: float = math.inf


class Watermarks:
    """The clocks of all inputs. They only ever move forward, so the order of arrivals within a turn does not matter."""

    def __init__(self, patience: Sequence[Patience]) -> None:
        self.patience = tuple(patience)
        self.clocks = [-math.inf] * len(self.patience)

    def advance(self, clocks: Sequence[float]) -> None:
        """Take in the largest moments that were seen."""
        self.clocks = [max(old, new) for old, new in zip(self.clocks, clocks, strict=True)]

    def current(self) -> tuple[float, ...]:
        """The watermark of every input: a row with a moment before it is late."""
        furthest = max(self.clocks, default=-math.inf)
        return tuple(
            max(clock, furthest - one.idle_after) - one.delay
            for clock, one in zip(self.clocks, self.patience, strict=True)
        )
