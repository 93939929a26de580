"""The algorithms that wait for a block of arrivals: lazy, and lazy with look-up."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.bounds import slack
from whenabouts.kernels.timing.order import no_later
from whenabouts.kernels.timing.streams import Condition, Effort, Pairs, Stream, pair_probability, with_room, write


@jit
def _probe_block(
    base: Stream,
    block: Ints,
    target: Stream,
    sorted_target: Ints,
    times: Floats,
    from_left: bool,
    ask: Condition,
    earlier: bool,
    looking_up: bool,
    out: Pairs,
    n: int,
) -> tuple[Pairs, int, int, int, int]:
    """Algorithm 6 from line 13: one of the two probe regions of a whole block, with or without look-up.

    The earlier region is walked from the block's tail, the later one from its head. Then a pair that was
    found satisfied stays so for every base event that is stochastically further on the way (corollary 2,
    for any distribution: `no_later` compares the distribution functions). It holds where the pair cannot
    leave the band on the other end; else the probability is computed.
    """
    level = level_of(ask.confidence)
    stored = np.full(len(times), -1, np.int64)
    holds = np.zeros(len(times), np.bool_)
    probed = computed = hits = 0
    least = ask.low if from_left else -ask.high
    most = ask.high if from_left else -ask.low
    for k in range(len(block)):
        e = block[len(block) - 1 - k] if earlier else block[k]
        if earlier:
            first = first_at_least(times, 0, len(times), 0, base.bounds.no_before[e])
            end = first_at_least(times, 0, len(times), first, base.bounds.yes_from[e])
            end = min(end, first_above(times, 0, len(times), first, base.bounds.no_after[e]))
        else:
            end = first_above(times, 0, len(times), 0, base.bounds.no_after[e])
            first = first_above(times, 0, len(times), end, base.bounds.yes_to[e])
            first = max(first, first_at_least(times, 0, len(times), first, base.bounds.yes_from[e]))
        out = with_room(out, n, max(end - first, 0))
        for position in range(first, end):
            t = sorted_target[position]
            if base.group[e] != target.group[t]:
                continue
            probed += 1
            hit = False
            if looking_up and stored[position] >= 0 and holds[position]:
                known = stored[position]
                if earlier:
                    y, x = target.events.latest[t], base.events.earliest[e]
                    hit = y - x <= most - slack(y, x) and no_later(base.events, e, known)
                else:
                    y, x = target.events.earliest[t], base.events.latest[e]
                    hit = y - x >= least + slack(y, x) and no_later(base.events, known, e)
            hits += hit
            if not hit or ask.measure:
                computed += 1
                p = pair_probability(base.events, e, target.events, t, from_left, ask)
            else:
                p = 1.0
            if not hit:
                stored[position] = e
                holds[position] = p >= level
            if p >= level:
                write(out, n, from_left, e, t, p)
                n += 1
    return out, n, probed, computed, hits


@jit
def _write_sure(base: Stream, e: int, target: Stream, partners: Ints, from_left: bool, out: Pairs, n: int) -> int:
    """Write the pairs of an event with those of its group among sure partners; how many pairs there are now."""
    own, others = (out.left, out.right) if from_left else (out.right, out.left)
    filled = n
    if base.alone:
        filled += len(partners)
        own[n:filled] = e
        others[n:filled] = partners
    else:
        for t in partners:
            own[filled] = e
            others[filled] = t
            filled += base.group[e] == target.group[t]
    out.confidence[n:filled] = 1.0
    return filled


@jit
def arrive_and_wait(
    streams: tuple[Stream, Stream],
    order: Ints,
    now: Floats,
    ask: Condition,
    looking_up: bool,
    block_size: int,
    every: float,
) -> tuple[Pairs, int, Effort]:
    """Algorithms 4 to 7 (lazy, with or without look-up): arrivals wait until their block is worth a sweep.

    A block of a side is held against the sorted, already processed part of the other side, so that each
    pair is met once: when the later processed of its two events is.
    """
    buffers = np.empty((2, len(order)), np.int64)
    latest = np.empty((2, len(order)))
    front = np.zeros(2, np.int64)
    done = np.zeros(2, np.int64)
    size = np.zeros(2, np.int64)
    since = np.full(2, np.inf)
    out = Pairs(np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024))
    n = 0
    candidates = sure = probed = computed = hits = buffered = longest = 0
    for k in range(len(order) + 2):
        if k < len(order):
            mine = 0 if order[k] >= 0 else 1
            e = order[k] if order[k] >= 0 else ~order[k]
            clock = now[k]
            buffers[mine, size[mine]] = e
            latest[mine, size[mine]] = streams[0].events.latest[e] if mine == 0 else streams[1].events.latest[e]
            size[mine] += 1
            since[mine] = min(since[mine], clock)
            length = size[0] - front[0] + size[1] - front[1]
            buffered += length
            longest = max(longest, length)
            ready = size[mine] - done[mine] >= block_size or clock - since[mine] >= every
        else:
            mine = k - len(order)
            clock = now[len(order) - 1] if len(order) else 0.0
            ready = size[mine] > done[mine]
        if not ready:
            continue
        other = 1 - mine
        from_left = mine == 0
        if from_left:
            base, target = streams
        else:
            target, base = streams
        by_latest = np.argsort(latest[mine, done[mine] : size[mine]], kind="mergesort")
        block = buffers[mine, done[mine] : size[mine]][by_latest]
        sorted_target = buffers[other, front[other] : done[other]]
        times = latest[other, front[other] : done[other]]
        hint = len(times)
        for e in block:
            first = first_at_least(times, 0, len(times), hint, base.bounds.yes_from[e])
            end = max(first_above(times, 0, len(times), hint, base.bounds.yes_to[e]), first)
            end = min(end, max(first_above(times, 0, len(times), hint, base.bounds.no_after[e]), first))
            out = with_room(out, n, end - first)
            filled = _write_sure(base, e, target, sorted_target[first:end], from_left, out, n)
            sure += filled - n
            n = filled
        for earlier in (True, False):
            out, n, more_probed, more_computed, more_hits = _probe_block(
                base, block, target, sorted_target, times, from_left, ask, earlier, looking_up, out, n
            )
            probed += more_probed
            computed += more_computed
            hits += more_hits
        whole = np.argsort(latest[mine, front[mine] : size[mine]], kind="mergesort")
        buffers[mine, front[mine] : size[mine]] = buffers[mine, front[mine] : size[mine]][whole]
        latest[mine, front[mine] : size[mine]] = latest[mine, front[mine] : size[mine]][whole]
        done[mine] = size[mine]
        since[mine] = np.inf
        waiting = latest[other, done[other] : size[other]]
        oldest = clock - target.delay
        for time in waiting:
            oldest = min(oldest, time)
        while front[mine] < done[mine] and latest[mine, front[mine]] < oldest + target.reach:
            front[mine] += 1
        limit = clock - base.delay + base.reach
        while front[other] < done[other] and latest[other, front[other]] < limit:
            front[other] += 1
    candidates = sure + probed
    return out, n, Effort(candidates, sure, probed, computed, hits, buffered, longest)
