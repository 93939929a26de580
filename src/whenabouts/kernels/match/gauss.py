"""Gauss's rules: nodes, weights, and how many of them a product of affine factors needs.

n nodes integrate polynomials up to degree 2n - 1 exactly. The polynomial through n values can also be integrated up to
any moment: the weight of each node then counts in part. The table for this ends at fewer nodes, which is enough where
cells are cut so that none is steep.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit, jit_borrowing
from whenabouts.kernels.events import Floats

MOST_NODES = 40
MOST_THROUGH = 16
"""The most nodes that a polynomial is led through."""

_NEGLIGIBLE = 1e-11

NODES = np.zeros((MOST_NODES + 1, MOST_NODES))
WEIGHTS = np.zeros((MOST_NODES + 1, MOST_NODES))
"""Row n holds Gauss's n nodes on [0, 1] and their weights, which sum to one."""
_LEGENDRE = np.zeros((MOST_THROUGH + 1, MOST_THROUGH, MOST_THROUGH))
"""_LEGENDRE[n, j, k]: half of Legendre's polynomial of degree j on [0, 1] at node k of n."""
_PER = 1.0 / np.arange(1.0, MOST_THROUGH + 1.0)


def _fill_tables() -> None:
    for count in range(1, MOST_NODES + 1):
        nodes, weights = np.polynomial.legendre.leggauss(count)
        NODES[count, :count] = (1.0 + nodes) / 2.0
        WEIGHTS[count, :count] = weights / 2.0
        if count <= MOST_THROUGH:
            _LEGENDRE[count, :count, :count] = np.polynomial.legendre.legvander(nodes, count - 1).T / 2.0


_fill_tables()


@jit_borrowing
def parts_before(x: float, count: int, parts: Floats) -> None:
    """How much of the weight of each of `count` nodes counts in the integral from 0 to x.

    The polynomial through values v_k at the nodes x_k of weights w_k is the sum over j of
    (2j + 1) P_j(x) sum_k w_k P_j(x_k) v_k, and the integral of (2j + 1) P_j is (P_(j+1) - P_(j-1)) / 2.
    """
    none_or_all = x == 0.0 or x == 1.0
    for k in range(count):
        parts[k] = x if none_or_all else 0.0
    if none_or_all:
        return
    z, before, now = 2.0 * x - 1.0, -1.0, 1.0
    for j in range(count):
        after = ((2 * j + 1) * z * now - j * before) * _PER[j]
        for k in range(count):
            parts[k] += _LEGENDRE[count, j, k] * (after - before)
        before, now = now, after


@jit
def nodes_for(slope: float, degree: int) -> int:
    """How many Gauss nodes integrate a product of so many affine factors whose slopes have this sum.

    The terms of degree d of such a product are at most C(k, d) (slope / k)^d for k factors, and on a unit interval a
    polynomial of lower degree comes within 2 * 4^-d of t^d; what is left below rounding is let go.
    """
    nodes, quarter = 1, slope / 4.0
    left = 4.0 * quarter * quarter
    while 2 * nodes - 1 < degree and left > _NEGLIGIBLE and nodes < MOST_NODES:
        done = 2.0 * nodes
        left *= quarter * (1.0 - done / degree) / (done + 1.0) * quarter * (1.0 - (done + 1.0) / degree) / (done + 2.0)
        nodes += 1
    return nodes


@jit
def nodes_through(slope: float, degree: int) -> int:
    """How many nodes determine such a product everywhere on the unit interval."""
    nodes, quarter = 1, slope / 4.0
    left = 4.0 * quarter
    while nodes < degree + 1 and left > _NEGLIGIBLE and nodes < MOST_THROUGH:
        left *= quarter * (1.0 - nodes / degree) / (nodes + 1.0)
        nodes += 1
    return nodes
