"""Where a vehicle can have been: windows of stops between the positions that were seen (section 5, figure 12)."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints


@jit
def onward(start: Ints, position: Ints, kept: Ints) -> None:
    """Mark, journey by journey, a longest run of rows whose position never goes back.

    The nearest stop of a position that is far off is a wrong one: such rows are in the way of all others, and left out.
    """
    for journey in range(len(start) - 1):
        first, count = start[journey], start[journey + 1] - start[journey]
        tails = np.zeros(count, dtype=np.int64)
        before = np.full(count, -1, dtype=np.int64)
        length = 0
        for at in range(count):
            low, high = 0, length
            while low < high:
                middle = (low + high) // 2
                if position[first + tails[middle]] <= position[first + at]:
                    low = middle + 1
                else:
                    high = middle
            before[at] = tails[low - 1] if low > 0 else -1
            tails[low] = at
            length = max(length, low + 1)
        at = tails[length - 1] if length > 0 else -1
        while at >= 0:
            kept[first + at] = 1
            at = before[at]


@jit
def count_visits(start: Ints, position: Ints) -> int:
    """How many stops lie strictly between the first and the last position of each journey."""
    total = 0
    for journey in range(len(start) - 1):
        if start[journey + 1] > start[journey]:
            total += max(0, position[start[journey + 1] - 1] - position[start[journey]] - 1)
    return total


@jit
def windows(
    start: Ints, position: Ints, row: Ints, journey: Ints, stop: Ints, opens: Ints, closes: Ints, ahead: Ints,
    behind: Ints,
) -> None:  # fmt: skip
    """The window of every stop between a journey's ends: the rows that open and close it, and how many stops it shares.

    It opens with the last row near an earlier stop and closes with the first row near a later one. `ahead` and `behind`
    are the arrivals and departures, two a stop, of the other stops that lie between these.
    """
    used = 0
    for number in range(len(start) - 1):
        first, last = start[number], start[number + 1] - 1
        if last < first:
            continue
        opening, closing = first, first
        for place in range(position[first] + 1, position[last]):
            while position[opening + 1] < place:
                opening += 1
            while position[closing] <= place:
                closing += 1
            journey[used], stop[used] = number, place
            opens[used], closes[used] = row[opening], row[closing]
            ahead[used] = 2 * (place - position[opening] - 1)
            behind[used] = 2 * (position[closing] - place - 1)
            used += 1


def visit_windows(start: Ints, position: Ints, time: Floats | Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Journey, stop, opening and closing row, events ahead and behind, of every visit that is bounded on both sides.

    Rows of a journey are in the order of time. A window without any length is left out.
    """
    kept = np.zeros(len(position), dtype=np.int64)
    onward(start, position, kept)
    row = np.flatnonzero(kept)
    begins = np.searchsorted(row, start)
    count = count_visits(begins, position[row])
    journey, stop, opens, closes, ahead, behind = (np.zeros(count, dtype=np.int64) for _ in range(6))
    windows(begins, position[row], row, journey, stop, opens, closes, ahead, behind)
    long = time[closes] > time[opens]
    return journey[long], stop[long], opens[long], closes[long], ahead[long], behind[long]
