"""The join, with whenabouts."""

from __future__ import annotations

from typing import TypeVar

import whenabouts as wa
from benchmarks.machine import THREADS
from benchmarks.peers import Question

Frame = TypeVar("Frame")


def timing_join(question: Question, left: Frame, right: Frame, **options: object) -> Frame:
    """Join two frames of interval events: Arrow tables in this process, Spark DataFrames on Spark."""
    left_events, right_events = (wa.events(side, id="id", time=wa.between("lo", "hi")) for side in (left, right))
    return wa.timing_join(
        left_events,
        right_events,
        wa.within(question.window),
        min_confidence=question.threshold,
        threads=THREADS,
        **options,
    )
