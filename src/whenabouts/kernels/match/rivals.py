"""The rivals of a match: events that could have stood where its own stand, or that a negated component forbids."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.conditions.program import binding_holds
from whenabouts.kernels.events import Ints
from whenabouts.kernels.match.candidates import first_beginning_after, first_later
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.exclusion import Rivals


@jit
def find_rivals(desk: Desk, group: int) -> bool:
    """List the events that must stay out of the gaps of the match that is bound; whether there are any.

    The rivals of component j are judged as it was: by the conditions on it and the components before it. A negated
    one is judged by all.
    """
    candidates, question, work, rivals = desk.candidates, desk.question, desk.work, desk.rivals
    match, last = work.match, len(work.match) - 1
    present = candidates.present
    rivals.number[0] = 0
    everything, before = work.bound[last], 0
    for component in range(len(work.at)):
        gap = candidates.gap[component]
        absent = present[gap] != component
        if not absent:
            before |= 1 << component
            if gap == 0 or not question.next_only:
                continue
        level = gap + 1 if absent else gap
        bound = everything | (1 << component) if absent else before
        low, high = work.lower[last, level - 1], work.upper[last, level]
        end = candidates.start[component, group + 1]
        p = first_later(candidates.latest, candidates.start[component, group], end, low)
        own = work.at[component]
        while p < end and candidates.latest[p] - candidates.widest[component] < high:
            row = candidates.row[p]
            p += 1
            if candidates.earliest[p - 1] >= high or _is_in(match, row):
                continue
            work.at[component] = row
            if binding_holds(desk.program, work.at, component, bound, desk.stack):
                _add_rival(rivals, row, 1 << level)
        work.at[component] = own
    return rivals.number[0] > 0


@jit
def next_latest(desk: Desk, group: int, component: int, t: float, bound: int) -> float:
    """The Next Event's Latest Time: by when an event that fits a component and begins after t has surely come.

    Lists are in the order of latest moments, so it is that of the first one that fits the events bound so far.
    """
    candidates, program, at = desk.candidates, desk.program, desk.work.at
    latest, earliest = candidates.latest, candidates.earliest
    end = candidates.start[component, group + 1]
    own = at[component]
    result = np.inf
    p = first_beginning_after(earliest, latest, candidates.start[component, group], end, t)
    while p < end:
        at[component] = candidates.row[p]
        if len(program.reads) == 0 or binding_holds(program, at, component, bound, desk.stack):
            result = latest[p]
            break
        p = first_beginning_after(earliest, latest, p + 1, end, t)
    at[component] = own
    return result


@jit
def _is_in(match: Ints, row: int) -> bool:
    found = False
    for one in match:
        found |= one == row
    return found


@jit
def _add_rival(rivals: Rivals, row: int, gap: int) -> None:
    """Add a gap that an event must stay out of; one that fits several components may already be listed."""
    for number in range(rivals.number[0]):
        if rivals.row[number] == row:
            rivals.gaps[number] |= gap
            return
    rivals.row[rivals.number[0]] = row
    rivals.gaps[rivals.number[0]] = gap
    rivals.number[0] += 1
