"""The algorithms that act at every arrival: simple and sorted, which scan, eager and partition, which cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.probing import Table, table_says
from whenabouts.kernels.timing.streams import Condition, Effort, Pairs, Stream, pair_probability, with_room, write


@jit
def arrive_and_scan(
    streams: tuple[Stream, Stream], order: Ints, now: Floats, ask: Condition, ordered: bool
) -> tuple[Pairs, int, Effort]:
    """Algorithm 1 and its sorted variant: every arrival is held against the whole other buffer."""
    level = level_of(ask.confidence)
    buffers = np.empty((2, len(order)), np.int64)
    size = np.zeros(2, np.int64)
    front = np.zeros(2, np.int64)
    out = Pairs(np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024))
    n = 0
    computed = buffered = longest = 0
    for k in range(len(order)):
        from_left = order[k] >= 0
        if from_left:
            e = order[k]
            base, target = streams
            mine, other = 0, 1
        else:
            e = ~order[k]
            target, base = streams
            mine, other = 1, 0
        limit = now[k] - base.delay + base.reach
        out = with_room(out, n, size[other] - front[other])
        kept = front[other]
        for position in range(front[other], size[other]):
            t = buffers[other, position]
            if base.group[e] == target.group[t]:
                p = pair_probability(base.events, e, target.events, t, from_left, ask)
                computed += 1
                if p >= level:
                    write(out, n, from_left, e, t, p)
                    n += 1
            if not ordered and target.events.latest[t] >= limit:
                buffers[other, kept] = t
                kept += 1
        if ordered:
            while front[other] < size[other] and target.events.latest[buffers[other, front[other]]] < limit:
                front[other] += 1
        else:
            size[other] = kept
        position = size[mine]
        if ordered:
            while position > front[mine] and base.events.latest[buffers[mine, position - 1]] > base.events.latest[e]:
                buffers[mine, position] = buffers[mine, position - 1]
                position -= 1
        buffers[mine, position] = e
        size[mine] += 1
        length = size[0] - front[0] + size[1] - front[1]
        buffered += length
        longest = max(longest, length)
    return out, n, Effort(computed, 0, computed, computed, 0, buffered, longest)


class Buffer(NamedTuple):
    """The events of both sides that a later arrival may still join: from `front` to `size`, by latest time."""

    rows: Ints
    latest: Floats
    front: Ints
    size: Ints


def empty_buffer(capacity: int) -> Buffer:
    """Room for so many events a side."""
    rows, latest = np.empty((2, capacity), np.int64), np.empty((2, capacity))
    return Buffer(rows, latest, np.zeros(2, np.int64), np.zeros(2, np.int64))


@jit
def arrive_and_cut(
    streams: tuple[Stream, Stream],
    order: Ints,
    now: Floats,
    ask: Condition,
    tabled: bool,
    table: Table,
    buffer: Buffer,
    start: int,
    enough: int,
    keys: tuple[Ints, Ints],
    out: Pairs,
) -> tuple[int, int, Effort]:
    """Algorithm 2 (eager) and PTJoin: the bounds cut the other buffer, and only the edges are probed.

    With `tabled`, an edge is probed by one comparison with the satisfaction shift of the two templates. Arrivals
    are taken from `start` on until `enough` pairs are written, by their `keys`; returned are the next arrival
    and the pairs' number. `out` must have room for `enough` pairs and as many again as one arrival can have.
    """
    n = 0
    sure = probed = computed = buffered = longest = 0
    k = start
    while k < len(order) and n < enough:
        from_left = order[k] >= 0
        if from_left:
            e = order[k]
            base, target = streams
            base_key, target_key = keys
            mine, other = 0, 1
        else:
            e = ~order[k]
            target, base = streams
            target_key, base_key = keys
            mine, other = 1, 0
        own, partners = (out.left, out.right) if from_left else (out.right, out.left)
        times = buffer.latest[other]
        rows = buffer.rows[other]
        begin = buffer.front[other]
        stop = buffer.size[other]
        first = first_at_least(times, begin, stop, stop, base.bounds.no_before[e])
        end = max(first_above(times, begin, stop, stop, base.bounds.no_after[e]), first)
        sure_first = min(max(first_at_least(times, begin, stop, stop, base.bounds.yes_from[e]), first), end)
        sure_end = min(max(first_above(times, begin, stop, stop, base.bounds.yes_to[e]), sure_first), end)
        filled = n
        for t in rows[sure_first:sure_end]:
            own[filled] = base_key[e]
            partners[filled] = target_key[t]
            filled += base.group[e] == target.group[t]
        if ask.measure:
            out.confidence[n:filled] = 1.0
        sure += filled - n
        for edge in ((first, sure_first), (sure_end, end)):
            filled, looked_at, worked_out = _probe(
                base,
                e,
                target,
                rows[edge[0] : edge[1]],
                from_left,
                ask,
                tabled,
                table,
                base_key,
                target_key,
                own,
                partners,
                out.confidence,
                filled,
            )
            probed += looked_at
            computed += worked_out
        n = filled
        limit = now[k] - base.delay + base.reach
        while buffer.front[other] < stop and times[buffer.front[other]] < limit:
            buffer.front[other] += 1
        _insert(buffer, mine, e, base.events.latest[e])
        length = buffer.size[0] - buffer.front[0] + buffer.size[1] - buffer.front[1]
        buffered += length
        longest = max(longest, length)
        k += 1
    return k, n, Effort(sure + probed, sure, probed, computed, 0, buffered, longest)


@jit
def _probe(
    base: Stream,
    e: int,
    target: Stream,
    rows: Ints,
    from_left: bool,
    ask: Condition,
    tabled: bool,
    table: Table,
    base_key: Ints,
    target_key: Ints,
    own: Ints,
    partners: Ints,
    confidence: Floats,
    n: int,
) -> tuple[int, int, int]:
    """Write those pairs of an edge that hold; count the candidates, and how many probabilities it took."""
    level = level_of(ask.confidence)
    candidates = computed = 0
    for t in rows:
        if base.group[e] != target.group[t]:
            continue
        candidates += 1
        verdict = -1
        if tabled and from_left:
            verdict = table_says(table, base.events, e, target.events, t, ask.high - ask.low)
        elif tabled:
            verdict = table_says(table, target.events, t, base.events, e, ask.high - ask.low)
        p = float(verdict)
        if verdict < 0 or (verdict > 0 and ask.measure):
            computed += 1
            p = pair_probability(base.events, e, target.events, t, from_left, ask)
        if p >= level:
            own[n] = base_key[e]
            partners[n] = target_key[t]
            if ask.measure:
                confidence[n] = p
            n += 1
    return n, candidates, computed


@jit
def _insert(buffer: Buffer, side: int, e: int, latest: float) -> None:
    """Put an arrival where its latest time belongs, most often at the end."""
    rows = buffer.rows[side]
    times = buffer.latest[side]
    position = buffer.size[side]
    while position > buffer.front[side] and times[position - 1] > latest:
        rows[position] = rows[position - 1]
        times[position] = times[position - 1]
        position -= 1
    rows[position] = e
    times[position] = latest
    buffer.size[side] += 1
