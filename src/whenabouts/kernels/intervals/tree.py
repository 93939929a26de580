"""SimpMatch as the paper has it (algorithms 1 and 2): a tree of possible worlds, with pruning.

Two things differ from the listing. Recorded events at the same time happen at once, where the paper follows both orders
and counts such a world twice. And the weight of theorem 1 is multiplied up event by event on the way down: a node's
product is what all worlds below it share, which is the paper's cache.
"""

from __future__ import annotations

import math

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.phases import Phases
from whenabouts.kernels.intervals.sequences import ACCEPT, REJECT, Automaton, next_state, still_open

_CLOSE = 2
"""The third choice at a node, beside a lost event of the left and one of the right: its cell ends."""


@jit
def _rest(phases: Phases, at: int, happened: int, now: float) -> float:
    """The summed weight of all ways in which a gap can go on: C(n, a) (rest / length)^(n - a) after a of n events."""
    lost = phases.lost[at]
    if happened == lost:
        return 1.0
    share = (phases.end[at] - now) / (phases.end[at] - phases.end[at - 1])
    total = 1.0
    for number in range(happened + 1, lost + 1):
        total *= share * number / (number - happened)
    return total


@jit
def _grid_weight(centres: Floats, count: int, begin: float, end: float, reach: int, step: float, ways: Floats) -> float:
    """Appendix A: the share of assignments of grid points to lost events that are in order and inside their cell.

    Each event is at one of `2 * reach + 1` points around its centre, all equally likely. Where algorithm 3 lists every
    path, `ways[t]` is the share of those that end at or before point t; and a path's probability is the product of
    those of its points, where the listing divides by their sum.
    """
    size = 2 * reach + 1
    before = 0
    for at in range(count):
        first = int(np.floor(centres[at] / step + 0.5)) - reach
        running = 0.0
        for t in range(size):
            if begin <= (first + t) * step <= end:
                if at == 0:
                    running += 1.0 / size
                elif first + t >= before:
                    running += ways[min(first + t - before, size - 1)] / size
            ways[size + t] = running
        for t in range(size):
            ways[t] = ways[size + t]
        before = first
    return ways[size - 1]


@jit
def tree_probability(
    left: Phases, x: int, right: Phases, y: int, automaton: Automaton, most: int, reach: int, step: float
) -> float:
    """The probability that a query holds, world by world; NaN where the tree has more than `most` nodes.

    With a `reach` of zero the probability of a cell is theorem 1's; else it is that of appendix A, on grid points
    `step` apart.
    """
    n, m = left.events[x], right.events[y]
    depth = n + m + left.start[x + 1] - left.start[x] + right.start[y + 1] - right.start[y] + 2
    phase = np.zeros((depth, 2), dtype=np.int64)
    happened = np.zeros((depth, 2), dtype=np.int64)
    total = np.zeros((depth, 2), dtype=np.int64)
    choice, state, inside = np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    begin, weight, centre = np.zeros(depth), np.zeros(depth), np.zeros(depth)
    centres, ways = np.zeros(depth), np.zeros(2 * (2 * reach + 1))
    phase[0, 0], phase[0, 1] = left.start[x], right.start[y]
    begin[0] = min(left.end[phase[0, 0]], right.end[phase[0, 1]])
    weight[0] = 1.0
    answer, nodes, at = 0.0, 0, 0
    while at >= 0:
        letter = choice[at]
        choice[at] += 1
        if letter > _CLOSE:
            at -= 1
            continue
        p, q = phase[at]
        a, b = happened[at]
        i, j = total[at]
        now, until = begin[at], min(left.end[p], right.end[q])
        after, share = state[at], weight[at]
        below = at + 1
        if letter == _CLOSE:
            left_ends, right_ends = left.end[p] == until, right.end[q] == until
            if (left_ends and a < left.lost[p]) or (right_ends and b < right.lost[q]):
                continue
            left_event, right_event = left_ends and left.recorded[p] == 1, right_ends and right.recorded[q] == 1
            if reach > 0 and inside[at] > 0:
                for number in range(inside[at]):
                    centres[number] = centre[at - inside[at] + 1 + number]
                share *= _grid_weight(centres, inside[at], now, until, reach, step, ways)
            if after >= 0 and (left_event or right_event):
                after = next_state(automaton, 2 if left_event and right_event else 1 - left_event, i, j, n, m, after)
            i += left_event
            j += right_event
            phase[below, 0], happened[below, 0] = (p + 1, 0) if left_ends else (p, a)
            phase[below, 1], happened[below, 1] = (q + 1, 0) if right_ends else (q, b)
            inside[below], begin[below] = 0, until
        else:
            phases, own, number = (left, p, a) if letter == 0 else (right, q, b)
            if number == phases.lost[own]:
                continue
            length = phases.end[own] - phases.end[own - 1]
            if phases.hidden[own] <= number < phases.hidden[own] + phases.seen[own]:
                if after >= 0:
                    after = next_state(automaton, letter, i, j, n, m, after)
                i += 1 - letter
                j += letter
            inside[below], begin[below] = inside[at] + 1, now
            centre[below] = phases.end[own - 1] + length * (number + 1) / (phases.lost[own] + 1)
            if reach == 0:
                share *= (until - now) / inside[below] * (number + 1) / length
            phase[below, 0], phase[below, 1] = p, q
            happened[below, 0], happened[below, 1] = a + 1 - letter, b + letter
        nodes += 1
        if nodes > most:
            return np.nan
        if share == 0.0 or after == REJECT or (after >= 0 and not still_open(automaton, i, j, n, m, after)):
            continue
        p, q = phase[below]
        if math.isinf(left.end[p]) and math.isinf(right.end[q]):
            if after == ACCEPT or automaton.accepts_at_end:
                answer += share
        elif after == ACCEPT and letter == _CLOSE and reach == 0:
            answer += share * _rest(left, p, happened[below, 0], until) * _rest(right, q, happened[below, 1], until)
        else:
            at = below
            total[at, 0], total[at, 1] = i, j
            choice[at], state[at], weight[at] = 0, after, share
    return answer


@jit
def tree_probabilities(
    left: Phases, right: Phases, xs: Ints, ys: Ints, automaton: Automaton, most: int, reach: int, step: float,
    result: Floats,
) -> None:  # fmt: skip
    """The probabilities of some pairs of keys."""
    for at in range(len(xs)):
        result[at] = tree_probability(left, xs[at], right, ys[at], automaton, most, reach, step)
