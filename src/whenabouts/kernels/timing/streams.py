"""What the papers' algorithms work on: two streams as they arrive, a condition, and a growing result.

Every algorithm keeps a buffer a side and forgets an event when no future arrival could still join it: with
`oldest` the least latest time that a later arrival may have, everything before `oldest + reach` is obsolete,
where `reach` is the least distance of LH from an event's latest time (paper 001's LH of e_inv; paper 000,
theorem 4). All of them emit the same pairs; they differ in what they look at, and that is what they count.

Arrivals are given by `order`, row i of the left side as i and row j of the right side as ~j, and by `now`, the
time of each: the latest time of whatever arrives later is at least `now - delay`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.probability import probability
from whenabouts.kernels.timing.bounds import Bounds
from whenabouts.kernels.timing.probing import Table


class Condition(NamedTuple):
    """What is asked of a pair; a side that is the base sees the other one through its own bounds."""

    low: float
    high: float
    confidence: float
    measure: bool


class Stream(NamedTuple):
    """One side as it arrives: its events, their groups of equal keys, and what is written for each.

    Then its bounds over the other side, its view of the table of satisfaction shifts, which may be empty, its reach
    and its longest delay; and whether all events of both sides are `alone` in one group.
    """

    events: Events
    group: Ints
    key: Ints
    bounds: Bounds
    table: Table
    reach: float
    delay: float
    alone: bool


class Effort(NamedTuple):
    """What an algorithm did; `buffered` is a sum over arrivals."""

    candidates: int
    sure: int
    probed: int
    computed: int
    hits: int
    buffered: int
    longest: int


class Pairs(NamedTuple):
    """The result: rows of the left side, rows of the right side, confidences."""

    left: Ints
    right: Ints
    confidence: Floats


@jit
def with_room(out: Pairs, used: int, extra: int) -> Pairs:
    """The same buffers, or larger ones where `extra` more pairs would not fit."""
    if used + extra <= len(out.left):
        return out
    size = max(used + extra, 2 * len(out.left))
    left = np.empty(size, np.int64)
    right = np.empty(size, np.int64)
    kept = min(used, len(out.confidence))
    confidence = np.empty(size if len(out.confidence) else 0)
    left[:used] = out.left[:used]
    right[:used] = out.right[:used]
    confidence[:kept] = out.confidence[:kept]
    return Pairs(left, right, confidence)


@jit
def write(out: Pairs, n: int, from_left: bool, base: int, target: int, p: float) -> None:
    out.left[n] = base if from_left else target
    out.right[n] = target if from_left else base
    if len(out.confidence):
        out.confidence[n] = p


@jit
def pair_probability(base: Events, b: int, target: Events, t: int, from_left: bool, ask: Condition) -> float:
    if from_left:
        return probability(base, b, target, t, ask.low, ask.high)
    return probability(target, t, base, b, ask.low, ask.high)
