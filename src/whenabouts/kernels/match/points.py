"""Point-based evaluation: every possible moment of every event becomes an event of its own (paper 002, section 4).

The stream of point events is searched with skip-till-any; for skip-till-next, points after the Next Event's Latest
Time (NELT) are passed over, for by then an event that fits has surely come. Point matches with one signature are
collapsed: their probabilities are summed and their time range is the hull of theirs. The cost grows with the number of
moments to the power of the pattern's length, which is why this is the baseline and not the method.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.conditions.program import binding_holds
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.match.candidates import Candidates
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.masses import mass_inside
from whenabouts.kernels.match.rivals import find_rivals, next_latest
from whenabouts.kernels.match.work import COMPUTED, EMITTED, PARTIAL, PRUNED, SLACK, Found, Work


class Points(NamedTuple):
    """Point events: those of component v in group g are `start[v, g]:start[v, g + 1]`, in the order of time."""

    start: NDArray[np.int64]
    row: Ints
    time: Floats
    mass: Floats


def expand(events: Events, candidates: Candidates, discrete: bool) -> Points:
    """The stream expansion: one point event for every moment of every candidate."""
    counts = _moment_counts(events, candidates.row, discrete)
    place = np.repeat(np.arange(len(candidates.row), dtype=np.int64), counts)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    time, mass = np.empty(len(place)), np.empty(len(place))
    _moments(events, candidates.row, discrete, first, time, mass)
    stretches = np.repeat(np.arange(candidates.start[:, :-1].size), np.diff(candidates.start, axis=1).ravel())
    order = np.lexsort((time, stretches[place]))
    return Points(first[candidates.start], candidates.row[place][order], time[order], mass[order])


@jit
def _moment_counts(events: Events, rows: Ints, discrete: bool) -> Ints:
    counts = np.empty(len(rows), dtype=np.int64)
    for number in range(len(rows)):
        one = rows[number]
        if len(events.shape) == 0:
            counts[number] = int(events.latest[one] - events.earliest[one]) if discrete else 1
            continue
        shapes, total = events.shapes, 0
        for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
            total += int(shapes.hi[piece] - shapes.lo[piece]) if discrete else 1
        counts[number] = total
    return counts


@jit
def _moments(events: Events, rows: Ints, discrete: bool, first: Ints, time: Floats, mass: Floats) -> None:
    for number in range(len(rows)):
        one, at = rows[number], first[number]
        if len(events.shape) == 0:
            for step in range(first[number + 1] - at):
                time[at + step] = events.earliest[one] + step
                mass[at + step] = 1.0 / (first[number + 1] - at)
            continue
        shapes, anchor = events.shapes, events.anchor[one]
        for piece in range(shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]):
            ticks = int(shapes.hi[piece] - shapes.lo[piece]) if discrete else 1
            for step in range(ticks):
                time[at] = anchor + shapes.lo[piece] + step
                mass[at] = shapes.mass[piece] / ticks
                at += 1


@jit
def _alone(desk: Desk, group: int) -> float:
    """The probability that no rival comes in between the moments of a point match."""
    work, rivals = desk.work, desk.rivals
    last = len(work.match) - 1
    if not find_rivals(desk, group):
        return 1.0
    result = 1.0
    for number in range(rivals.number[0]):
        spent = 0.0
        for level in range(1, last + 1):
            if rivals.gaps[number] >> level & 1:
                after = work.lower[last, level - 1] + (1.0 if desk.question.discrete else 0.0)
                spent += mass_inside(desk.events, rivals.row[number], after, work.lower[last, level])
        result *= 1.0 - spent if 1.0 - spent > 4e-16 else 0.0
    return result


@jit
def _collapse(found: Found, before: int, written: int, slots: Ints, match: Ints) -> int:
    """Where the match with this signature stands among those from `before` on, or where it would be put."""
    code = 0
    for one in match:
        code = (code * 1000003 + one * 7919 + 12345) & 0x3FFFFFFFFFFFFFF
    size = len(slots)
    slot = code % size
    while slots[slot] >= before and slots[slot] < written:
        same = True
        for place in range(len(match)):
            same = same and found.events[slots[slot], place] == match[place]
        if same:
            return slots[slot]
        slot = (slot + 1) % size
    slots[slot] = written
    return written


@jit
def _begin(desk: Desk, points: Points, group: int, depth: int, time: Floats) -> None:
    """Find the points that can come next at a depth: after the last one, and not after its NELT."""
    events, work = desk.events, desk.work
    component = desk.candidates.present[depth]
    low, high = points.start[component, group], points.start[component, group + 1]
    work.end[depth] = high
    if depth == 0:
        root = work.at[component]
        work.place[0] = low + np.searchsorted(points.time[low:high], events.earliest[root])
        work.high[0] = events.latest[root]
        return
    work.place[depth] = low + np.searchsorted(points.time[low:high], time[depth - 1], side="right")
    work.high[depth] = np.inf
    if desk.question.next_only:
        bound = work.bound[depth - 1] | (1 << component)
        work.high[depth] = next_latest(desk, group, component, time[depth - 1], bound)


@jit
def _take(desk: Desk, points: Points, q: int, depth: int, root: int) -> bool:
    """Bind a point at a depth, if its event goes with those before it."""
    work = desk.work
    row, component = points.row[q], desk.candidates.present[depth]
    if depth == 0 and row != root:
        return False
    for other in range(depth):
        if work.match[other] == row:
            return False
    work.at[component] = row
    work.match[depth] = row
    work.bound[depth] = (work.bound[depth - 1] if depth else 0) | (1 << component)
    return binding_holds(desk.program, work.at, component, work.bound[depth], desk.stack)


@jit
def match_points(
    desk: Desk, points: Points, roots: Ints, root_groups: Ints, cursor: int, slots: Ints, found: Found
) -> tuple[int, int]:
    """Find the matches of the roots from `cursor` on: the root to go on from, and how many were found."""
    candidates, question, work = desk.candidates, desk.question, desk.work
    length, room = len(candidates.present), len(found.earliest)
    last = length - 1
    excluding = question.next_only or len(work.at) > length
    time, weight = work.lower[last], desk.rivals.weight
    written = 0
    slots[:] = -1
    for number in range(cursor, len(roots)):
        root, group, before = roots[number], root_groups[number], written
        work.at[candidates.present[0]] = root
        depth = 0
        _begin(desk, points, group, 0, time)
        while depth >= 0:
            q = work.place[depth]
            if (
                q >= work.end[depth]
                or points.time[q] > work.high[depth]
                or (depth > 0 and points.time[q] - time[0] >= question.window)
            ):
                depth -= 1
                continue
            work.place[depth] = q + 1
            if not _take(desk, points, q, depth, root):
                continue
            work.counts[PARTIAL] += 1
            time[depth] = points.time[q]
            weight[depth] = points.mass[q] * (weight[depth - 1] if depth else 1.0)
            if depth < last:
                depth += 1
                _begin(desk, points, group, depth, time)
                continue
            share = weight[last]
            if excluding:
                work.upper[last] = time
                share *= _alone(desk, group)
            if share <= 0.0:
                continue
            at = _collapse(found, before, written, slots, work.match)
            if at == written:
                if written == room:
                    return number, before
                found.events[at] = work.match
                found.earliest[at], found.latest[at], found.confidence[at] = np.inf, -np.inf, 0.0
                written += 1
            found.earliest[at] = min(found.earliest[at], time[0])
            found.latest[at] = max(found.latest[at], time[last])
            found.confidence[at] += share
        written = _sure_enough(found, before, written, question.threshold, work)
    return len(roots), written


@jit
def _sure_enough(found: Found, before: int, written: int, threshold: float, work: Work) -> int:
    """Keep those of the matches from `before` on that are sure enough."""
    kept = before
    for one in range(before, written):
        work.counts[COMPUTED] += 1
        if found.confidence[one] < threshold - SLACK:
            work.counts[PRUNED] += 1
            continue
        found.events[kept] = found.events[one]
        found.earliest[kept] = found.earliest[one]
        found.latest[kept] = found.latest[one]
        found.confidence[kept] = min(found.confidence[one], 1.0)
        kept += 1
    work.counts[EMITTED] += kept - before
    return kept
