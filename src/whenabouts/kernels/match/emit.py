"""Writing a complete match: its confidence, its time range, and whether it is sure enough."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.exclusion import exclusive
from whenabouts.kernels.match.rivals import find_rivals
from whenabouts.kernels.match.surest import wanted_confidence
from whenabouts.kernels.match.work import COMPUTED, EMITTED, PRUNED, SLACK, Found


@jit
def emit(desk: Desk, group: int, found: Found, written: int) -> int:
    """Write the match that is bound, if it is sure enough."""
    events, question, work, rivals = desk.events, desk.question, desk.work, desk.rivals
    match, last = work.match, len(work.match) - 1
    wanted = wanted_confidence(question, desk.best)
    sure = confidence(events, match, question.window, question.discrete, desk.grid)
    work.counts[COMPUTED] += 1
    earliest, latest = work.lower[last, 0], work.upper[last, last]
    excluding = sure >= wanted - SLACK and (question.next_only or len(work.at) > len(match))
    if excluding and find_rivals(desk, group):
        sure, earliest, latest = exclusive(
            events, match, work.lower[last, 0], latest, question.window, question.discrete, rivals
        )
    if sure <= 0.0 or sure < wanted - SLACK:
        work.counts[PRUNED] += 1
        return written
    work.counts[EMITTED] += 1
    if written < len(found.earliest):
        for place in range(len(match)):
            found.events[written, place] = match[place]
        found.earliest[written] = earliest
        found.latest[written] = latest
        found.confidence[written] = sure
    return written + 1
