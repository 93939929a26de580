"""When the three events of a first match can happen: closed forms, and the writing of all matches of a few roots.

With rivals in the way, t must lie before R_2(s), the latest moment by which an event of the first gap that begins at
s or later has surely come, and u before R_3(t) likewise (the paper's NELT). All of these bounds grow with s and with
t. So the last moment is reached for the greatest s, and the first by following the bounds back: s lies after every
beginning of an event that was over before b began, or before the last c that was over before c began, and so on. What
is least over a, b and c is known for each of them alone. An event that fits both gaps must not lie between s and u.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.match.candidates import Candidates
from whenabouts.kernels.match.first_matches import sweep
from whenabouts.kernels.match.gap_lists import Gap, cut_time, list_gap, make_gap, reach, twins
from whenabouts.kernels.match.work import SLACK, Found

_LEAST = 2.0**-1022
"""The confidence of what is possible, though rounding found it not to be."""


class Starts(NamedTuple):
    """The events of a gap by beginning, each with the least latest moment from there on; and by latest moment, each
    with the last beginning up to there.
    """

    lo: Floats
    soonest: Floats
    hi: Floats
    newest: Floats


@jit
def _starts(lo: Floats, hi: Floats) -> Starts:
    order = np.argsort(lo, kind="mergesort")
    soonest, newest = np.full(len(lo) + 1, np.inf), np.full(len(lo) + 1, -np.inf)
    for p in range(len(lo) - 1, -1, -1):
        soonest[p] = min(soonest[p + 1], hi[order[p]])
    for p in range(len(lo)):
        newest[p + 1] = max(newest[p], lo[p])
    return Starts(lo[order], soonest, hi, newest)


@jit
def _come(starts: Starts, t: float) -> float:
    """By when an event that begins at t or later has surely come."""
    return starts.soonest[np.searchsorted(starts.lo, t)]


@jit
def _begun(starts: Starts, t: float) -> float:
    """The last beginning of an event that is over by t."""
    return starts.newest[np.searchsorted(starts.hi, t, side="right")]


@jit
def _twin_come(lo: Floats, hi: Floats, row: Ints, t: float, own: int) -> float:
    """By when one of those events that fit both gaps, which lie apart, has surely come if it begins at t or later."""
    x = np.searchsorted(hi, t, side="right")
    while x < len(lo) and (lo[x] < t or row[x] == own):
        x += 1
    return hi[x] if x < len(lo) else np.inf


@jit
def _twin_begun(lo: Floats, hi: Floats, row: Ints, t: float, own: int) -> float:
    """The beginning of the last of them that is over by t."""
    x = np.searchsorted(hi, t, side="right") - 1
    if x >= 0 and row[x] == own:
        x -= 1
    return lo[x] if x >= 0 else -np.inf


@jit
def _write(
    earliest: Floats, latest: Floats, row: Ints, two: Gap, three: Gap, window: float, base_b: Ints, base_c: Ints,
    most_c: int, wanted: float, total: NDArray[np.float64], found: Found, used: int,
) -> int:  # fmt: skip
    """Write the matches of some first events that are possible and sure enough: how many there are then."""
    before, after = _starts(two.lo, two.hi), _starts(three.lo, three.hi)
    twins_lo, twins_hi = two.lo[two.twin >= 0], two.hi[two.twin >= 0]
    twins_row = two.row[two.twin >= 0]
    after_b = np.array([_begun(before, t) for t in two.lo])
    must = np.array([_begun(after, t) for t in three.lo])
    after_c = np.array([_begun(before, t) for t in must])
    until_b, until_c = np.array([_come(after, t) for t in two.hi]), np.array([_come(after, t) for t in three.hi])
    for a in range(len(row)):
        until_a = _come(after, min(_come(before, latest[a]), latest[a] + window))
        for p in range(np.searchsorted(two.hi, earliest[a], side="right"), len(two.hi)):
            if two.place[p] < 0 or two.lo[p] >= latest[a] + window:
                continue
            line = two.place[p] - base_b[a]
            if line * most_c >= total.shape[1]:
                break
            for q in range(np.searchsorted(three.hi, earliest[a], side="right"), len(three.hi)):
                if three.place[q] < 0:
                    continue
                if three.place[q] - base_c[a] >= most_c:
                    break
                if three.lo[q] >= latest[a] + window or two.row[p] == three.row[q]:
                    continue
                end = min(latest[a], min(two.hi[p], three.hi[q]))
                begin = max(max(earliest[a], max(two.lo[p], three.lo[q]) - window), max(after_b[p], after_c[q]))
                if must[q] - window > begin:
                    begin = must[q] - window
                if begin >= end or max(two.lo[p], must[q]) >= min(two.hi[p], three.hi[q]):
                    continue
                upto = min(min(three.hi[q], end + window), min(until_a, min(until_b[p], until_c[q])))
                if len(twins_lo):
                    begin = max(begin, _twin_begun(twins_lo, twins_hi, twins_row, three.lo[q], two.row[p]))
                    upto = min(upto, _twin_come(twins_lo, twins_hi, twins_row, end, two.row[p]))
                    if begin >= end or upto <= three.lo[q]:
                        continue
                sure = min(max(total[a, line * most_c + three.place[q] - base_c[a]], _LEAST), 1.0)
                if sure < wanted - SLACK:
                    continue
                found.events[used, 0], found.events[used, 1], found.events[used, 2] = row[a], two.row[p], three.row[q]
                found.earliest[used], found.latest[used], found.confidence[used] = begin, upto, sure
                used += 1
    return used


@jit
def _of_some(
    candidates: Candidates, group: int, roots: Ints, without: int, window: float, before: Ints, after: Ints,
    wanted: float, found: Found, used: int,
) -> tuple[Found, int]:  # fmt: skip
    """Append the matches of some roots, places in the order of their latest moments."""
    earliest, latest, row = candidates.earliest[roots], candidates.latest[roots], candidates.row[roots]
    low, high = earliest.min(), latest.max() + window
    lo2, hi2, row2, place2 = list_gap(candidates, before, group, low, high, without)
    lo3, hi3, row3, place3 = list_gap(candidates, after, group, low, high, without)
    if len(lo2) == 0 or len(lo3) == 0:
        return found, used
    base_b, end_b = np.empty(len(roots), dtype=np.int64), np.empty(len(roots), dtype=np.int64)
    base_c, end_c = np.empty(len(roots), dtype=np.int64), np.empty(len(roots), dtype=np.int64)
    for a in range(len(roots)):
        base_b[a], end_b[a] = reach(candidates, before[0], group, earliest[a], latest[a] + window)
        base_c[a], end_c[a] = reach(candidates, after[0], group, earliest[a], latest[a] + window)
    most_b, most_c = int((end_b - base_b).max()), int((end_c - base_c).max())
    if most_b == 0 or most_c == 0:
        return found, used
    edge = cut_time(lo2, hi2, lo3, hi3, low)
    two = make_gap(lo2, hi2, row2, place2, twins(row2, hi2, row3, hi3), edge)
    three = make_gap(lo3, hi3, row3, place3, twins(row3, hi3, row2, hi2), edge)
    total = sweep(earliest, latest, two, three, edge, window, base_b, base_c, most_b, most_c)
    needed, room = used + total.size, len(found.earliest)
    if needed > room:
        found = _with_room(found, used, max(2 * room, needed))
    return found, _write(earliest, latest, row, two, three, window, base_b, base_c, most_c, wanted, total, found, used)


@jit
def _with_room(found: Found, used: int, room: int) -> Found:
    events, earliest = np.empty((room, 3), dtype=np.int64), np.empty(room)
    latest, confidence = np.empty(room), np.empty(room)
    events[:used], earliest[:used] = found.events[:used], found.earliest[:used]
    latest[:used], confidence[:used] = found.latest[:used], found.confidence[:used]
    return Found(events, earliest, latest, confidence)


@jit
def first_matches(
    candidates: Candidates, group: int, roots: Ints, start: Ints, without: Ints, window: float, before: Ints,
    after: Ints, wanted: float, found: Found,
) -> tuple[Found, int]:  # fmt: skip
    """All matches of the roots of a group, part by part: `roots[start[k]:start[k + 1]]`, with no event `without[k]`.

    `before` are the components that must stay out of the first gap, b's own first, and `after` those of the second.
    """
    used = int(np.int64(0))  # for the literal 0 everything would be compiled once more
    for part in range(len(without)):
        found, used = _of_some(
            candidates, group, roots[start[part] : start[part + 1]], without[part], window, before, after, wanted,
            found, used,
        )  # fmt: skip
    return found, used
