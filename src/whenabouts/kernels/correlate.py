"""The papers' algorithms, event by event, in the order of arrival: simple, sorted, eager, lazy, look-up, partition.

Every algorithm keeps a buffer a side and forgets an event when no future arrival could still join it: with
`oldest` the least latest time that a later arrival may have, everything before `oldest + reach` is obsolete,
where `reach` is the least distance of LH from an event's latest time (paper 001's LH of e_inv; paper 000,
theorem 4). All of them emit the same pairs; they differ in what they look at, and that is what they count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.bounds import Bounds
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.order import no_later
from whenabouts.kernels.probability import level_of, probability
from whenabouts.kernels.sweep import Table, first_above, first_at_least, table_says

SIMPLE, SORTED, EAGER, PARTITION, LAZY, LOOKUP = range(6)


class Condition(NamedTuple):
    """What is asked of a pair; a side that is the base sees the other one through its own bounds."""

    low: float
    high: float
    confidence: float
    measure: bool


class Stream(NamedTuple):
    """One side as it arrives: its events, keys, bounds over the other side, and its longest delay."""

    events: Events
    group: Ints
    bounds: Bounds
    reach: float
    delay: float


class Effort(NamedTuple):
    """What an algorithm did; `buffered` and `waited` are sums over arrivals and over emitted pairs."""

    candidates: int
    sure: int
    probed: int
    computed: int
    hits: int
    buffered: int
    longest: int
    waited: float


class Pairs(NamedTuple):
    """The result: rows of the left side, rows of the right side, confidences."""

    left: Ints
    right: Ints
    confidence: Floats


@jit
def _with_room(out: Pairs, used: int, extra: int) -> Pairs:
    """The same buffers, or larger ones where `extra` more pairs would not fit."""
    if used + extra <= len(out.left):
        return out
    size = max(used + extra, 2 * len(out.left))
    left = np.empty(size, np.int64)
    right = np.empty(size, np.int64)
    confidence = np.empty(size)
    left[:used] = out.left[:used]
    right[:used] = out.right[:used]
    confidence[:used] = out.confidence[:used]
    return Pairs(left, right, confidence)


@jit
def _write(out: Pairs, n: int, from_left: bool, base: int, target: int, p: float) -> None:
    out.left[n] = base if from_left else target
    out.right[n] = target if from_left else base
    out.confidence[n] = p


@jit
def _pair_probability(base: Events, b: int, target: Events, t: int, from_left: bool, ask: Condition) -> float:
    if from_left:
        return probability(base, b, target, t, ask.low, ask.high)
    return probability(target, t, base, b, ask.low, ask.high)


@jit
def _arrive_and_scan(
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
        out = _with_room(out, n, size[other] - front[other])
        kept = front[other]
        for position in range(front[other], size[other]):
            t = buffers[other, position]
            if base.group[e] == target.group[t]:
                p = _pair_probability(base.events, e, target.events, t, from_left, ask)
                computed += 1
                if p >= level:
                    _write(out, n, from_left, e, t, p)
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
def _arrive_and_cut(
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
        out = _with_room(out, n, end - first)
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
                    p = _pair_probability(base.events, e, target.events, t, from_left, ask)
                else:
                    p = float(verdict)
            if p >= level:
                _write(out, n, from_left, e, t, p)
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
    now: float,
) -> tuple[Pairs, int, int, int, int, float]:
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
    waited = 0.0
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
        out = _with_room(out, n, max(end - first, 0))
        for position in range(first, end):
            t = sorted_target[position]
            if base.group[e] != target.group[t]:
                continue
            probed += 1
            hit = False
            if looking_up and stored[position] >= 0 and holds[position]:
                known = stored[position]
                if earlier:
                    hit = target.events.latest[t] - base.events.earliest[e] <= most and no_later(base.events, e, known)
                else:
                    hit = target.events.earliest[t] - base.events.latest[e] >= least and no_later(base.events, known, e)
            hits += hit
            if not hit or ask.measure:
                computed += 1
                p = _pair_probability(base.events, e, target.events, t, from_left, ask)
            else:
                p = 1.0
            if not hit:
                stored[position] = e
                holds[position] = p >= level
            if p >= level:
                _write(out, n, from_left, e, t, p)
                n += 1
                waited += now - max(base.events.latest[e], times[position])
    return out, n, probed, computed, hits, waited


@jit
def _arrive_and_wait(
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
    waited = 0.0
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
            out = _with_room(out, n, end - first)
            for position in range(first, end):
                t = sorted_target[position]
                if base.group[e] == target.group[t]:
                    sure += 1
                    _write(out, n, from_left, e, t, 1.0)
                    n += 1
                    waited += clock - max(base.events.latest[e], times[position])
        for earlier in (True, False):
            out, n, more_probed, more_computed, more_hits, more_waited = _probe_block(
                base, block, target, sorted_target, times, from_left, ask, earlier, looking_up, out, n, clock
            )
            probed += more_probed
            computed += more_computed
            hits += more_hits
            waited += more_waited
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
    return out, n, Effort(candidates, sure, probed, computed, hits, buffered, longest, waited)


@jit
def correlate(
    algorithm: int,
    streams: tuple[Stream, Stream],
    order: Ints,
    now: Floats,
    ask: Condition,
    table: Table,
    block_size: int,
    every: float,
) -> tuple[Pairs, Effort]:
    """Run one of the papers' algorithms over two streams.

    Parameters
    ----------
    algorithm : {SIMPLE, SORTED, EAGER, PARTITION, LAZY, LOOKUP}
    streams : (Stream, Stream)
        The left and the right side.
    order : int64 array
        The arrivals: row i of the left side as i, row j of the right side as ~j.
    now : float64 array
        The time of each arrival; a later arrival's latest time is at least `now - delay`.
    ask : Condition
    table : Table
        The satisfaction shifts, for PARTITION; else empty.
    block_size : int
        How many waiting arrivals of a side are enough, for LAZY and LOOKUP.
    every : float
        The longest time that an arrival waits, for LAZY and LOOKUP; infinity where only the count matters.
    """
    if algorithm <= SORTED:
        out, n, effort = _arrive_and_scan(streams, order, now, ask, algorithm == SORTED)
    elif algorithm <= PARTITION:
        out, n, effort = _arrive_and_cut(streams, order, now, ask, algorithm == PARTITION, table)
    else:
        out, n, effort = _arrive_and_wait(streams, order, now, ask, algorithm == LOOKUP, block_size, every)
    return Pairs(out.left[:n], out.right[:n], out.confidence[:n]), effort
