"""The algorithms that hold every arrival against the whole other buffer: simple and sorted."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.probability import level_of
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
