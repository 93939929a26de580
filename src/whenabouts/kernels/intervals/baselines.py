"""The two baselines of section 4.2: a certain sequence in place of one with lost events."""

from __future__ import annotations

import math

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.sequences import Sequences


@jit
def _keep_alternating(sequences: Sequences, start: Ints, time: Floats) -> int:
    """Write the recorded events of each key, without those that repeat the role of the one before."""
    used = 0
    for key in range(len(sequences.lo)):
        start[key] = used
        first = sequences.start[key]
        for place in range(first, sequences.start[key + 1]):
            moment = sequences.time[place]
            if not math.isnan(moment) and (place - first) % 2 == (used - start[key]) % 2:
                time[used] = moment
                used += 1
        used -= (used - start[key]) % 2
    start[len(sequences.lo)] = used
    return used


def ignoring(sequences: Sequences) -> Sequences:
    """BaselineIgnore: lost events are forgotten, and events that then lack their counterpart too."""
    start, time = np.zeros_like(sequences.start), np.zeros_like(sequences.time)
    used = _keep_alternating(sequences, start, time)
    return sequences._replace(start=start, time=time[:used])


@jit
def _fill_in(sequences: Sequences, start: Ints, time: Floats) -> int:
    """Write the segments of which at least one end was recorded, the other being put at the mean distance."""
    used = 0
    for key in range(len(sequences.lo)):
        start[key] = used
        first, end = sequences.start[key], sequences.start[key + 1]
        total, seen = 0.0, 0
        for place in range(first, end, 2):
            length = sequences.time[place + 1] - sequences.time[place]
            if not math.isnan(length):
                total += length
                seen += 1
        mean = total / seen if seen > 0 else np.inf
        before = -np.inf
        for place in range(first, end, 2):
            begins, ends = sequences.time[place], sequences.time[place + 1]
            if math.isnan(begins) and math.isnan(ends):
                continue
            if math.isnan(ends):
                after = np.inf
                for later in range(place + 2, end):
                    if not math.isnan(sequences.time[later]):
                        after = sequences.time[later]
                        break
                ends = min(begins + mean, after)
            if math.isnan(begins):
                begins = max(ends - mean, before)
            if math.isinf(begins) or math.isinf(ends):
                continue
            time[used], time[used + 1] = max(begins, before), max(ends, before)
            used += 2
            before = time[used - 1]
    start[len(sequences.lo)] = used
    return used


def filling_in(sequences: Sequences) -> Sequences:
    """BaselineStatic: a segment with one lost end lasts as long as the recorded segments of its key do on average.

    The end that is put in does not pass the neighbouring recorded event, nor a segment that was put in before.
    """
    start, time = np.zeros_like(sequences.start), np.zeros_like(sequences.time)
    used = _fill_in(sequences, start, time)
    return sequences._replace(start=start, time=time[:used])
