"""Cells between ends of pieces, and how many Gauss nodes the integrand needs in one."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats
from whenabouts.kernels.match.chain import MOST_NODES

_NEGLIGIBLE = 1e-15


@jit
def sorted_edges(edge: Floats, used: int) -> int:
    """Sort the first ends and drop repeated ones."""
    edge[:used].sort()
    size = min(used, 1)
    for place in range(1, used):
        if edge[place] > edge[size - 1]:
            edge[size] = edge[place]
            size += 1
    return size


@jit
def nodes_for(slope: float, degree: int) -> int:
    """How many Gauss nodes integrate a product of affine factors whose slopes have this sum.

    n nodes are exact up to degree 2n - 1. The terms of degree d of such a product are at most slope^d / d!, and on a
    unit interval a polynomial of lower degree comes within 2 * 4^-d of t^d; what is left below rounding is let go.
    """
    nodes, quarter = 1, slope / 4.0
    left = 4.0 * quarter * quarter
    while 2 * nodes - 1 < degree and left > _NEGLIGIBLE and nodes < MOST_NODES:
        nodes += 1
        left *= quarter / (2 * nodes - 1) * quarter / (2 * nodes)
    return nodes
