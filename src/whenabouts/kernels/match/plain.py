"""The search in pattern order for events that are intervals or points; rivals are kept out afterwards.

The same as `search`, for the case that matters most, with all that it needs in a few numbers. For intervals the valid
ranges have closed forms: in the order of the pattern, with L_j = max(earliest_j, L_(j-1)) and m_j the least upper bound
so far, events go together if and only if each L_(j-1) lies before latest_j, and L_j - W before m_j. The time range of
a match then is [max(earliest_1, L_l - W), min(latest_l, m_l + W)]. In counted time a step takes a tick: L_j =
max(earliest_j, L_(j-1) + 1), and m_j is the least of latest_i - i.
"""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.conditions.program import binding_holds
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.candidates import first_beginning_after, first_later
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.intervals import chain_of
from whenabouts.kernels.match.rivals import next_latest
from whenabouts.kernels.match.surest import remember, wanted_confidence
from whenabouts.kernels.match.work import COMPUTED, EMITTED, PARTIAL, PRUNED, SLACK, Found, Work


@jit
def search_plain(desk: Desk, roots: Ints, root_groups: Ints, cursor: int, found: Found) -> tuple[int, int]:
    """Find the matches of the roots from `cursor` on: the root to go on from, and how many were found."""
    events, candidates, question = desk.events, desk.candidates, desk.question
    work, grid, best = desk.work, desk.grid, desk.best
    present, start = candidates.present, candidates.start
    latest, earliest, rows, widest = candidates.latest, candidates.earliest, candidates.row, candidates.widest
    match, hint, place, last_place, high = work.match, work.hint, work.place, work.end, work.high
    lower, least = work.lower[0], work.upper[0]
    window, discrete = question.window, question.discrete
    tick = 1.0 if discrete else 0.0
    conditioned, picky = len(desk.program.reads) > 0, question.threshold > 0.0 or len(best) > 0
    length, room = len(present), len(found.earliest)
    lo, hi = np.empty(length), np.empty(length)
    written, group, partial, pruned, computed = 0, -1, 0, 0, 0
    for number in range(cursor, len(roots)):
        root = roots[number]
        if root_groups[number] != group:
            group = root_groups[number]
            for depth in range(length):
                hint[depth] = start[present[depth], group]
        before, old_partial, old_pruned, old_computed = written, partial, pruned, computed
        match[0] = root
        lo[0], hi[0] = events.earliest[root], events.latest[root]
        lower[0], least[0] = lo[0], hi[0] - tick
        for depth in range(1, length):
            hint[depth] = first_later(latest, hint[depth], start[present[depth], group + 1], lo[0])
        partial += 1
        depth = 1
        if conditioned and not _conditions_hold(desk, 0):
            depth = 0
            pruned += 1
        else:
            place[1] = hint[1]
            last_place[1] = start[present[1], group + 1]
            high[1] = least[0] + window
            if question.next_only and conditioned:
                high[1] = min(high[1], _nelt(desk, group, 1, least[0]))
            elif question.next_only:
                high[1] = min(high[1], _nelt_of_all(earliest, latest, hint[1], last_place[1], least[0]))
        while depth > 0:
            p = place[depth]
            limit = high[depth]
            if p >= last_place[depth] or latest[p] - widest[present[depth]] >= limit:
                depth -= 1
                continue
            place[depth] = p + 1
            partial += 1
            bound = max(earliest[p], lower[depth - 1] + tick)
            top = min(least[depth - 1], latest[p] - tick - depth * tick)
            if bound >= limit or bound - window >= top or latest[p] <= lower[depth - 1] + tick:
                pruned += 1
                continue
            row = rows[p]
            again = False
            for other in range(depth):
                again = again or match[other] == row
            if again:
                pruned += 1
                continue
            match[depth] = row
            lo[depth], hi[depth] = earliest[p], latest[p]
            if conditioned and not _conditions_hold(desk, depth):
                pruned += 1
                continue
            lower[depth], least[depth] = bound, top
            complete = depth + 1 == length
            sure, first_moment, last_moment = 1.0, 0.0, 0.0
            if complete or picky:
                computed += 1
                sure = -1.0 if discrete else chain_of(lo, hi, depth + 1, window, grid.chosen)
                if sure < 0.0:
                    sure = confidence(events, match[: depth + 1], window, discrete, grid)
                wanted = wanted_confidence(question, best) - SLACK
                if complete:
                    first_moment = max(lo[0], bound - window + tick)
                    last_moment = min(hi[depth] - tick, top + window - tick)
                if sure <= 0.0 or sure < wanted:
                    pruned += 1
                    continue
            if not complete:
                reached = hi[depth] - tick
                depth += 1
                place[depth] = first_later(latest, hint[depth], start[present[depth], group + 1], bound + tick)
                last_place[depth] = start[present[depth], group + 1]
                high[depth] = top + window
                if question.next_only and conditioned:
                    high[depth] = min(high[depth], _nelt(desk, group, depth, reached))
                elif question.next_only:
                    end = last_place[depth]
                    high[depth] = min(high[depth], _nelt_of_all(earliest, latest, hint[depth], end, reached))
                continue
            if written == room:
                _count(work, old_partial, old_pruned, before, old_computed)
                return number, before
            for other in range(length):
                found.events[written, other] = match[other]
            found.earliest[written] = first_moment
            found.latest[written] = last_moment
            found.confidence[written] = sure
            written += 1
        if len(best):
            for one in range(before, written):
                remember(best, found.confidence[one])
    _count(work, partial, pruned, written, computed)
    return len(roots), written


@jit
def _conditions_hold(desk: Desk, depth: int) -> bool:
    """Whether the conditions hold that the event at a depth and those before it decide."""
    work, component = desk.work, desk.candidates.present[depth]
    work.at[component] = work.match[depth]
    work.bound[depth] = (work.bound[depth - 1] if depth else 0) | (1 << component)
    return binding_holds(desk.program, work.at, component, work.bound[depth], desk.stack)


@jit
def _nelt(desk: Desk, group: int, depth: int, reached: float) -> float:
    """The end of the stretch in which the event at a depth may begin: just after the NELT of the one before it."""
    component = desk.candidates.present[depth]
    bound = desk.work.bound[depth - 1] | (1 << component)
    nelt = next_latest(desk, group, component, reached, bound)
    return np.nextafter(nelt, np.inf)


@jit
def _nelt_of_all(earliest: Floats, latest: Floats, begin: int, end: int, reached: float) -> float:
    """The same where every event of the component fits, from a place on before which none is late enough."""
    place = first_beginning_after(earliest, latest, begin, end, reached)
    return np.nextafter(latest[place], np.inf) if place < end else np.inf


@jit
def _count(work: Work, partial: int, pruned: int, emitted: int, computed: int) -> None:
    work.counts[PARTIAL] += partial
    work.counts[PRUNED] += pruned
    work.counts[EMITTED] += emitted
    work.counts[COMPUTED] += computed
