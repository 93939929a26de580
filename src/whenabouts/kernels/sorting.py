"""Sorting times that mostly come in order."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints

_MOVES = 16
"""How many places a time may have to move on average for insertion to be worth it."""


def order_of(times: Floats, order: Ints) -> Ints:
    """The order that sorts the times, written over `order`.

    Events mostly come about in the order of time: then each is a few places from where it belongs, and one walk puts
    it there. Else, where they come in long runs, merging these is fastest.
    """
    if _insert_all(times, order):
        return order
    sample = times[::256]
    falls = int(np.count_nonzero(sample[1:] < sample[:-1]))
    order[:] = np.argsort(times, kind="stable" if 16 * falls < len(sample) else "quicksort")
    return order


@jit
def _insert_all(times: Floats, order: Ints) -> bool:
    """Insertion sort, given up where times have too far to go."""
    left = _MOVES * len(times)
    for k in range(len(times)):
        time = times[k]
        place = k
        while place > 0 and times[order[place - 1]] > time:
            order[place] = order[place - 1]
            place -= 1
        order[place] = k
        left -= k - place
        if left < 0:
            return False
    return True
