"""Cells between ends of pieces."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats


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
