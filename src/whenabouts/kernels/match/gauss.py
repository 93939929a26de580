"""Gauss's rules: nodes, weights, and how many of them a product of affine factors needs.

n nodes integrate polynomials up to degree 2n - 1 exactly. They also carry two more rules: the integrals from the lower
end up to each node, and the values between the nodes, of the polynomial through n values. Both of the tables for these
end at fewer nodes, which is enough where cells are cut so that none is steep.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit

MOST_NODES = 40
MOST_THROUGH = 16
"""The most nodes that a polynomial is led through."""

_NEGLIGIBLE = 1e-11

NODES = np.zeros((MOST_NODES + 1, MOST_NODES))
WEIGHTS = np.zeros((MOST_NODES + 1, MOST_NODES))
"""Row n holds Gauss's n nodes on [0, 1] and their weights, which sum to one."""
UPTO = np.zeros((MOST_THROUGH + 1, MOST_THROUGH, MOST_THROUGH))
"""UPTO[n, i, j]: what the value at node j adds to the integral from 0 to node i, for n nodes."""
BARYCENTRIC = np.zeros((MOST_THROUGH + 1, MOST_THROUGH))
"""Row n holds 1 / prod_(i != j) (x_j - x_i): the weights of the barycentric formula."""


def _fill_tables() -> None:
    for count in range(1, MOST_NODES + 1):
        nodes, weights = np.polynomial.legendre.leggauss(count)
        NODES[count, :count] = (1.0 + nodes) / 2.0
        WEIGHTS[count, :count] = weights / 2.0
        if count > MOST_THROUGH:
            continue
        away = np.subtract.outer(NODES[count, :count], NODES[count, :count])
        np.fill_diagonal(away, 1.0)
        BARYCENTRIC[count, :count] = 1.0 / away.prod(axis=1)
        # The polynomial through the values is sum_k (2k + 1) P_k(x) sum_j w_j P_k(x_j) value_j, and the integral of
        # (2k + 1) P_k from -1 is P_(k+1) - P_(k-1), or 1 + x for k = 0.
        values = np.polynomial.legendre.legvander(nodes, count)
        integrals = np.empty((count, count))
        integrals[:, 0] = 1.0 + nodes
        integrals[:, 1:] = values[:, 2:] - values[:, : count - 1]
        UPTO[count, :count, :count] = integrals @ (values[:, :count] * weights[:, None]).T / 4.0


_fill_tables()


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
