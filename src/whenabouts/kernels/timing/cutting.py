"""The algorithms that cut the other buffer by bounds at every arrival: eager and partition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.probing import shift_says
from whenabouts.kernels.timing.streams import Condition, Effort, Pairs, Stream, pair_probability


class Buffer(NamedTuple):
    """The events of both sides that a later arrival may still join: from `front` to `size`, by latest time.

    `near` is room for the shifts of those that an arrival probes. Each is likely to be far away in memory, so they are
    fetched together before they are looked at.
    """

    rows: Ints
    keys: Ints
    latest: Floats
    front: Ints
    size: Ints
    near: Floats


def empty_buffer(capacity: int) -> Buffer:
    """Room for so many events a side."""
    rows, keys, latest = np.empty((2, capacity), np.int64), np.empty((2, capacity), np.int64), np.empty((2, capacity))
    return Buffer(rows, keys, latest, np.zeros(2, np.int64), np.zeros(2, np.int64), np.empty((capacity, 2)))


class Work(NamedTuple):
    """What an arrival took: pairs that were sure, that were probed, and of which a probability was computed."""

    sure: int
    probed: int
    computed: int


@jit
def arrive_and_cut(
    streams: tuple[Stream, Stream],
    order: Ints,
    now: Floats,
    ask: Condition,
    buffer: Buffer,
    start: int,
    enough: int,
    out: Pairs,
) -> tuple[int, int, Effort]:
    """Algorithm 2 (eager) and PTJoin: the bounds cut the other buffer, and only the edges are probed.

    Where the streams have a table, an edge is probed by one comparison with the satisfaction shift of the two
    templates. Arrivals are taken from `start` on until `enough` pairs are written; returned are the next arrival and
    the pairs' number. `out` must have room for `enough` pairs and as many again as one arrival can have.
    """
    n = sure = probed = computed = buffered = longest = 0
    left, right = streams
    k = start
    while k < len(order) and n < enough:
        if order[k] >= 0:
            n, work = _arrive(left, order[k], right, 0, ask, buffer, out.left, out.right, out.confidence, n)
            _forget_and_keep(buffer, 0, left, order[k], now[k])
        else:
            n, work = _arrive(right, ~order[k], left, 1, ask, buffer, out.right, out.left, out.confidence, n)
            _forget_and_keep(buffer, 1, right, ~order[k], now[k])
        sure += work.sure
        probed += work.probed
        computed += work.computed
        length = buffer.size[0] - buffer.front[0] + buffer.size[1] - buffer.front[1]
        buffered += length
        longest = max(longest, length)
        k += 1
    return k, n, Effort(sure + probed, sure, probed, computed, 0, buffered, longest)


@jit
def _arrive(
    base: Stream,
    e: int,
    target: Stream,
    mine: int,
    ask: Condition,
    buffer: Buffer,
    own: Ints,
    partners: Ints,
    confidence: Floats,
    n: int,
) -> tuple[int, Work]:
    """Write the pairs of an arrival with the other buffer: `own` keys, those of its `partners`, and confidences."""
    rows, keys, times = buffer.rows[1 - mine], buffer.keys[1 - mine], buffer.latest[1 - mine]
    begin, stop = buffer.front[1 - mine], buffer.size[1 - mine]
    first = first_at_least(times, begin, stop, stop, base.bounds.no_before[e])
    end = max(first_above(times, begin, stop, stop, base.bounds.no_after[e]), first)
    sure_first = min(max(first_at_least(times, begin, stop, stop, base.bounds.yes_from[e]), first), end)
    sure_end = min(max(first_above(times, begin, stop, stop, base.bounds.yes_to[e]), sure_first), end)
    group, key, level = base.group[e], base.key[e], level_of(ask.confidence)
    filled = n
    if base.alone:
        filled += sure_end - sure_first
        own[n:filled] = key
        partners[n:filled] = keys[sure_first:sure_end]
    else:
        for position in range(sure_first, sure_end):
            own[filled] = key
            partners[filled] = keys[position]
            filled += target.group[rows[position]] == group
    if ask.measure:
        confidence[n:filled] = 1.0
    sure = filled - n
    n = filled
    probed = computed = 0
    tabled, shifts, near = len(base.table.shifts) > 0, base.table.shifts, buffer.near
    u, anchor, latest = base.events.shape[e], base.events.anchor[e], base.events.latest[e]
    width = latest - base.events.earliest[e]
    others = target.events
    edges, gap = sure_first - first + end - sure_end, sure_end - sure_first
    for k in range(edges if tabled else 0):
        v = others.shape[rows[first + k + (gap if first + k >= sure_first else 0)]]
        near[k, 0], near[k, 1] = shifts[u, v, 0], shifts[u, v, 1]
    for k in range(edges):
        position = first + k + (gap if first + k >= sure_first else 0)
        t = rows[position]
        if target.group[t] != group:
            continue
        probed += 1
        verdict = -1
        if tabled:
            reach = width + (others.latest[t] - others.earliest[t])
            size = abs(latest) + abs(others.latest[t])
            verdict = shift_says(near[k, 0], near[k, 1], others.anchor[t] - anchor, reach, size, ask.high - ask.low)
        p = float(verdict)
        if verdict < 0 or (verdict > 0 and ask.measure):
            computed += 1
            p = pair_probability(base.events, e, target.events, t, mine == 0, ask)
        own[n] = key
        partners[n] = keys[position]
        if ask.measure:
            confidence[n] = p
        n += p >= level
    return n, Work(sure, probed, computed)


@jit
def _forget_and_keep(buffer: Buffer, mine: int, base: Stream, e: int, now: float) -> None:
    """Forget what no later arrival can join, and put this one where its latest time belongs, most often at the end."""
    other = 1 - mine
    limit = now - base.delay + base.reach
    while buffer.front[other] < buffer.size[other] and buffer.latest[other, buffer.front[other]] < limit:
        buffer.front[other] += 1
    rows, keys, times = buffer.rows[mine], buffer.keys[mine], buffer.latest[mine]
    latest = base.events.latest[e]
    position = buffer.size[mine]
    while position > buffer.front[mine] and times[position - 1] > latest:
        rows[position] = rows[position - 1]
        keys[position] = keys[position - 1]
        times[position] = times[position - 1]
        position -= 1
    rows[position] = e
    keys[position] = base.key[e]
    times[position] = latest
    buffer.size[mine] += 1
