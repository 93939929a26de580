"""The algorithms that act at every arrival: simple and sorted, which scan, eager and partition, which cut."""

from __future__ import annotations

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
    waited = 0.0
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
                    waited += now[k] - max(base.events.latest[e], target.events.latest[t])
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
    return out, n, Effort(computed, 0, computed, computed, 0, buffered, longest, waited)


@jit
def arrive_and_cut(
    streams: tuple[Stream, Stream], order: Ints, now: Floats, ask: Condition, tabled: bool, table: Table
) -> tuple[Pairs, int, Effort]:
    """Algorithm 2 (eager) and PTJoin: the bounds cut the other buffer, and only the edges are probed.

    With `tabled`, an edge is probed by one comparison with the satisfaction shift of the two templates.
    """
    level = level_of(ask.confidence)
    buffers = np.empty((2, len(order)), np.int64)
    latest = np.empty((2, len(order)))
    size = np.zeros(2, np.int64)
    front = np.zeros(2, np.int64)
    out = Pairs(np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024))
    n = 0
    candidates = sure = probed = computed = buffered = longest = 0
    waited = 0.0
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
        times = latest[other]
        start = front[other]
        stop = size[other]
        first = first_at_least(times, start, stop, stop, base.bounds.no_before[e])
        end = max(first_above(times, start, stop, stop, base.bounds.no_after[e]), first)
        sure_first = min(max(first_at_least(times, start, stop, stop, base.bounds.yes_from[e]), first), end)
        sure_end = min(max(first_above(times, start, stop, stop, base.bounds.yes_to[e]), sure_first), end)
        out = with_room(out, n, end - first)
        for position in range(first, end):
            t = buffers[other, position]
            if base.group[e] != target.group[t]:
                continue
            candidates += 1
            if sure_first <= position < sure_end:
                sure += 1
                p = 1.0
            else:
                probed += 1
                verdict = -1
                if tabled and from_left:
                    verdict = table_says(table, base.events, e, target.events, t, ask.high - ask.low)
                elif tabled:
                    verdict = table_says(table, target.events, t, base.events, e, ask.high - ask.low)
                if verdict < 0 or (verdict > 0 and ask.measure):
                    computed += 1
                    p = pair_probability(base.events, e, target.events, t, from_left, ask)
                else:
                    p = float(verdict)
            if p >= level:
                write(out, n, from_left, e, t, p)
                n += 1
                waited += now[k] - max(base.events.latest[e], times[position])
        limit = now[k] - base.delay + base.reach
        while front[other] < size[other] and times[front[other]] < limit:
            front[other] += 1
        position = size[mine]
        value = base.events.latest[e]
        while position > front[mine] and latest[mine, position - 1] > value:
            buffers[mine, position] = buffers[mine, position - 1]
            latest[mine, position] = latest[mine, position - 1]
            position -= 1
        buffers[mine, position] = e
        latest[mine, position] = value
        size[mine] += 1
        length = size[0] - front[0] + size[1] - front[1]
        buffered += length
        longest = max(longest, length)
    return out, n, Effort(candidates, sure, probed, computed, 0, buffered, longest, waited)
