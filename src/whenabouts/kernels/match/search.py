"""The search for matches: partial matches grow event by event, and are dropped where a valid range is empty.

Components are bound in a given order. In the order of the pattern, over events sorted by time, this is query order
evaluation with the incremental algorithm (paper 002, sections 5.1, B.1, B.3); from the rarest component outwards it is
selectivity order evaluation (5.3). A partial match keeps the valid range of each of its events, as if it were a whole
pattern; its neighbours' ranges and the window say where the next event must lie: a stretch of a sorted list.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.conditions.program import Program, Stack, binding_holds
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.match.candidates import Candidates, first_later
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.emit import emit
from whenabouts.kernels.match.exclusion import Rivals
from whenabouts.kernels.match.ranges import lower_bounds, valid_ranges
from whenabouts.kernels.match.rivals import next_latest
from whenabouts.kernels.match.surest import remember, wanted_confidence
from whenabouts.kernels.match.times import Grid
from whenabouts.kernels.match.work import PARTIAL, PRUNED, SLACK, Found, Question, Work


@jit
def search(
    events: Events,
    candidates: Candidates,
    order: Ints,
    roots: Ints,
    root_groups: Ints,
    cursor: int,
    stop: int,
    question: Question,
    program: Program,
    stack: Stack,
    grid: Grid,
    rivals: Rivals,
    work: Work,
    best: Floats,
    found: Found,
) -> tuple[int, int]:
    """Find the matches of the roots from `cursor` up to `stop`: the root to go on from, and how many were found.

    `order` are the present places (0 for the first present component) in the order of binding; `roots` are the events
    of the first of them, sorted by group and earliest moment. Matches of one root are given out together: where they
    do not fit, the search ends before that root. `best` is a heap of the k best confidences, or empty.
    """
    length, room = len(order), len(found.earliest)
    written, group = 0, -1
    for number in range(cursor, stop):
        root = roots[number]
        if root_groups[number] != group:
            group = root_groups[number]
            for place in range(length):
                component = candidates.present[place]
                work.hint[component] = candidates.start[component, group]
        before = written
        for count in range(len(work.counts)):
            work.kept[count] = work.counts[count]
        written = _grow(
            events, candidates, order, root, group, question, program, stack, grid, rivals, work, best, found, written
        )
        if written > room:
            for count in range(len(work.counts)):
                work.counts[count] = work.kept[count]
            return number, before
        for one in range(before, written):
            remember(best, found.confidence[one])
    return stop, written


@jit
def _grow(
    events: Events,
    candidates: Candidates,
    order: Ints,
    root: int,
    group: int,
    question: Question,
    program: Program,
    stack: Stack,
    grid: Grid,
    rivals: Rivals,
    work: Work,
    best: Floats,
    found: Found,
    written: int,
) -> int:
    """Write the matches that hold one root event; more than there is room for where they do not fit."""
    length, room = len(order), len(found.earliest)
    at, bound = work.at, work.bound
    first = candidates.present[order[0]]
    at[first] = root
    bound[0] = 1 << first
    work.counts[PARTIAL] += 1
    if not _fits(events, candidates, order, 0, question, program, stack, grid, work, best):
        return written
    if length == 1:
        return emit(events, candidates, group, question, program, stack, grid, rivals, work, best, found, written)
    depth = 1
    _open(events, candidates, order, depth, group, question, program, stack, work)
    while depth > 0:
        component = candidates.present[order[depth]]
        p = work.place[depth]
        high = work.high[depth]
        if p >= work.end[depth] or candidates.latest[p] - candidates.widest[component] >= high:
            depth -= 1
            continue
        work.place[depth] = p + 1
        if candidates.earliest[p] >= high:
            continue
        at[component] = candidates.row[p]
        bound[depth] = bound[depth - 1] | (1 << component)
        work.counts[PARTIAL] += 1
        if not _fits(events, candidates, order, depth, question, program, stack, grid, work, best):
            work.counts[PRUNED] += 1
            continue
        if depth + 1 < length:
            depth += 1
            _open(events, candidates, order, depth, group, question, program, stack, work)
            continue
        written = emit(events, candidates, group, question, program, stack, grid, rivals, work, best, found, written)
        if written > room:
            return written
    return written


@jit
def _open(
    events: Events, candidates: Candidates, order: Ints, depth: int, group: int, question: Question,
    program: Program, stack: Stack, work: Work,
) -> None:  # fmt: skip
    """Find where the event that is bound at a depth must lie, and the stretch of its component's list that can.

    For skip-till-next an event that begins after the last one's NELT comes too late: another was first.
    """
    target, seen = order[depth], 0
    low, high = -np.inf, np.inf
    latest_start, earliest_end = -np.inf, np.inf
    for place in range(len(order)):
        if not work.bound[depth - 1] >> candidates.present[place] & 1:
            continue
        start, end = work.lower[depth - 1, seen], work.upper[depth - 1, seen]
        seen += 1
        latest_start, earliest_end = max(latest_start, start), min(earliest_end, end)
        if place < target:
            low = max(low, start)
        else:
            high = min(high, end)
    low = max(low, latest_start - question.window)
    work.high[depth] = min(high, earliest_end + question.window)
    component = candidates.present[target]
    end = candidates.start[component, group + 1]
    base = events.earliest[work.at[candidates.present[order[0]]]]
    if target < order[0]:
        base -= question.window
    hint = first_later(candidates.latest, work.hint[component], end, base)
    work.hint[component] = hint
    work.place[depth] = first_later(candidates.latest, hint, end, low + 1.0 if question.discrete else low)
    work.end[depth] = end
    if question.next_only and seen == target:
        bound = work.bound[depth - 1] | (1 << component)
        reached = work.upper[depth - 1, seen - 1]
        nelt = next_latest(candidates, group, component, reached, bound, program, stack, work.at)
        work.high[depth] = min(work.high[depth], np.nextafter(nelt, np.inf))


@jit
def _fits(
    events: Events,
    candidates: Candidates,
    order: Ints,
    depth: int,
    question: Question,
    program: Program,
    stack: Stack,
    grid: Grid,
    work: Work,
    best: Floats,
) -> bool:
    """Whether the event just bound goes with those before it: by time, by the conditions, and surely enough."""
    component = candidates.present[order[depth]]
    row, size = work.at[component], 0
    for place in range(len(order)):
        other = candidates.present[place]
        if work.bound[depth] >> other & 1:
            if work.at[other] == row and other != component:
                return False
            work.match[size] = work.at[other]
            size += 1
    lower, upper = work.lower[depth], work.upper[depth]
    if question.incremental or size == len(order):
        if not valid_ranges(events, work.match, size, question.window, question.discrete, lower, upper):
            return False
    elif not lower_bounds(events, work.match, size, question.discrete, lower, upper):
        return False
    if not binding_holds(program, work.at, component, work.bound[depth], stack):
        return False
    if size == 1 or size == len(order):
        return True
    wanted = wanted_confidence(question, best)
    if wanted <= 0.0:
        return True
    return confidence(events, work.match[:size], question.window, question.discrete, grid) >= wanted - SLACK
