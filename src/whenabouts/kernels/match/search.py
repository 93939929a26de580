"""The search for matches: partial matches grow event by event, and are dropped where a valid range is empty.

Components are bound in a given order. In the order of the pattern, over events sorted by time, this is query order
evaluation with the incremental algorithm (paper 002, sections 5.1, B.1, B.3); from the rarest component outwards it is
selectivity order evaluation (5.3). A partial match keeps the valid range of each of its events, as if it were a whole
pattern; its neighbours' ranges and the window say where the next event must lie: a stretch of a sorted list.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.conditions.program import binding_holds
from whenabouts.kernels.events import Ints
from whenabouts.kernels.match.candidates import first_later
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.emit import emit
from whenabouts.kernels.match.ranges import lower_bounds, valid_ranges
from whenabouts.kernels.match.rivals import next_latest
from whenabouts.kernels.match.surest import remember, wanted_confidence
from whenabouts.kernels.match.work import PARTIAL, PRUNED, SLACK, Found


@jit
def search(desk: Desk, order: Ints, roots: Ints, root_groups: Ints, cursor: int, found: Found) -> tuple[int, int]:
    """Find the matches of the roots from `cursor` on: the root to go on from, and how many were found.

    `order` are the present places (0 for the first present component) in the order of binding; `roots` are the events
    of the first of them, sorted by group and earliest moment. Matches of one root are given out together: where they
    do not fit, the search ends before that root.
    """
    candidates, work = desk.candidates, desk.work
    length, room = len(order), len(found.earliest)
    written, group = 0, -1
    for number in range(cursor, len(roots)):
        root = roots[number]
        if root_groups[number] != group:
            group = root_groups[number]
            for place in range(length):
                component = candidates.present[place]
                work.hint[component] = candidates.start[component, group]
        before = written
        for count in range(len(work.counts)):
            work.kept[count] = work.counts[count]
        written = _grow(desk, order, root, group, found, written)
        if written > room:
            for count in range(len(work.counts)):
                work.counts[count] = work.kept[count]
            return number, before
        for one in range(before, written):
            remember(desk.best, found.confidence[one])
    return len(roots), written


@jit
def _grow(desk: Desk, order: Ints, root: int, group: int, found: Found, written: int) -> int:
    """Write the matches that hold one root event; more than there is room for where they do not fit."""
    candidates, work = desk.candidates, desk.work
    length, room = len(order), len(found.earliest)
    at, bound = work.at, work.bound
    first = candidates.present[order[0]]
    at[first] = root
    bound[0] = 1 << first
    work.counts[PARTIAL] += 1
    if not _fits(desk, order, 0):
        return written
    if length == 1:
        return emit(desk, group, found, written)
    depth = 1
    _open(desk, order, depth, group)
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
        if not _fits(desk, order, depth):
            work.counts[PRUNED] += 1
            continue
        if depth + 1 < length:
            depth += 1
            _open(desk, order, depth, group)
            continue
        written = emit(desk, group, found, written)
        if written > room:
            return written
    return written


@jit
def _open(desk: Desk, order: Ints, depth: int, group: int) -> None:
    """Find where the event that is bound at a depth must lie, and the stretch of its component's list that can.

    For skip-till-next an event that begins after the last one's NELT comes too late: another was first.
    """
    candidates, question, work = desk.candidates, desk.question, desk.work
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
    base = desk.events.earliest[work.at[candidates.present[order[0]]]]
    if target < order[0]:
        base -= question.window
    hint = first_later(candidates.latest, work.hint[component], end, base)
    work.hint[component] = hint
    work.place[depth] = first_later(candidates.latest, hint, end, low + 1.0 if question.discrete else low)
    work.end[depth] = end
    if question.next_only and seen == target:
        bound = work.bound[depth - 1] | (1 << component)
        reached = work.upper[depth - 1, seen - 1]
        nelt = next_latest(desk, group, component, reached, bound)
        work.high[depth] = min(work.high[depth], np.nextafter(nelt, np.inf))


@jit
def _fits(desk: Desk, order: Ints, depth: int) -> bool:
    """Whether the event just bound goes with those before it: by time, by the conditions, and surely enough."""
    events, candidates, question, work = desk.events, desk.candidates, desk.question, desk.work
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
    if not binding_holds(desk.program, work.at, component, work.bound[depth], desk.stack):
        return False
    if size == 1 or size == len(order):
        return True
    wanted = wanted_confidence(question, desk.best)
    if wanted <= 0.0:
        return True
    return confidence(events, work.match[:size], question.window, question.discrete, desk.grid) >= wanted - SLACK
