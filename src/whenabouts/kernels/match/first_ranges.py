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
    begin_c = np.array([max(_begun(before, must[q]), max(three.lo[q], must[q]) - window) for q in range(len(must))])
    until_b = np.array([_come(after, t) for t in two.hi])
    until_c = np.array([min(t, _come(after, t)) for t in three.hi])
    for a in range(len(row)):
        until_a = _come(after, min(_come(before, latest[a]), latest[a] + window))
        first_b = np.searchsorted(two.hi, earliest[a], side="right")
        first_c = np.searchsorted(three.hi, earliest[a], side="right")
        for p in range(first_b, len(two.hi)):
            lo, hi, until = two.lo[p], two.hi[p], min(until_a, until_b[p])
            if two.place[p] < 0 or lo >= latest[a] + window:
                continue
            line = (two.place[p] - base_b[a]) * most_c
            if line >= total.shape[1]:
                break
            begin_b, end_b = max(earliest[a], max(lo - window, after_b[p])), min(latest[a], hi)
            for q in range(first_c, len(three.hi)):
                place = three.place[q] - base_c[a]
                if three.place[q] < 0:
                    continue
                if place >= most_c:
                    break
                begin, end = max(begin_b, begin_c[q]), min(end_b, three.hi[q])
                if begin >= end or max(lo, must[q]) >= min(hi, three.hi[q]) or two.row[p] == three.row[q]:
                    continue
                upto = min(end + window, min(until, until_c[q]))
                if len(twins_lo):
                    begin = max(begin, _twin_begun(twins_lo, twins_hi, twins_row, three.lo[q], two.row[p]))
                    upto = min(upto, _twin_come(twins_lo, twins_hi, twins_row, end, two.row[p]))
                    if begin >= end or upto <= three.lo[q]:
                        continue
                sure = min(max(total[a, line + place], _LEAST), 1.0)
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
) -> int:  # fmt: skip
    """Append the matches of some roots, places in the order of their latest moments: how many there are then.

    Where they may be more than there is room for, none is looked for, and returned is how many there may be, negative.
    """
    earliest, latest, row = candidates.earliest[roots], candidates.latest[roots], candidates.row[roots]
    base_b, end_b = np.empty(len(roots), dtype=np.int64), np.empty(len(roots), dtype=np.int64)
    base_c, end_c = np.empty(len(roots), dtype=np.int64), np.empty(len(roots), dtype=np.int64)
    for a in range(len(roots)):
        base_b[a], end_b[a] = reach(candidates, before[0], group, earliest[a], latest[a] + window)
        base_c[a], end_c[a] = reach(candidates, after[0], group, earliest[a], latest[a] + window)
    most_b, most_c = int((end_b - base_b).max()), int((end_c - base_c).max())
    most = len(roots) * most_b * most_c
    if used + most > len(found.earliest):
        return -most
    low, high = earliest.min(), latest.max() + window
    lo2, hi2, row2, place2 = list_gap(candidates, before, group, low, high, without)
    lo3, hi3, row3, place3 = list_gap(candidates, after, group, low, high, without)
    if most == 0 or len(lo2) == 0 or len(lo3) == 0:
        return used
    edge = cut_time(lo2, hi2, lo3, hi3, low)
    two = make_gap(lo2, hi2, row2, place2, twins(row2, hi2, row3, hi3), edge)
    three = make_gap(lo3, hi3, row3, place3, twins(row3, hi3, row2, hi2), edge)
    total = sweep(earliest, latest, two, three, edge, window, base_b, base_c, most_b, most_c)
    return _write(earliest, latest, row, two, three, window, base_b, base_c, most_c, wanted, total, found, used)


@jit
def first_matches(
    candidates: Candidates, group: int, roots: Ints, start: Ints, without: Ints, window: float, before: Ints,
    after: Ints, wanted: float, part: int, found: Found,
) -> tuple[int, int, int]:  # fmt: skip
    """The matches of the roots of a group, part by part: `roots[start[k]:start[k + 1]]`, with no event `without[k]`.

    `before` are the components that must stay out of the first gap, b's own first, and `after` those of the second.
    Begun is with `part`. Returned are the part to go on with, how many matches there are, and how much room that part
    may need.
    """
    used = int(np.int64(0))  # for the literal 0 everything would be compiled once more
    while part < len(without):
        now = _of_some(
            candidates, group, roots[start[part] : start[part + 1]], without[part], window, before, after, wanted,
            found, used,
        )  # fmt: skip
        if now < 0:
            return part, used, -now
        used = now
        part += 1
    return part, used, 0
