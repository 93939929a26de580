"""The algorithms that wait for a block of arrivals: lazy, and lazy with look-up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.bounds import slack
from whenabouts.kernels.timing.order import no_later
from whenabouts.kernels.timing.streams import Condition, Effort, Pairs, Stream, pair_probability, with_room, write


class Waiting(NamedTuple):
    """The events of both sides that wait, or that a later arrival may still join.

    From `front` to `done` they are processed and in the order of their latest times, from there to `size` they wait for
    their block, the first of them `since` when.
    """

    rows: Ints
    keys: Ints
    latest: Floats
    front: Ints
    done: Ints
    size: Ints
    since: Floats


def nobody(capacity: int) -> Waiting:
    """Room for so many events a side."""
    rows, keys, latest = np.empty((2, capacity), np.int64), np.empty((2, capacity), np.int64), np.empty((2, capacity))
    none = [np.zeros(2, np.int64) for _ in range(3)]
    return Waiting(rows, keys, latest, none[0], none[1], none[2], np.full(2, np.inf))


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
                write(out, n, from_left, base.key[e], target.key[t], p)
                n += 1
    return out, n, probed, computed, hits


@jit
def _write_sure(
    base: Stream, e: int, target: Stream, rows: Ints, keys: Ints, from_left: bool, out: Pairs, n: int
) -> int:
    """Write the pairs of an event with those of its group among sure partners; how many pairs there are now."""
    own, others = (out.left, out.right) if from_left else (out.right, out.left)
    filled = n
    if base.alone:
        filled += len(keys)
        own[n:filled] = base.key[e]
        others[n:filled] = keys
    else:
        for k in range(len(keys)):
            own[filled] = base.key[e]
            others[filled] = keys[k]
            filled += base.group[e] == target.group[rows[k]]
    if len(out.confidence):
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
    held: Waiting,
    start: int,
    enough: int,
    out: Pairs,
) -> tuple[int, Pairs, int, Effort]:
    """Algorithms 4 to 7 (lazy, with or without look-up): arrivals wait until their block is worth a sweep.

    A block of a side is held against the sorted, already processed part of the other side, so that each
    pair is met once: when the later processed of its two events is. Arrivals are taken from `start` on until `enough`
    pairs are written; returned are the next arrival, the pairs and their number. Behind the last arrival are two more,
    which end what still waits on either side.
    """
    n = sure = probed = computed = hits = buffered = longest = 0
    rows, latest, front, done, size, since = held.rows, held.latest, held.front, held.done, held.size, held.since
    k = start
    while k < len(order) + 2 and n < enough:
        if k < len(order):
            mine = 0 if order[k] >= 0 else 1
            e = order[k] if order[k] >= 0 else ~order[k]
            clock = now[k]
            _keep(held, mine, streams[0] if mine == 0 else streams[1], e, clock)
            length = size[0] - front[0] + size[1] - front[1]
            buffered += length
            longest = max(longest, length)
            ready = size[mine] - done[mine] >= block_size or clock - since[mine] >= every
        else:
            mine = k - len(order)
            clock = now[len(order) - 1] if len(order) else 0.0
            ready = size[mine] > done[mine]
        k += 1
        if not ready:
            continue
        other = 1 - mine
        from_left = mine == 0
        if from_left:
            base, target = streams
        else:
            target, base = streams
        by_latest = np.argsort(latest[mine, done[mine] : size[mine]], kind="mergesort")
        block = rows[mine, done[mine] : size[mine]][by_latest]
        sorted_target = rows[other, front[other] : done[other]]
        keys = held.keys[other, front[other] : done[other]]
        times = latest[other, front[other] : done[other]]
        hint = len(times)
        for e in block:
            first = first_at_least(times, 0, len(times), hint, base.bounds.yes_from[e])
            end = max(first_above(times, 0, len(times), hint, base.bounds.yes_to[e]), first)
            end = min(end, max(first_above(times, 0, len(times), hint, base.bounds.no_after[e]), first))
            out = with_room(out, n, end - first)
            filled = _write_sure(base, e, target, sorted_target[first:end], keys[first:end], from_left, out, n)
            sure += filled - n
            n = filled
        for earlier in (True, False):
            out, n, more_probed, more_computed, more_hits = _probe_block(
                base, block, target, sorted_target, times, from_left, ask, earlier, looking_up, out, n
            )
            probed += more_probed
            computed += more_computed
            hits += more_hits
        _end_block(held, mine)
        oldest = clock - target.delay
        for time in latest[other, done[other] : size[other]]:
            oldest = min(oldest, time)
        while front[mine] < done[mine] and latest[mine, front[mine]] < oldest + target.reach:
            front[mine] += 1
        limit = clock - base.delay + base.reach
        while front[other] < done[other] and latest[other, front[other]] < limit:
            front[other] += 1
    return k, out, n, Effort(sure + probed, sure, probed, computed, hits, buffered, longest)


@jit
def _keep(held: Waiting, mine: int, base: Stream, e: int, clock: float) -> None:
    """Let an arrival wait for its block."""
    at = held.size[mine]
    held.rows[mine, at] = e
    held.keys[mine, at] = base.key[e]
    held.latest[mine, at] = base.events.latest[e]
    held.size[mine] += 1
    held.since[mine] = min(held.since[mine], clock)


@jit
def _end_block(held: Waiting, mine: int) -> None:
    """Put the block among the processed events of its side."""
    span = slice(held.front[mine], held.size[mine])
    order = np.argsort(held.latest[mine, span], kind="mergesort")
    held.rows[mine, span] = held.rows[mine, span][order]
    held.keys[mine, span] = held.keys[mine, span][order]
    held.latest[mine, span] = held.latest[mine, span][order]
    held.done[mine] = held.size[mine]
    held.since[mine] = np.inf
