"""Loops over rows that the compiler makes wide."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit


@jit
def span(begin: int, end: int) -> range:
    """The places from `begin` up to `end`, none of them negative.

    Signed places may count from the end of an array, and that each of them is asked whether it does keeps a loop from
    being made wide. These are unsigned: what is added to them must be as well, or the sum is a float.
    """
    return range(np.uint64(begin), np.uint64(max(begin, end)))
