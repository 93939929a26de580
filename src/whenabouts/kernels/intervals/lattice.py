"""The probability that a query holds for two segmented intervals: one walk over all possible worlds at once.

The known times of both sides cut time into cells. Where SimpMatch follows every order of the lost events by itself
(algorithm 1), orders that have led to the same place, the same numbers of events and the same state of the automaton,
go on together here: the cost is polynomial. After each cell the weights are probabilities, so that what has been
accepted and what is still open bound the answer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.cell import poisson_gap, spread, uniform_gap
from whenabouts.kernels.intervals.phases import AFTER_LAST, BEFORE_FIRST, Phases, reach
from whenabouts.kernels.intervals.sequences import ACCEPT, Automaton, extra_of, still_open

BELOW = -1.0
"""In place of a confidence that is surely below the threshold."""
TOLERANCE = 1e-12
_MOST_IN_A_CELL = 200.0
_MOST_OF_POISSON = 16.0


class Workspace(NamedTuple):
    """Room for one walk: weights before and after a cell, two layers, and the factors of each side's gap."""

    weights: Floats
    total: Floats
    layer: Floats
    other: Floats
    factor: Floats
    finish: Floats


def most_lost(phases: Phases) -> Ints:
    """The longest gap of each key, in lost events."""
    return np.maximum.reduceat(phases.lost, phases.start[:-1]) if len(phases.start) > 1 else phases.lost


def workspace(left: int, right: int, states: int) -> Workspace:
    """Room for pairs with so many lost events in one gap of either side."""
    weights, total, layer, other = (np.zeros((left + 1) * (right + 1) * (states + 1)) for _ in range(4))
    longest = max(left, right) + 1
    return Workspace(weights, total, layer, other, np.zeros((2, longest)), np.zeros((2, longest)))


@jit
def _gap(phases: Phases, at: int, rate: float, now: float, end: float, factor: Floats, finish: Floats) -> None:
    """What a side's gap does from now to the end of a cell."""
    lost = phases.lost[at]
    if phases.kind[at] == AFTER_LAST:
        poisson_gap(lost, (end - now) * rate, factor, finish)
    elif lost > 0:
        share = 1.0 if end == phases.end[at] else (end - now) / (phases.end[at] - now)
        uniform_gap(lost, share, factor, finish)
    else:
        factor[0] = 0.0
        finish[0] = 1.0


@jit
def _pieces(phases: Phases, at: int, rate: float, now: float, until: float) -> int:
    """In how many parts a cell is cut, so that no number overflows; where it is cut changes nothing."""
    if phases.kind[at] == AFTER_LAST:
        return math.ceil((until - now) * rate / _MOST_OF_POISSON)
    if phases.lost[at] > _MOST_IN_A_CELL:
        return math.ceil(phases.lost[at] * (until - now) / (phases.end[at] - now) / _MOST_IN_A_CELL)
    return 1


@jit
def _arrivals(phases: Phases, at: int, share: Floats) -> int:
    """How a gap begins: the probability that so many of its events have already been; how many that can be.

    Before the first recorded event a Poisson process has any number of events, of which only the last are lost ones
    of the sequence.
    """
    if phases.kind[at] != BEFORE_FIRST:
        share[0] = 1.0
        return 0
    lost = phases.lost[at]
    mean = reach(phases.seen[at])
    power = math.exp(-mean)
    total = 0.0
    for still in range(lost + 1):
        share[lost - still] = power
        if lost - still <= phases.hidden[at]:
            total += power
        power *= mean / (still + 1)
    for a in range(phases.hidden[at] + 1):
        share[a] /= total
    return phases.hidden[at]


@jit
def pair_probability(
    left: Phases, x: int, right: Phases, y: int, automaton: Automaton, threshold: float, decide: bool,
    room: Workspace,
) -> float:  # fmt: skip
    """The probability that a query holds for left key x and right key y.

    Where it is surely below the threshold the walk ends with BELOW; with `decide` it also ends once the threshold is
    surely reached, with the lower bound that is known by then.
    """
    left_count, right_count = left.events[x], right.events[y]
    states = automaton.step.shape[3]
    width = states + 1
    weights, total = room.weights, room.total
    p, q = left.start[x], right.start[y]
    accepted, open_mass, rejected = 0.0, 1.0, False
    block = automaton.block
    # Not plain zeros: a literal is a type of its own to Numba, which would compile `spread` for it, and then again.
    i, j, low, high = 0 * block, 0 * block, 0 * block, block
    for at in range(width):
        weights[at] = 0.0
    weights[0] = 1.0
    now = min(left.end[p], right.end[q])
    while True:
        left_lost, right_lost = left.lost[p], right.lost[q]
        row = (right_lost + 1) * width
        until = min(left.end[p], right.end[q])
        if until > now and left_lost + right_lost > 0:
            if until == np.inf:
                break
            pieces = max(1, _pieces(left, p, left.rate[x], now, until), _pieces(right, q, right.rate[y], now, until))
            begin = now
            for piece in range(pieces):
                end = until if piece + 1 == pieces else begin + (until - begin) * ((piece + 1) / pieces)
                _gap(left, p, left.rate[x], now, end, room.factor[0], room.finish[0])
                _gap(right, q, right.rate[y], now, end, room.factor[1], room.finish[1])
                rejected |= spread(
                    automaton, i, j, left_lost, right_lost, left.hidden[p], right.hidden[q],
                    left.seen[p], right.seen[q], left_count, right_count,
                    room.factor[0], room.factor[1], room.finish[0], room.finish[1],
                    weights, room.layer, room.other, total, low, high,
                )  # fmt: skip
                high = min(states, high + block * (left_lost + right_lost))
                weights, total = total, weights
                now = end
        if until == np.inf:
            break
        now = until
        left_ends, right_ends = left.end[p] == until, right.end[q] == until
        left_event = left_ends and left.recorded[p] == 1
        right_event = right_ends and right.recorded[q] == 1
        letter = 2 if left_event and right_event else (0 if left_event else 1)
        left_first = left.lost[p + 1] if left_ends else left_lost
        right_first = right.lost[q + 1] if right_ends else right_lost
        left_spread, right_spread = 0, 0
        if left_ends:
            left_spread = _arrivals(left, p + 1, room.factor[0])
        if right_ends:
            right_spread = _arrivals(right, q + 1, room.factor[1])
        new_row = (right_first + 1) * width
        for place in range((left_first + 1) * (right_first + 1)):
            total[place * width + states] = 0.0
            for state in range(low, min(states, high + block)):
                total[place * width + state] = 0.0
        open_mass = 0.0
        lowest, highest = states, 0
        for a in range(left_lost + 1):
            for b in range(right_lost + 1):
                at = a * row + b * width
                accepted += weights[at + states]
                if (left_ends and a < left_lost) or (right_ends and b < right_lost):
                    continue
                u = i + min(left.seen[p], max(0, a - left.hidden[p]))
                v = j + min(right.seen[q], max(0, b - right.hidden[q]))
                kind = (u % 2) * 2 + v % 2
                extra = 0
                if left_event or right_event:
                    extra = extra_of(automaton, letter, u, v, left_count, right_count)
                for state in range(low, high):
                    value = weights[at + state]
                    if value == 0.0:
                        continue
                    after = state
                    if left_event or right_event:
                        after = automaton.step[kind, letter, extra, state]
                    if after == ACCEPT:
                        accepted += value
                    elif after >= 0 and still_open(
                        automaton, u + left_event, v + right_event, left_count, right_count, after
                    ):
                        open_mass += value
                        lowest = min(lowest, after)
                        highest = max(highest, after)
                        to = (0 if left_ends else a) * new_row + (0 if right_ends else b) * width + after
                        if left_spread + right_spread == 0:
                            total[to] += value
                        else:
                            for more in range(left_spread + 1):
                                for extra_b in range(right_spread + 1):
                                    share = (room.factor[0, more] if left_ends else 1.0) * (
                                        room.factor[1, extra_b] if right_ends else 1.0
                                    )
                                    total[to + more * new_row + extra_b * width] += value * share
                    else:
                        rejected = True
        weights, total = total, weights
        if left_ends:
            i += left.seen[p] + left_event
            p += 1
        if right_ends:
            j += right.seen[q] + right_event
            q += 1
        if open_mass == 0.0:
            break
        low, high = lowest // block * block, (highest // block + 1) * block
        if accepted + open_mass < threshold - TOLERANCE:
            return BELOW
        if decide and accepted >= threshold:
            return accepted
    if automaton.accepts_at_end:
        for at in range(low, high):
            accepted += weights[at]
    elif open_mass > 0.0:
        rejected = True
    return min(1.0, accepted) if rejected else 1.0


@jit
def probabilities(
    left: Phases, right: Phases, xs: Ints, ys: Ints, automaton: Automaton, threshold: float, decide: bool,
    room: Workspace, result: Floats,
) -> None:  # fmt: skip
    """The probabilities of some pairs of keys."""
    for at in range(len(xs)):
        result[at] = pair_probability(left, xs[at], right, ys[at], automaton, threshold, decide, room)
