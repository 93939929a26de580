"""Each key as a run of phases: stretches of its time in which the same lost events are yet to happen."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.sequences import Sequences

UNIFORM, BEFORE_FIRST, AFTER_LAST = 0, 1, 2
"""Kinds of gaps: between two known times; before the first and after the last one, with no bound."""


class Phases(NamedTuple):
    """Key k goes through the phases `start[k]:start[k + 1]`, one after the other.

    A phase lasts until `end`; then an event is `recorded`, or not. In it `lost` events happen, of which the first
    `hidden` are not of the sequence, and the `seen` after them are. The last phase of a key has nothing and never ends.
    """

    start: Ints
    end: Floats
    lost: Ints
    hidden: Ints
    seen: Ints
    kind: Ints
    recorded: Ints
    rate: Floats
    events: Ints


@jit
def reach(lost: int) -> float:
    """Expected events of a Poisson process within which the `lost` nearest ones lie, but for a chance of 1e-13."""
    return lost + 7.0 * math.sqrt(lost) + 24.0


@jit
def _most(mean: float) -> int:
    """More events than a Poisson process has where `mean` are expected, but for a chance of 1e-13."""
    return int(mean + 7.0 * math.sqrt(mean) + 12.0)


@jit
def _fill(
    sequences: Sequences, start: Ints, end: Floats, lost: Ints, hidden: Ints, seen: Ints, kind: Ints, recorded: Ints
) -> int:  # fmt: skip
    """Write the phases of all keys, at most two for each event and three more for each key; how many there are."""
    at = 0
    for key in range(len(sequences.lo)):
        start[key] = at
        waiting = 0
        known = False
        for place in range(sequences.start[key], sequences.start[key + 1]):
            time = sequences.time[place]
            if math.isnan(time):
                waiting += 1
                continue
            if waiting > 0 and not known:
                begin = sequences.lo[key]
                if begin == -np.inf:
                    begin = time - reach(waiting) / sequences.rate[key]
                end[at] = begin
                at += 1
            end[at] = time
            lost[at] = waiting
            seen[at] = waiting
            recorded[at] = 1
            if waiting > 0 and not known and sequences.lo[key] == -np.inf:
                kind[at] = BEFORE_FIRST
                lost[at] = max(waiting, _most(reach(waiting)))
                hidden[at] = lost[at] - waiting
            at += 1
            waiting = 0
            known = True
        if waiting > 0:
            if not known:
                end[at] = sequences.lo[key]
                at += 1
            end[at] = sequences.hi[key]
            lost[at] = waiting
            seen[at] = waiting
            if not known:
                lost[at] = sequences.ahead[key] + waiting + sequences.behind[key]
                hidden[at] = sequences.ahead[key]
            if sequences.hi[key] == np.inf:
                kind[at] = AFTER_LAST
                end[at] = end[at - 1] + reach(waiting) / sequences.rate[key]
            at += 1
        end[at] = np.inf
        at += 1
    start[len(sequences.lo)] = at
    return at


def phases_of(sequences: Sequences) -> Phases:
    """The phases of all keys."""
    keys, room = len(sequences.lo), len(sequences.time) + 3 * len(sequences.lo)
    start = np.zeros(keys + 1, dtype=np.int64)
    end = np.zeros(room)
    lost, hidden, seen, kind, recorded = (np.zeros(room, dtype=np.int64) for _ in range(5))
    used = _fill(sequences, start, end, lost, hidden, seen, kind, recorded)
    return Phases(
        start, end[:used], lost[:used], hidden[:used], seen[:used], kind[:used], recorded[:used], sequences.rate,
        np.diff(sequences.start),
    )  # fmt: skip
