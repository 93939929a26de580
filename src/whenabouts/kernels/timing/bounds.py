"""Bounds on the other side's latest times: where a pair is surely in, surely out, or must be probed.

For one event x and a partner of which only the latest time m is known, the probability of the band lies
between two curves (paper 001, figure 1). Where they cross the threshold are the paper's

    LH = no_before    m below it: surely no         LL = yes_from    m from it ...
    RH = no_after     m above it: surely no         RL = yes_to      ... to here: surely yes

The curves come from the stochastically earliest and latest distribution that a partner can have relative to
its latest time. For uniform intervals of widths in [narrowest, widest] these are the widest and the
narrowest one, as the paper proves; for any other set of distributions they are the upper and the lower
envelope of their distribution functions, which is the generalisation that the paper asks for.

Outer bounds give way and inner bounds hold back by what rounding can do: what is left is probed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints, Shapes, shape_supports
from whenabouts.kernels.probability import TOLERANCE
from whenabouts.kernels.timing.satisfaction import quantile

_GRID = 64


class Bounds(NamedTuple):
    """One row an event: the ends of the ranges over the latest times of the other side."""

    no_before: Floats
    yes_from: Floats
    yes_to: Floats
    no_after: Floats


@jit
def slack(a: float, b: float) -> float:
    """How far rounding can have moved a sum of numbers of this size."""
    return 1e-15 * (abs(a) + abs(b))


@jit
def uniform_head(level: float, x_width: float, y_width: float) -> float:
    """The room z - (y1 - x2) at which P(Y - X <= z) reaches `level`: the inverse of the trapezoid."""
    narrow = min(x_width, y_width)
    wide = max(x_width, y_width)
    if level <= 0.0:
        return 0.0
    if level >= 1.0:
        return narrow + wide
    if wide == 0.0:
        return 0.0
    if 2.0 * level * wide <= narrow:
        return np.sqrt(2.0 * level * narrow * wide)
    if 2.0 * (1.0 - level) * wide <= narrow:
        return narrow + wide - np.sqrt(2.0 * (1.0 - level) * narrow * wide)
    return level * wide + 0.5 * narrow


@jit
def sure_level(confidence: float, certain: bool, reach: float, band: float) -> float:
    """The one-sided confidence that makes a pair sure.

    With `certain` only probability one is sure, so that no arithmetic is needed to report it. Where the
    difference of the two times can stick out of the band on one end only (`reach <= band`), a one-sided
    confidence is the confidence; else half of the doubt is granted to each end.
    """
    if certain:
        return 1.0
    return confidence if reach <= band else 0.5 * (1.0 + confidence)


@jit
def uniform_bounds(
    earliest: Floats,
    latest: Floats,
    group: Ints,
    narrowest: Floats,
    widest: Floats,
    low: float,
    high: float,
    confidence: float,
    certain: bool,
) -> Bounds:
    """LH, LL, RL and RH of uniform events against uniform partners of bounded widths, in closed form."""
    n = len(earliest)
    no_before = np.empty(n)
    yes_from = np.empty(n)
    yes_to = np.empty(n)
    no_after = np.empty(n)
    loose = confidence - 2.0 * TOLERANCE
    for i in range(n):
        x2 = latest[i]
        u = x2 - earliest[i]
        wide = widest[group[i]]
        thin = narrowest[group[i]]
        strict = sure_level(confidence, certain, u + wide, high - low)
        hold = 1e-9 * (u + wide) if strict < 1.0 else 0.0
        if low > -np.inf:
            give = slack(x2, abs(low) + u + wide)
            no_before[i] = x2 + low - uniform_head(1.0 - loose, u, thin) + thin - give
            yes_from[i] = x2 + low - uniform_head(1.0 - strict, u, wide) + wide + give + hold
        else:
            no_before[i] = -np.inf
            yes_from[i] = -np.inf
        if high < np.inf:
            give = slack(x2, abs(high) + u + wide)
            no_after[i] = x2 + high - uniform_head(loose, u, wide) + wide + give
            yes_to[i] = x2 + high - uniform_head(strict, u, thin) + thin - give - hold
        else:
            no_after[i] = np.inf
            yes_to[i] = np.inf
    return Bounds(no_before, yes_from, yes_to, no_after)


def support_bounds(events: Events, group: Ints, widest: Floats, low: float, high: float) -> Bounds:
    """The ranges that hold for any distribution and threshold (paper 000, equations 4 to 6)."""
    wide = widest[group]
    reach = np.abs(events.latest) + np.abs(events.earliest) + wide
    low_slack = 1e-15 * (reach + (abs(low) if np.isfinite(low) else 0.0))
    high_slack = 1e-15 * (reach + (abs(high) if np.isfinite(high) else 0.0))
    return Bounds(
        events.earliest + low - low_slack,
        events.latest + low + wide + low_slack,
        events.earliest + high - high_slack,
        events.latest + high + wide + high_slack,
    )


@jit
def _cdf(shapes: Shapes, k: int, t: float) -> float:
    """P(shape k, relative to its own latest moment, <= t)."""
    end = shapes.hi[shapes.start[k + 1] - 1]
    total = 0.0
    for p in range(shapes.start[k], shapes.start[k + 1]):
        lo = shapes.lo[p] - end
        hi = shapes.hi[p] - end
        if hi <= t:
            total += shapes.mass[p]
        elif lo < t:
            total += shapes.mass[p] * ((t - lo) / (hi - lo))
    return total


@jit
def _envelope_cdfs(shapes: Shapes, grid: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest distribution function of all shapes at each point of the grid."""
    least = np.ones(len(grid))
    most = np.zeros(len(grid))
    for k in range(len(shapes.start) - 1):
        for g in range(len(grid)):
            value = _cdf(shapes, k, grid[g])
            least[g] = min(least[g], value)
            most[g] = max(most[g], value)
    return least, most


def envelopes(shapes: Shapes) -> Shapes:
    """Two shapes, relative to the latest moment, between which every given shape lies.

    Shape 0 is stochastically no later, shape 1 no earlier than any of them; both are step functions on a
    grid, so they are safe though not the tightest. A single shape is its own envelope.
    """
    first, last = shape_supports(shapes)
    if len(first) == 1:
        pieces = slice(int(shapes.start[0]), int(shapes.start[1]))
        lo, hi, mass = shapes.lo[pieces] - last[0], shapes.hi[pieces] - last[0], shapes.mass[pieces]
        twice = [np.concatenate([column, column]) for column in (lo, hi, mass)]
        return Shapes(np.array([0, len(lo), 2 * len(lo)]), *twice)
    grid = np.linspace(-np.max(last - first), 0.0, _GRID + 1)
    least, most = _envelope_cdfs(shapes, grid)
    least[-1] = most[-1] = 1.0
    early = np.diff(np.concatenate([[0.0], most[1:]]))
    late = np.diff(np.concatenate([[0.0], least]))
    at = np.concatenate([grid[:-1], grid])
    return Shapes(np.array([0, _GRID, 2 * _GRID + 1]), at, at.copy(), np.concatenate([early, late]))


@jit
def _shape_bounds(
    shapes: Shapes, partners: Shapes, wide: float, low: float, high: float, confidence: float, certain: bool
) -> Floats:
    """LH, LL, RL and RH of every shape, relative to its anchor, against the two envelopes of its partners."""
    n = len(shapes.start) - 1
    result = np.empty((n, 4))
    loose = max(confidence - 2.0 * TOLERANCE, TOLERANCE)
    for k in range(n):
        own = shapes.hi[shapes.start[k + 1] - 1] - shapes.lo[shapes.start[k]]
        strict = sure_level(confidence, certain, own + wide, high - low)
        hold = 1e-9 * (own + wide) if strict < 1.0 else 0.0
        result[k, 0] = result[k, 1] = -np.inf
        result[k, 2] = result[k, 3] = np.inf
        if low > -np.inf:
            result[k, 0] = low + quantile(partners, 1, shapes, k, loose)
            result[k, 1] = low + quantile(partners, 0, shapes, k, strict) + hold
        if high < np.inf:
            result[k, 2] = high - quantile(shapes, k, partners, 1, strict) - hold
            result[k, 3] = high - quantile(shapes, k, partners, 0, loose)
    return result


def shaped_bounds(
    events: Events, partners: Shapes, low: float, high: float, confidence: float, certain: bool
) -> Bounds:
    """LH, LL, RL and RH of events of any shape against partners of any shape."""
    first, last = shape_supports(partners)
    relative = _shape_bounds(
        events.shapes, envelopes(partners), float(np.max(last - first)), low, high, confidence, certain
    )
    return at_anchors(events, Bounds(*(np.ascontiguousarray(column) for column in relative.T)))


def at_anchors(events: Events, relative: Bounds) -> Bounds:
    """Bounds of shapes, moved to where each event stands, giving way to rounding."""
    ends = []
    for column, outwards in zip(relative, (-1.0, 1.0, -1.0, 1.0), strict=True):
        offset = column[events.shape]
        give = 1e-15 * (2.0 * np.abs(events.anchor) + np.abs(offset))
        ends.append(events.anchor + offset + np.where(np.isfinite(offset), outwards * give, 0.0))
    return Bounds(*ends)
