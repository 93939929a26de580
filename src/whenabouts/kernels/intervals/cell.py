"""One cell of the lattice: what lost events of both sides do between two neighbouring known times.

A weight stands for each `(a, b, state)`: a and b lost events of the two current gaps have happened, and the automaton
is in a state. Column `states` of a place gathers what has been accepted within the cell.
"""

from __future__ import annotations

import math

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats
from whenabouts.kernels.intervals.sequences import ACCEPT, Automaton, extra_of

NEGLIGIBLE = 1e-18
"""Where a Poisson tail is cut off."""


@jit
def uniform_gap(lost: int, share: float, factor: Floats, finish: Floats) -> None:
    """Lost events that are uniform over the rest of their gap, of which the cell is a `share` (lemma 1).

    Of the m events that are still to come, the next one can be any: a factor m * share. Those that do not come in this
    cell stay away with probability 1 - share each.
    """
    rest = max(0.0, 1.0 - share)
    power = 1.0
    for a in range(lost, -1, -1):
        finish[a] = power
        factor[a] = (lost - a) * share
        power *= rest


@jit
def poisson_gap(lost: int, mean: float, factor: Floats, finish: Floats) -> None:
    """The first `lost` events of a Poisson process of which `mean` are expected in the cell.

    What follows them is unseen, but takes its turn in the order of the cell: `factor[lost]` is not zero.
    """
    stays = math.exp(-mean)
    for a in range(lost + 1):
        factor[a] = mean
        finish[a] = stays


@jit
def spread(
    automaton: Automaton,
    i: int, j: int, left_lost: int, right_lost: int, left_hidden: int, right_hidden: int,
    left_seen: int, right_seen: int,
    left_count: int, right_count: int,
    left_factor: Floats, right_factor: Floats, left_finish: Floats, right_finish: Floats,
    weights: Floats, layer: Floats, other: Floats, total: Floats, low: int, high: int,
) -> bool:  # fmt: skip
    """Let the lost events of a cell happen in every order, and leave the weights at its end in `total`.

    The k-th event of a cell multiplies the weight of an order by 1/k: of the k! orders that k independent uniform
    moments can have, each is as likely as the other (theorem 1). `i` and `j` are the events of each side before its
    gap; the first `hidden` events of a gap happen unseen, and those after the `seen` ones. `layer` and `other` are zero
    before and after. Weights are in the states from `low` to `high`, and so many blocks more at the end as there are
    lost events. Returns whether any order has been rejected.
    """
    step = automaton.step
    states = step.shape[3]
    width = states + 1
    row = (right_lost + 1) * width
    top = min(states, high + automaton.block * (left_lost + right_lost))
    endless = left_factor[left_lost] > 0.0 or right_factor[right_lost] > 0.0
    least = left_lost + right_lost
    greatest = 0
    for a in range(left_lost + 1):
        for b in range(right_lost + 1):
            at = a * row + b * width
            stays = left_finish[a] * right_finish[b]
            occupied = weights[at + states] > 0.0
            layer[at + states] = weights[at + states]
            total[at + states] = weights[at + states] * stays
            for q in range(low, high):
                value = weights[at + q]
                layer[at + q] = value
                total[at + q] = value * stays
                occupied |= value > 0.0
            for q in range(high, top):
                total[at + q] = 0.0
            if occupied:
                least = min(least, a + b)
                greatest = max(greatest, a + b)
    k = 0
    rejected = False
    while True:
        k += 1
        moved = 0.0
        for a in range(max(0, least - right_lost), min(left_lost, greatest) + 1):
            for b in range(max(0, least - a), min(right_lost, greatest - a) + 1):
                at = a * row + b * width
                u = i + min(left_seen, max(0, a - left_hidden))
                v = j + min(right_seen, max(0, b - right_hidden))
                kind = (u % 2) * 2 + v % 2
                for side in range(2):
                    factor = (left_factor[a] if side == 0 else right_factor[b]) / k
                    if factor == 0.0:
                        continue
                    past_end = (a == left_lost) if side == 0 else (b == right_lost)
                    if side == 0:
                        unseen = past_end or a < left_hidden or a >= left_hidden + left_seen
                    else:
                        unseen = past_end or b < right_hidden or b >= right_hidden + right_seen
                    to = at if past_end else (at + row if side == 0 else at + width)
                    accepted = layer[at + states]
                    if unseen:
                        for q in range(low, high):
                            other[to + q] += layer[at + q] * factor
                            moved += layer[at + q]
                    else:
                        extra = extra_of(automaton, side, u, v, left_count, right_count)
                        for q in range(low, high):
                            value = layer[at + q]
                            if value > 0.0:
                                after = step[kind, side, extra, q]
                                if after >= 0:
                                    other[to + after] += value * factor
                                    moved += value
                                elif after == ACCEPT:
                                    accepted += value
                                else:
                                    rejected = True
                    other[to + states] += accepted * factor
                    moved += accepted
                for q in range(low, high):
                    layer[at + q] = 0.0
                layer[at + states] = 0.0
        if moved == 0.0:
            return rejected
        high = min(top, high + automaton.block)
        greatest = min(greatest + 1, left_lost + right_lost)
        if not endless:
            least += 1
        moved = 0.0
        for a in range(max(0, least - right_lost), min(left_lost, greatest) + 1):
            for b in range(max(0, least - a), min(right_lost, greatest - a) + 1):
                at = a * row + b * width
                stays = left_finish[a] * right_finish[b]
                total[at + states] += other[at + states] * stays
                moved += other[at + states] * stays
                for q in range(low, high):
                    value = other[at + q]
                    total[at + q] += value * stays
                    moved += value * stays
        layer, other = other, layer
        if endless and k > 40 and moved < NEGLIGIBLE:
            for at in range((left_lost + 1) * row):
                layer[at] = 0.0
            return rejected
