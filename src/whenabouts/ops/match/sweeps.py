"""The first matches of three components by one sweep over time, where nothing but time ties them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels.events import Ints
from whenabouts.kernels.match.candidates import Candidates, list_candidates
from whenabouts.kernels.match.first_ranges import first_matches
from whenabouts.kernels.match.work import Found, make_found, part_of
from whenabouts.ops.match.evaluate import ROOM, Prepared, grown

_TOGETHER = 128
"""First events that one part of a sweep takes."""
_WORTH_A_SWEEP = 64
"""Events that a group has on average where a sweep pays."""
_WORTH_OVERLAP, _WORTH_APART = 0.25, 3.0
"""Rivals that are possible at a moment on average where a sweep pays: for all first events, or each by itself."""
_MOST_PAIRS = 1 << 14
"""Pairs of a second and a third event within reach of a first one for which a sweep has room."""

Mask = NDArray[np.bool_]


def swept(prepared: Prepared) -> Iterator[Found] | None:
    """The matches by a sweep, or None where that does not do.

    It does not with joint conditions, ticks, histograms, points, or very many pairs within a window. Where groups are
    many and small, or times hardly overlap, there is little to share. First events near two overlapping events that
    both fit both gaps are grown one by one.
    """
    question, events = prepared.question, prepared.events
    if not question.next_only or question.discrete or len(events.shape) or prepared.negated.count(False) != 3:
        return None
    rows = np.concatenate(prepared.rows)
    if len(prepared.program.reads) or not np.isfinite(question.window) or not len(rows):
        return None
    if (events.earliest[rows] == events.latest[rows]).any():
        return None
    if prepared.group_count > 1 and prepared.group_count * _WORTH_A_SWEEP > len(rows):
        return None
    first, overlap = prepared.negated.index(False), _overlap(prepared)
    if overlap < _WORTH_OVERLAP:
        return None
    if overlap < _WORTH_APART and len(prepared.rows[first]):
        apart = float(np.mean(_fit_a_gap(prepared, _listed(prepared, np.array([first])))))
        if overlap < _WORTH_OVERLAP + apart**2 * (_WORTH_APART - _WORTH_OVERLAP):
            return None
    tangled = _tangled(prepared, first)
    kept, rest = _with_roots(prepared, first, ~tangled), _with_roots(prepared, first, tangled)
    candidates = list_candidates(events, kept.rows, kept.groups, kept.group_count, kept.negated)
    if _pairs_in_reach(kept, candidates) > _MOST_PAIRS:
        return None
    order = np.arange(3, dtype=np.int64)
    return chain(_sweeps(kept, candidates), grown(rest, order, incremental=True))


def _gaps(prepared: Prepared) -> tuple[Ints, Ints]:
    """The components that must stay out of the first gap and of the second, the one that ends it first."""
    own, negated = np.arange(len(prepared.negated)), np.array(prepared.negated)
    first, second, third = own[~negated]
    before = np.concatenate([[second], own[negated & (own > first) & (own < second)]])
    after = np.concatenate([[third], own[negated & (own > second) & (own < third)]])
    return before, after


def _overlap(prepared: Prepared) -> float:
    """How many rivals are possible at a moment, on average."""
    rows = np.concatenate([prepared.rows[one] for gap in _gaps(prepared) for one in gap])
    earliest, latest = prepared.events.earliest[rows], prepared.events.latest[rows]
    span = float(latest.max() - earliest.min()) if len(rows) else 0.0
    return float((latest - earliest).sum()) / span / prepared.group_count if span else 0.0


def _listed(prepared: Prepared, components: Ints) -> Ints:
    """The events of some components, each with its group, as one number; several times if they fit several."""
    return np.concatenate([prepared.rows[one] * prepared.group_count + prepared.groups[one] for one in components])


def _fit_a_gap(prepared: Prepared, listed: Ints) -> Mask:
    """Which events must stay out of a gap themselves."""
    return np.isin(listed, np.concatenate([_listed(prepared, gap) for gap in _gaps(prepared)]))


def _tangled(prepared: Prepared, first: int) -> Mask:
    """Which first events are near two overlapping events that both fit both gaps."""
    events = prepared.events
    before, after = (_listed(prepared, gap) for gap in _gaps(prepared))
    twins = np.unique(before[np.isin(before, after)])
    rows, groups = twins // prepared.group_count, twins % prepared.group_count
    order = np.lexsort((events.latest[rows], groups))
    rows, groups = rows[order], groups[order]
    beside = (groups[1:] == groups[:-1]) & (events.earliest[rows[1:]] < events.latest[rows[:-1]])
    some = rows[np.concatenate([beside, [False]]) | np.concatenate([[False], beside])] if len(rows) else rows
    low = events.earliest[prepared.rows[first]]
    high = events.latest[prepared.rows[first]] + prepared.question.window
    begun = np.searchsorted(np.sort(events.earliest[some]), high)
    over = np.searchsorted(np.sort(events.latest[some]), low, side="right")
    return begun > over


def _with_roots(prepared: Prepared, first: int, kept: Mask) -> Prepared:
    rows, groups = list(prepared.rows), list(prepared.groups)
    rows[first], groups[first] = rows[first][kept], groups[first][kept]
    return replace(prepared, rows=rows, groups=groups)


def _pairs_in_reach(prepared: Prepared, candidates: Candidates) -> int:
    """The most pairs of a second and a third event that a first one can meet, or a few more."""
    most = 1
    roots = candidates.present[0]
    for component in candidates.present[1:]:
        for group in range(prepared.group_count):
            mine = slice(*candidates.start[roots, group : group + 2])
            latest = candidates.latest[slice(*candidates.start[component, group : group + 2])]
            reach = candidates.latest[mine] + prepared.question.window + candidates.widest[component]
            met = np.searchsorted(latest, reach) - np.searchsorted(latest, candidates.earliest[mine], side="right")
            most = max(most, int(met.max(initial=0)) ** 2)
    return most


def _sweeps(prepared: Prepared, candidates: Candidates) -> Iterator[Found]:
    """The matches group by group: most first events together, those that fit a gap too by themselves."""
    before, after = _gaps(prepared)
    roots, question = candidates.present[0], prepared.question
    starts_of = candidates.start[roots]
    numbers = candidates.row[starts_of[0] : starts_of[-1]] * prepared.group_count
    numbers += np.repeat(np.arange(prepared.group_count), np.diff(starts_of))
    fits_a_gap = _fit_a_gap(prepared, numbers)
    for group in range(prepared.group_count):
        begin, end = starts_of[group : group + 2]
        places = np.arange(begin, end)
        apart = fits_a_gap[begin - starts_of[0] : end - starts_of[0]]
        together = places[~apart]
        starts = np.append(np.arange(0, len(together), _TOGETHER), len(together) + np.arange(apart.sum() + 1))
        without = np.append(np.full(len(starts) - 1 - apart.sum(), -1), candidates.row[places[apart]])
        places = np.append(together, places[apart])
        part, needed = 0, 0
        while part < len(without):
            found = make_found(max(ROOM, needed), 3)
            part, count, needed = first_matches(
                candidates, group, places, starts, without, question.window, before, after, question.threshold, part,
                found,
            )  # fmt: skip
            prepared.counts["emitted"] = prepared.counts.get("emitted", 0) + count
            prepared.counts["computed"] = prepared.counts.get("computed", 0) + count
            if count:
                yield part_of(found, 0, count)
