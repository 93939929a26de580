"""What the kernels are asked: two sides of uncertain objects, and a question about their pairs."""

from __future__ import annotations

from typing import NamedTuple

from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.similarity.clouds import Clouds

OWNED = 3
"""Of the two bits of `owned` either object of a pair may bring one; a pair is given out where both bits are there."""


class Objects(NamedTuple):
    """One side: clouds, places in the sequence or in time, equality groups, order for a self-join, uncertain times."""

    clouds: Clouds
    place: Floats
    group: Ints
    rank: Ints
    owned: Ints
    times: Events


class Question(NamedTuple):
    """Which pairs are wanted.

    `limit` is the measure up to which samples are close, `reach` the distance itself; `slack` is more than rounding can
    move a centre. Places must differ by less than `window`. With `timed` the times must differ by at most `within`.
    `measure` says that confidences are wanted, `within_itself` that both sides are the same and a pair is wanted
    once, the earlier object first.
    """

    limit: float
    reach: float
    slack: float
    level: float
    window: float
    timed: bool
    within: float
    measure: bool
    within_itself: bool


class Found(NamedTuple):
    """Room for pairs: positions on either side, and confidences."""

    left: Ints
    right: Ints
    confidence: Floats
