"""The order in which near things stand together: halved again and again across the widest coordinate.

The same order serves samples within a cloud and objects within a side.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints


def read_only(values: Floats) -> Floats:
    """A view that cannot be written to, as that of an Arrow buffer: to the compiler it is a type of its own."""
    view = np.ascontiguousarray(values).view()
    view.flags.writeable = False
    return view


@jit
def halving_order(points: Floats, scale: Floats, order: Ints, leaf: int, stack: Ints) -> None:
    """Bring `order`, which names rows of `points`, into the order of a tree.

    Every run of `leaf` rows is a leaf; a stretch of leaves is cut in the middle, across the
    coordinate in which it is the widest after multiplication with `scale`. `stack` is room for as many stretches as
    the tree is deep.
    """
    stack[0, 0] = 0
    stack[0, 1] = len(order)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        low = stack[waiting, 0]
        high = stack[waiting, 1]
        if high - low <= leaf:
            continue
        widest = 0
        width = -1.0
        for k in range(points.shape[1]):
            least = points[order[low], k]
            most = least
            for at in range(low + 1, high):
                value = points[order[at], k]
                least = min(least, value)
                most = max(most, value)
            extent = (most - least) * scale[k]
            if extent > width:
                width = extent
                widest = k
        leaves = (high - low + leaf - 1) // leaf
        middle = low + (leaves + 1) // 2 * leaf
        if width > 0.0:
            _select(points, widest, order, low, high, middle)
        stack[waiting, 0] = low
        stack[waiting, 1] = middle
        stack[waiting + 1, 0] = middle
        stack[waiting + 1, 1] = high
        waiting += 2


@jit
def _select(points: Floats, k: int, order: Ints, low: int, high: int, middle: int) -> None:
    """Put the rows with the smallest coordinates k before `middle` (Hoare's selection)."""
    left = low
    right = high - 1
    while left < right:
        pivot = points[order[(left + right) // 2], k]
        i = left
        j = right
        while i <= j:
            while points[order[i], k] < pivot:
                i += 1
            while points[order[j], k] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return
