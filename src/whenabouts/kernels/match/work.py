"""What a search for matches works with: the question, room for what is found, and room to work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats, Ints

SLACK = 1e-12
"""A confidence that equals the threshold counts: comparisons grant this much."""


class Question(NamedTuple):
    """What is asked: the window in the events' unit, whether time is counted in ticks, the strategy, a threshold.

    `incremental` says whether upper bounds are revised at every step, or in one go when a match is complete.
    """

    window: float
    discrete: bool
    next_only: bool
    threshold: float
    incremental: bool = True


class Found(NamedTuple):
    """Room for matches: their events in pattern order, time ranges and confidences."""

    events: NDArray[np.int64]
    earliest: Floats
    latest: Floats
    confidence: Floats


class Work(NamedTuple):
    """Room that a search works in: a row for each depth, and the current match by component."""

    place: Ints
    end: Ints
    high: Floats
    hint: Ints
    at: Ints
    bound: Ints
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    match: Ints
    counts: Ints
    kept: Ints


PARTIAL, PRUNED, EMITTED, COMPUTED = 0, 1, 2, 3
"""What `Work.counts` counts: partial matches made, those dropped, matches emitted, confidences computed."""


def make_found(room: int, length: int) -> Found:
    """Room for so many matches."""
    return Found(np.empty((room, length), dtype=np.int64), np.empty(room), np.empty(room), np.empty(room))


def part_of(found: Found, begin: int, end: int) -> Found:
    """Some of the matches alone."""
    return Found(
        found.events[begin:end], found.earliest[begin:end], found.latest[begin:end], found.confidence[begin:end]
    )


def make_work(components: int, length: int) -> Work:
    """Room to search for a pattern of so many components, `length` of them present."""
    return Work(
        np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.int64), np.zeros(length),
        np.zeros(components, dtype=np.int64), np.zeros(components, dtype=np.int64),
        np.zeros(length + 1, dtype=np.int64), np.zeros((length, length)), np.zeros((length, length)),
        np.zeros(length, dtype=np.int64), np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64),
    )  # fmt: skip
