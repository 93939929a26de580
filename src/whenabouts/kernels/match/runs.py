"""Any state evaluation: runs that may begin at any component and grow in the order of arrival (paper 002, 5.2, B.2).

Each event begins a run at every component that it fits, and every run that has that component free is cloned with
it. Two rules drop runs that no event to come can complete. Let `horizon` be the time before which no unseen event can
begin, that is, the latest beginning seen so far less the widest time:

- a run lives until the least of its valid upper bounds plus W; it is dropped when the horizon has passed that;
- a run that has component j but not j - 1 still needs an event before t_j; it is dropped when the horizon has passed
  the upper bound of t_j.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.conditions.program import binding_holds
from whenabouts.kernels.events import Events, Floats, Ints
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.emit import emit
from whenabouts.kernels.match.ranges import valid_ranges
from whenabouts.kernels.match.surest import remember, wanted_confidence
from whenabouts.kernels.match.work import PARTIAL, PRUNED, SLACK, Found


@jit
def _doubled(array: NDArray[np.int64]) -> NDArray[np.int64]:
    wider = np.empty((2 * array.shape[0], array.shape[1]), dtype=array.dtype)
    wider[: array.shape[0]] = array
    return wider


@jit
def _doubled_line(line: Floats) -> Floats:
    longer = np.empty(2 * len(line))
    longer[: len(line)] = line
    return longer


@jit
def _expired(events: Events, run: Ints, expiry: float, horizon: float) -> bool:
    """Whether no event that begins at the horizon or later can complete a run."""
    if expiry < horizon:
        return True
    for place in range(1, len(run)):
        if run[place] >= 0 and run[place - 1] < 0 and events.latest[run[place]] < horizon:
            return True
    return False


@jit
def _cloned(desk: Desk, run: Ints, place: int, row: int) -> int:
    """Bind an event to a free component of a run: how many events it then has, or 0 where they do not go together.

    The valid ranges of the clone are left in the first rows of `work.lower` and `work.upper`.
    """
    events, candidates, question, work = desk.events, desk.candidates, desk.question, desk.work
    size, bound = 0, 0
    for other in range(len(run)):
        one = row if other == place else run[other]
        if one < 0:
            continue
        if one == row and other != place:
            return 0
        component = candidates.present[other]
        work.at[component] = one
        bound |= 1 << component
        work.match[size] = one
        size += 1
    last = len(run) - 1
    work.bound[last] = bound
    if not valid_ranges(
        events, work.match, size, question.window, question.discrete, work.lower[last], work.upper[last]
    ):
        return 0
    if not binding_holds(desk.program, work.at, candidates.present[place], bound, desk.stack):
        return 0
    if 1 < size < len(run):
        wanted = wanted_confidence(question, desk.best)
        if wanted > 0.0 and (
            confidence(events, work.match[:size], question.window, question.discrete, desk.grid) < wanted - SLACK
        ):
            return 0
    return size


@jit
def run_group(
    desk: Desk, group: int, rows: Ints, places: Ints, widest: float, found: Found, written: int
) -> tuple[Found, int]:
    """All matches of one group; `rows` are its events in the order of arrival, at the places that each fits."""
    events, work = desk.events, desk.work
    length = len(desk.candidates.present)
    runs = np.empty((64, length), dtype=np.int64)
    expiry = np.empty(64)
    alive, now = 0, -np.inf
    for arrival in range(len(rows)):
        row, place = rows[arrival], places[arrival]
        now = max(now, events.earliest[row])
        horizon = now - widest
        kept = 0
        for run in range(alive):
            if _expired(events, runs[run], expiry[run], horizon):
                work.counts[PRUNED] += 1
                continue
            runs[kept] = runs[run]
            expiry[kept] = expiry[run]
            kept += 1
        alive = kept
        for run in range(-1, kept):
            if 2 * (alive + 2) > len(expiry):
                runs, expiry = _doubled(runs), _doubled_line(expiry)
            if run < 0:
                runs[alive] = -1
            elif runs[run, place] >= 0:
                continue
            else:
                runs[alive] = runs[run]
            size = _cloned(desk, runs[alive], place, row)
            if size == 0:
                continue
            work.counts[PARTIAL] += 1
            if size < length:
                runs[alive, place] = row
                expiry[alive] = np.inf
                for bound in range(size):
                    expiry[alive] = min(expiry[alive], work.upper[length - 1, bound] + desk.question.window)
                alive += 1
                continue
            if written == len(found.earliest):
                found = Found(
                    _doubled(found.events), _doubled_line(found.earliest), _doubled_line(found.latest),
                    _doubled_line(found.confidence),
                )  # fmt: skip
            before = written
            written = emit(desk, group, found, written)
            if written > before:
                remember(desk.best, found.confidence[before])
    return found, written
