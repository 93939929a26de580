"""How many pairs meet in their windows: what pruning power is measured against."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.objects import OWNED, Objects, Question


def window_pairs(question: Question, left: Objects, right: Objects) -> int:
    """The pairs of equal groups whose places differ by less than the window, among those that are owned here."""
    total = 0
    for mine in range(OWNED + 1):
        one = np.flatnonzero(left.owned == mine)
        for theirs in range(OWNED + 1):
            if mine | theirs == OWNED and len(one):
                other = np.flatnonzero(right.owned == theirs)
                total += _meeting(left, one, right, other, question.window)
    if question.within_itself:
        total = (total - int(np.count_nonzero(left.owned == OWNED))) // 2
    return total


def _meeting(left: Objects, one: Ints, right: Objects, other: Ints, window: float) -> int:
    if not len(other):
        return 0
    if left.group.max(initial=0) == 0 and right.group.max(initial=0) == 0:
        return _within(left.place[one], right.place[other], window)
    total = 0
    order = other[np.argsort(right.group[other], kind="stable")]
    for group in np.unique(left.group[one]):
        begin, end = np.searchsorted(right.group[order], [group, group + 1])
        total += _within(left.place[one][left.group[one] == group], right.place[order[begin:end]], window)
    return total


def _within(places: Floats, others: Floats, window: float) -> int:
    """How many of the others, in rising order, are less than a window away, over all places."""
    if not np.isfinite(window):
        return len(places) * len(others)
    low = np.searchsorted(others, places - window, side="right")
    high = np.searchsorted(others, places + window, side="left")
    return int((high - low).sum())
