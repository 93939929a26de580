"""The sweep where partners are few: every pair that can hold at all is looked at, a block of pairs at a time.

For a handful of partners the ends of ranges cost more to find than they save. So a block of pairs is gathered whose
supports let them hold; those that surely do are set apart by two comparisons, the probabilities of the others are
computed together, free of branches, and what reaches the threshold is written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.probing import pair_probabilities
from whenabouts.kernels.timing.streams import Condition, Pairs
from whenabouts.kernels.timing.sweep import Count, Cursor, Groups

BLOCK = 1024
"""How many pairs are gathered at once: as many as stay in the first cache."""


class Window(NamedTuple):
    """Where partners can lie: a latest time before `no_before` or an earliest one after `no_after` rules them out.

    A partner that lies wholly from `yes_from` to `yes_to` surely holds.
    """

    no_before: float
    yes_from: float
    yes_to: float
    no_after: float


@jit
def support_window(x1: float, x2: float, widest: float, ask: Condition) -> Window:
    """The window of x by the ends of its time alone, safe from what rounding can do."""
    low = ask.low if ask.low > -np.inf else 0.0
    high = ask.high if ask.high < np.inf else 0.0
    give = 1e-15 * (abs(x1) + abs(x2) + abs(low) + abs(high) + widest)
    return Window(
        x1 + ask.low - give,
        x2 + low + give if ask.low > -np.inf else -np.inf,
        x1 + high - give if ask.high < np.inf else np.inf,
        x2 + ask.high + give,
    )


@jit
def typical_window(left: Events, right: Events, groups: Groups, widest: Floats, ask: Condition, step: int) -> float:
    """How many partners a left event can have, on average over every `step`-th."""
    total = looked_at = 0
    for row in range(0, len(left.latest), step):
        group = groups.left[row]
        start = groups.right_start[group]
        stop = groups.right_end[group]
        window = support_window(left.earliest[row], left.latest[row], widest[group], ask)
        first = first_at_least(right.latest, start, stop, start, window.no_before)
        total += first_above(right.latest, first, stop, first, window.no_after + widest[group]) - first
        looked_at += 1
    return total / max(looked_at, 1)


@jit
def sweep_near(
    left: Events, right: Events, keys: tuple[Ints, Ints], groups: Groups, widest: Floats, ask: Condition,
    cursor: Cursor, out: Pairs,
) -> tuple[Cursor, Count]:  # fmt: skip
    """Fill the buffers with pairs of uniform events until they are full or the left rows are done.

    Both sides are sorted by group, then by latest time; `keys` is what is written for their events, and `widest` the
    widest right event of each group. The returned cursor is the next call's; all is done when its row is the last.
    """
    level = level_of(ask.confidence)
    left_key, right_key = keys
    left_earliest, left_latest = left.earliest, left.latest
    right_earliest, right_latest = right.earliest, right.latest
    block = min(BLOCK, len(out.left))
    of, at, edge = np.empty(block + 1, np.int64), np.empty(block + 1, np.int64), np.empty(block + 1, np.int64)
    p, doubtful = np.ones(block + 1), np.empty(block)
    x1s, x2s, y1s, y2s = np.empty(block), np.empty(block), np.empty(block), np.empty(block)
    row, column, first = cursor.row, cursor.column, cursor.first
    rows = len(left_latest)
    n = candidates = probed = 0
    while row < rows and n + block <= len(out.left):
        m = edges = 0
        while row < rows and m < block:
            group = groups.left[row]
            stop = groups.right_end[group]
            window = support_window(left_earliest[row], left_latest[row], widest[group], ask)
            if column == 0:
                first = max(first, groups.right_start[group])
                while first > groups.right_start[group] and right_latest[first - 1] >= window.no_before:
                    first -= 1
                while first < stop and right_latest[first] < window.no_before:
                    first += 1
            j = max(column, first)
            last = window.no_after + widest[group]
            until = min(stop, j + block - m)
            while j < until:
                y1 = right_earliest[j]
                y2 = right_latest[j]
                if y2 > last:
                    break
                of[m] = row
                at[m] = j
                edge[edges] = m
                can = y1 <= window.no_after
                edges += can & ((y1 < window.yes_from) | (y2 > window.yes_to))
                m += can
                j += 1
            if j == until and until < stop:
                column = j
            else:
                column = 0
                row += 1
        for k in range(edges):
            i = of[edge[k]]
            j = at[edge[k]]
            x1s[k] = left_earliest[i]
            x2s[k] = left_latest[i]
            y1s[k] = right_earliest[j]
            y2s[k] = right_latest[j]
        pair_probabilities(x1s, x2s, y1s, y2s, edges, ask.low, ask.high, doubtful)
        for k in range(edges):
            p[edge[k]] = doubtful[k]
        for k in range(m):
            out.left[n] = left_key[of[k]]
            out.right[n] = right_key[at[k]]
            if ask.measure:
                out.confidence[n] = p[k]
            n += p[k] >= level
        for k in range(edges):
            p[edge[k]] = 1.0
        candidates += m
        probed += edges
    return Cursor(row, column, first, first, first, first), Count(n, candidates, candidates - probed, probed, probed)
