"""Segmented intervals whose recorded times are themselves uncertain.

Each event has a distribution made of pieces: uniform stretches and points. The events of a key are independent, given
that they are in order. Time is cut wherever a piece of either key begins or ends; inside a cell every density is
constant, and theorem 1's argument holds again: k events that happen there in a given order have the weight
width^k / k! times their densities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.sequences import ACCEPT, Automaton, next_state


class Pieces(NamedTuple):
    """Events with distributions: key k has the events `start[k]:start[k + 1]`, event e the pieces from `first[e]` on.

    A piece is uniform on [lo, hi] with some mass, or a point where the two are equal. Lost events between two certain
    times have the one piece of their gap; that the a-th of n has the mass a makes their joint density n!/length^n.
    """

    start: Ints
    first: Ints
    lo: Floats
    hi: Floats
    mass: Floats


@jit
def _cuts(left: Pieces, x: int, right: Pieces, y: int) -> Floats:
    """All moments where a piece of either key begins or ends, in order, each once."""
    a, b = left.first[left.start[x]], left.first[left.start[x + 1]]
    c, d = right.first[right.start[y]], right.first[right.start[y + 1]]
    moments = np.empty(2 * (b - a + d - c))
    at = 0
    for piece in range(a, b):
        moments[at] = left.lo[piece]
        moments[at + 1] = left.hi[piece]
        at += 2
    for piece in range(c, d):
        moments[at] = right.lo[piece]
        moments[at + 1] = right.hi[piece]
        at += 2
    moments.sort()
    kept = 1
    for at in range(1, len(moments)):
        if moments[at] > moments[kept - 1]:
            moments[kept] = moments[at]
            kept += 1
    return moments[:kept]


@jit
def _chances(pieces: Pieces, key: int, begin: float, end: float, inside: Floats, points: Floats) -> tuple[int, int]:
    """For each event of a key: its mass inside a cell, and at the point where the cell ends; which can be there at all.

    The two numbers returned bound the events that have mass at the end of the cell or later, and before it.
    """
    first = pieces.start[key]
    count = pieces.start[key + 1] - first
    settled = 0
    reached = 0
    for event in range(count):
        inside[event] = 0.0
        points[event] = 0.0
        later = False
        for piece in range(pieces.first[first + event], pieces.first[first + event + 1]):
            lo, hi, mass = pieces.lo[piece], pieces.hi[piece], pieces.mass[piece]
            if lo == hi:
                if lo == end:
                    points[event] += mass
            elif lo <= begin and end <= hi:
                inside[event] += mass * ((end - begin) / (hi - lo))
            if hi > end:
                later = True
            if lo < end or (lo == hi and lo == end):
                reached = event + 1
        if not later and settled == event:
            settled = event + 1
    return settled, reached


@jit
def uncertain_probability(left: Pieces, x: int, right: Pieces, y: int, automaton: Automaton) -> float:
    """The probability that a query holds, given that the events of each key are in order.

    NaN where they cannot be.
    """
    n, m = left.start[x + 1] - left.start[x], right.start[y + 1] - right.start[y]
    states = automaton.step.shape[3]
    accept, reject, width = states, states + 1, states + 2
    weights = np.zeros((n + 1, m + 1, width))
    layer = np.zeros((n + 1, m + 1, width))
    other = np.zeros((n + 1, m + 1, width))
    weights[0, 0, 0] = 1.0
    inside = (np.zeros(n + 1), np.zeros(m + 1))
    points = (np.zeros(n + 1), np.zeros(m + 1))
    cuts = _cuts(left, x, right, y)
    low_i, high_i, low_j, high_j = 0, 0, 0, 0
    for cell in range(len(cuts)):
        begin = cuts[cell - 1] if cell > 0 else cuts[0]
        settled_i, reach_i = _chances(left, x, begin, cuts[cell], inside[0], points[0])
        settled_j, reach_j = _chances(right, y, begin, cuts[cell], inside[1], points[1])
        top_i, top_j = max(high_i, reach_i), max(high_j, reach_j)
        for i in range(low_i, top_i + 1):
            for j in range(low_j, top_j + 1):
                layer[i, j] = weights[i, j]
        k = 0
        moved = cell > 0
        while moved:
            k += 1
            moved = False
            for i in range(low_i, top_i + 1):
                for j in range(low_j, top_j + 1):
                    for side in range(2):
                        factor = (inside[0][i] if side == 0 else inside[1][j]) / k
                        if factor > 0.0:
                            u, v = (i + 1, j) if side == 0 else (i, j + 1)
                            for q in range(width):
                                value = layer[i, j, q] * factor
                                if value > 0.0:
                                    moved = True
                                    to = q
                                    if q < states:
                                        to = next_state(automaton, side, i, j, n, m, q)
                                        if to < 0:
                                            to = accept if to == ACCEPT else reject
                                    other[u, v, to] += value
                    layer[i, j] = 0.0
            for i in range(low_i, top_i + 1):
                for j in range(low_j, top_j + 1):
                    for q in range(width):
                        weights[i, j, q] += other[i, j, q]
            layer, other = other, layer
        for i in range(top_i, low_i - 1, -1):
            for j in range(top_j, low_j - 1, -1):
                layer[i, j] = 0.0
                for letter in range(3):
                    mass = points[0][i] if letter == 0 else points[1][j]
                    if letter == 2:
                        mass *= points[0][i]
                    if mass > 0.0:
                        u, v = i + (letter != 1), j + (letter != 0)
                        for q in range(width):
                            value = weights[i, j, q] * mass
                            if value > 0.0:
                                to = q
                                if q < states:
                                    to = next_state(automaton, letter, i, j, n, m, q)
                                    if to < 0:
                                        to = accept if to == ACCEPT else reject
                                weights[u, v, to] += value
        low_i, low_j = settled_i, settled_j
        high_i, high_j = top_i, top_j
    accepted, rejected = weights[n, m, accept], weights[n, m, reject]
    for q in range(states):
        if automaton.accepts_at_end:
            accepted += weights[n, m, q]
        else:
            rejected += weights[n, m, q]
    return accepted / (accepted + rejected) if accepted + rejected > 0.0 else np.nan


@jit
def uncertain_probabilities(
    left: Pieces, right: Pieces, xs: Ints, ys: Ints, automaton: Automaton, result: Floats
) -> None:  # fmt: skip
    """The probabilities of some pairs of keys."""
    for at in range(len(xs)):
        result[at] = uncertain_probability(left, xs[at], right, ys[at], automaton)
