"""Probing: the pairs that no range decides, one probability or one comparison each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats
from whenabouts.kernels.probability import lost, probability

UNIFORM = 0
"""Probe with the vectorised closed form: both sides are uniform."""
SHAPED = 1
"""Probe with the exact probability of any two shapes."""
TABLE = 2
"""Probe by comparing with the table of satisfaction shifts (paper 000, theorem 2)."""


class Table(NamedTuple):
    """The least and the most shift of a right shape v at which it reaches the confidence with a left one u.

    They are `shifts[u, v]`, side by side: a table is larger than a core's cache, and a probe reads both at once.
    """

    shifts: Floats

    @staticmethod
    def of(least: Floats, most: Floats) -> Table:
        return Table(np.stack((least, most), axis=-1))


@jit
def _inside_flat(head: float, tail: float, narrow: float, wide: float) -> float:
    """The trapezoid's distribution function without branches, to the same bit as with them."""
    corner = head if head <= narrow else tail
    in_corner = head <= narrow or tail <= narrow
    height = (corner if in_corner else head - 0.5 * narrow) / wide
    area = 0.5 * (corner / narrow) * height
    return area if head <= narrow else (1.0 - area if tail <= narrow else height)


@jit
def _between(
    least: float, most: float, least_lost: float, most_lost: float, x_width: float, y_width: float, low: float,
    high: float,
) -> float:  # fmt: skip
    """F(high) - F(low-) of two uniform events whose difference lies from `least` to `most`, free of branches."""
    narrow = min(x_width, y_width)
    wide = max(x_width, y_width)
    head = (high - least) - least_lost
    tail = (most - high) + most_lost
    upper = _inside_flat(head, tail, narrow, wide)
    upper = 0.0 if head <= 0.0 else upper
    upper = 1.0 if tail <= 0.0 else upper
    head = (low - least) - least_lost
    tail = (most - low) + most_lost
    lower = _inside_flat(head, tail, narrow, wide)
    lower = 1.0 if tail <= 0.0 else lower
    lower = 0.0 if head <= 0.0 else lower
    return upper - lower


@jit
def uniform_probabilities(
    x1: float,
    x2: float,
    right_earliest: Floats,
    right_latest: Floats,
    start: int,
    end: int,
    low: float,
    high: float,
    out: Floats,
) -> None:
    """`probability` for one uniform x and a run of uniform y, free of branches so that it vectorises."""
    for k in range(end - start):
        y1 = right_earliest[start + k]
        y2 = right_latest[start + k]
        least = y1 - x2
        most = y2 - x1
        p = _between(least, most, lost(y1, x2, least), lost(y2, x1, most), x2 - x1, y2 - y1, low, high)
        out[k] = min(max(p, 0.0), 1.0)


@jit
def pair_probabilities(
    x1s: Floats, x2s: Floats, y1s: Floats, y2s: Floats, count: int, low: float, high: float, out: Floats
) -> None:
    """The same for pairs of uniform events, side by side."""
    for k in range(count):
        least = y1s[k] - x2s[k]
        most = y2s[k] - x1s[k]
        least_lost, most_lost = lost(y1s[k], x2s[k], least), lost(y2s[k], x1s[k], most)
        p = _between(least, most, least_lost, most_lost, x2s[k] - x1s[k], y2s[k] - y1s[k], low, high)
        out[k] = min(max(p, 0.0), 1.0)


@jit
def shift_says(least: float, most: float, shift: float, reach: float, size: float, band: float) -> int:
    """1 where a shift lies surely from `least` to `most`, 0 where surely not, -1 where a probability must be computed.

    It must be computed within rounding of a limit, `size` being that of the times, and where the difference of the
    two times, as wide as `reach`, can stick out of the band on both ends, so that each one-sided confidence is
    necessary but not sufficient.
    """
    near = 1e-9 * reach + 1e-14 * abs(shift) + 1e-15 * size
    room = min(shift - least, most - shift)
    unclear = (room < near) | (reach > band)
    return 0 if room < -near else (-1 if unclear else 1)


@jit
def shaped_verdicts(
    left: Events,
    i: int,
    right: Events,
    kind: int,
    table: Table,
    start: int,
    end: int,
    low: float,
    high: float,
    measure: bool,
    out: Floats,
) -> int:
    """Probabilities of x with right[start:end], or the table's verdicts as 0 and 1; counts the computed ones."""
    if kind == SHAPED:
        for j in range(start, end):
            out[j - start] = probability(left, i, right, j, low, high)
        return end - start
    computed = 0
    u, anchor, latest, width = left.shape[i], left.anchor[i], left.latest[i], left.latest[i] - left.earliest[i]
    for j in range(start, end):
        v = right.shape[j]
        reach = width + (right.latest[j] - right.earliest[j])
        size = abs(latest) + abs(right.latest[j])
        verdict = shift_says(
            table.shifts[u, v, 0], table.shifts[u, v, 1], right.anchor[j] - anchor, reach, size, high - low
        )
        if verdict < 0 or (measure and verdict > 0):
            computed += 1
            out[j - start] = probability(left, i, right, j, low, high)
        else:
            out[j - start] = float(verdict)
    return computed
