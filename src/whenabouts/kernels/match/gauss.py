"""Gauss's rules: nodes, weights, and how many of them a product of affine factors needs.

n nodes integrate polynomials up to degree 2n - 1 exactly. The polynomial through n values can also be integrated up to
any moment: the weight of each node then counts in part. The table for this ends at fewer nodes, which is enough where
cells are cut so that none is steep.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit_borrowing
from whenabouts.kernels.events import Floats
from whenabouts.kernels.lanes import LANES, lanes, put, spread

Table = NDArray[np.float64]

MOST_NODES = 40
MOST_THROUGH = 16
"""The most nodes that a polynomial is led through."""
MOST_FACTORS = 64
"""More of them are as many as one likes."""

_NEGLIGIBLE = 1e-11

NODES = np.zeros((MOST_NODES + 1, MOST_NODES))
WEIGHTS = np.zeros((MOST_NODES + 1, MOST_NODES))
"""Row n holds Gauss's n nodes on [0, 1] and their weights, which sum to one."""
_PARTS = np.zeros((MOST_THROUGH + 1, MOST_THROUGH, MOST_THROUGH))
"""_PARTS[n, k, j]: how much of node k of n counts for every step of P_(j+1), half of P_j - P_(j+2) at the node."""
_PER = 1.0 / np.arange(1.0, MOST_THROUGH + 2.0)
_STEEPEST_FOR = np.full((MOST_FACTORS + 1, MOST_NODES + 1), math.inf)
_STEEPEST_THROUGH = np.full((MOST_FACTORS + 1, MOST_THROUGH + 1), math.inf)
"""Row k: up to which sum of slopes a product of k affine factors needs no more than n nodes; the last is for more."""


def _fill_tables() -> None:
    for count in range(1, MOST_NODES + 1):
        nodes, weights = np.polynomial.legendre.leggauss(count)
        NODES[count, :count] = (1.0 + nodes) / 2.0
        WEIGHTS[count, :count] = weights / 2.0
        if count <= MOST_THROUGH:
            values = np.polynomial.legendre.legvander(nodes, count - 1)
            _PARTS[count, :count, :count] = (values - np.pad(values, ((0, 0), (0, 2)))[:, 2:]) / 2.0


def _steepest(degree: int, power: int, worst: float) -> float:
    """How steep a product of affine factors may be for its terms of a power to be negligible.

    Where every factor is at most one and the slopes have the sum m, what multiplies the power d of k factors is at most
    C(k, d) (m / k)^d, which grows with k to m^d / d!. `worst` is the most that an error is for a coefficient of one.
    """
    if degree < power:
        return math.inf
    most = math.comb(degree, power) / degree**power if degree < MOST_FACTORS else 1.0 / math.factorial(power)
    return (_NEGLIGIBLE / (worst * most)) ** (1.0 / power)


def _fill_limits() -> None:
    """Gauss's error is f^(2n) / (2n)! times (n!)^4 / ((2n)!^2 (2n + 1)), that of the polynomial through the nodes at
    most f^(n) / n! times the greatest value of Legendre's polynomial with leading coefficient one, (n!)^2 / (2n)!.
    """
    for count in range(1, MOST_NODES):
        monic = math.factorial(count) ** 2 / math.factorial(2 * count)
        for degree in range(MOST_FACTORS + 1):
            _STEEPEST_FOR[degree, count] = _steepest(degree, 2 * count, monic**2 / (2 * count + 1))
            if count < MOST_THROUGH:
                _STEEPEST_THROUGH[degree, count] = _steepest(degree, count, monic)


_fill_tables()
_fill_limits()


@jit_borrowing
def parts_between(low: Floats, high: Floats, ends: int, count: int, steps: Table, parts: Table) -> None:
    """How much of the weight of each of `count` nodes counts in the integrals from `low` to `high`, some ends of each.

    The polynomial through values v_k at the nodes x_k of weights w_k is the sum over j of
    (2j + 1) P_j(x) sum_k w_k P_j(x_k) v_k, and the integral of (2j + 1) P_j is (P_(j+1) - P_(j-1)) / 2. `steps` is room
    for how far each P_j goes; `parts` has a row for each node.
    """
    for at in range(0, ends, LANES):
        first, last = 2.0 * lanes(low, at) - 1.0, 2.0 * lanes(high, at) - 1.0
        before, now, past, here = spread(1.0), first, spread(1.0), last
        for j in range(count):
            put(steps[j], 0, here - now)
            up, down = (2 * j + 3) * _PER[j + 1], (j + 1) * _PER[j + 1]
            before, now = now, up * (first * now) - down * before
            past, here = here, up * (last * here) - down * past
        for k in range(count):
            part = spread(0.0)
            for j in range(count):
                part += _PARTS[count, k, j] * lanes(steps[j], 0)
            put(parts[k], at, part)


@jit_borrowing
def nodes_for(slope: float, degree: int) -> int:
    """How many Gauss nodes integrate a product of so many affine factors whose slopes have this sum."""
    return _fewest(slope, degree, _STEEPEST_FOR)


@jit_borrowing
def nodes_through(slope: float, degree: int) -> int:
    """How many nodes determine such a product everywhere on the unit interval."""
    return _fewest(slope, degree, _STEEPEST_THROUGH)


@jit_borrowing
def _fewest(slope: float, degree: int, steepest: Table) -> int:
    row, nodes = min(max(degree, 0), MOST_FACTORS), 1
    while slope > steepest[row, nodes]:
        nodes += 1
    return nodes
