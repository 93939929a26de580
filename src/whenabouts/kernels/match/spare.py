"""From matches by order and window alone to those that no rival spoils."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Ints
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.exclusion import exclusive
from whenabouts.kernels.match.ranges import valid_ranges
from whenabouts.kernels.match.rivals import find_rivals
from whenabouts.kernels.match.work import EMITTED, PRUNED, SLACK, Found


@jit
def keep_out_rivals(desk: Desk, group_of: Ints, found: Found, count: int) -> int:
    """Work out the first `count` matches again with their rivals kept out, and drop those that are not sure enough.

    `group_of` is the group of each event at the first component. How many matches are left is returned.
    """
    events, candidates, question, work = desk.events, desk.candidates, desk.question, desk.work
    last, kept = len(work.match) - 1, 0
    for one in range(count):
        work.bound[last] = 0
        for place in range(last + 1):
            component = candidates.present[place]
            work.match[place] = found.events[one, place]
            work.at[component] = found.events[one, place]
            work.bound[last] |= 1 << component
        lower, upper = work.lower[last], work.upper[last]
        valid_ranges(events, work.match, last + 1, question.window, question.discrete, lower, upper)
        sure, earliest, latest = found.confidence[one], found.earliest[one], found.latest[one]
        group = group_of[work.match[0]]
        if find_rivals(desk, group):
            sure, earliest, latest = exclusive(
                events, work.match, earliest, latest, question.window, question.discrete, desk.rivals
            )
        if sure <= 0.0 or sure < question.threshold - SLACK:
            continue
        for place in range(last + 1):
            found.events[kept, place] = work.match[place]
        found.earliest[kept], found.latest[kept], found.confidence[kept] = earliest, latest, sure
        kept += 1
    work.counts[EMITTED] -= count - kept
    work.counts[PRUNED] += count - kept
    return kept
