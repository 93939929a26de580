"""The arrays by which the kernels know segmented intervals, and a query compiled to an automaton."""

from __future__ import annotations

from typing import NamedTuple

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints

ACCEPT, REJECT = -1, -2
"""Verdicts that no further event can change."""


class Sequences(NamedTuple):
    """Segmented intervals, key by key: all point events in order (start, end, start, end, ...).

    Key k has the events `time[start[k]:start[k + 1]]`; a lost one is NaN. Events that are lost before the first or
    after the last recorded one lie in `[lo, hi]`; where that end is infinite, they follow a Poisson process of `rate`
    (section 3.2). A key of which nothing was recorded may share its `[lo, hi]` with events of something else: so many
    `ahead` of its own events, and so many `behind` them.
    """

    start: Ints
    time: Floats
    lo: Floats
    hi: Floats
    rate: Floats
    ahead: Ints
    behind: Ints


class Automaton(NamedTuple):
    """A query as an automaton that reads the events of both sides in the order of time.

    Whether the next event of a side is a start or an end is known from the number of events before it, so states are
    numbered within the class `2 * (i odd) + (j odd)` for i events of the left and j of the right side.
    `step[class, letter, extra, state]` is the next state, ACCEPT or REJECT; the letters are a left event, a right
    event, and both at once. `extra` counts, up to `most`, the segments of the object that lie wholly before a segment
    of the subject that starts now (if `before`), or wholly after one that ends now (if `after`). States are in blocks
    of `block`, one for each number of segments settled in favour: a letter leads into the same block or the next.
    """

    step: Ints
    need: Ints
    subject: int
    before: bool
    after: bool
    most: int
    accepts_at_end: bool
    block: int


@jit
def extra_of(automaton: Automaton, letter: int, i: int, j: int, left_count: int, right_count: int) -> int:
    """Segments of the object that precede or follow the subject's segment as a whole, where the letter settles them."""
    if letter == 1 - automaton.subject or not (automaton.before or automaton.after):
        return 0
    own, other, count = i, j, right_count
    if automaton.subject == 1:
        own, other, count = j, i, left_count
    if own % 2 == 0:
        return min(automaton.most, other // 2) if automaton.before else 0
    if not automaton.after:
        return 0
    begins_now = 1 if letter == 2 and other % 2 == 0 else 0
    return min(automaton.most, count // 2 - (other + 1) // 2 - begins_now)


@jit
def next_state(automaton: Automaton, letter: int, i: int, j: int, left: int, right: int, state: int) -> int:
    """The state after a letter that comes when i left and j right events have been."""
    extra = extra_of(automaton, letter, i, j, left, right)
    return automaton.step[(i % 2) * 2 + j % 2, letter, extra, state]


@jit
def still_open(automaton: Automaton, i: int, j: int, left: int, right: int, state: int) -> bool:
    """Whether enough segments of the subject are yet to end for the state to be accepted."""
    if automaton.subject == 0:
        return automaton.need[(i % 2) * 2 + j % 2, state] <= left // 2 - i // 2
    return automaton.need[(i % 2) * 2 + j % 2, state] <= right // 2 - j // 2
