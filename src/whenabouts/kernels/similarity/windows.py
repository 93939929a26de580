"""The sliding window of one stream as the paper keeps it: a grid on the centres, and the largest radius.

Insertion and deletion cost O(1): every cell is a doubly linked list. The largest radius in the window is the first of a
list from which a newcomer removes what it outlasts and outweighs (section 6.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.clouds import Clouds
from whenabouts.kernels.similarity.distance import Space, distance_to_box

NOTHING = -1


class Cells(NamedTuple):
    """Equal cells over all centres: where they begin, how wide they are, and how many there are along each axis."""

    origin: Floats
    width: Floats
    number: Ints


class Window(NamedTuple):
    """The objects of a stream that have come and not yet expired.

    `queue[ends[0]:ends[1]]` are those that may yet be the widest; `turn[ends[2]:ends[3]]` all of them as they came.
    """

    head: Ints
    after: Ints
    before: Ints
    queue: Ints
    turn: Ints
    ends: Ints


def cells_of(centres: list[Floats], width: float, objects: int) -> Cells:
    """Cells of about the given width, but no more of them than four for each object in a window."""
    points = np.concatenate(centres)
    d = points.shape[1]
    if not len(points):
        return Cells(np.zeros(d), np.ones(d), np.ones(d, dtype=np.int64))
    low, high = points.min(axis=0), points.max(axis=0)
    most = max(int((4.0 * max(objects, 1)) ** (1.0 / d)), 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wanted = np.nan_to_num((high - low) / width, nan=1.0, posinf=most)
    count = np.clip(np.floor(wanted), 1, most).astype(np.int64)
    size = (high - low) / count
    return Cells(low, np.where(size > 0.0, size, 1.0), count)


def window_of(cells: Cells, objects: int) -> Window:
    """An empty window."""
    head = np.full(int(np.prod(cells.number)), NOTHING, dtype=np.int64)
    after, before, queue, turn = (np.full(objects, NOTHING, dtype=np.int64) for _ in range(4))
    return Window(head, after, before, queue, turn, np.zeros(4, dtype=np.int64))


@jit
def _cell_along(cells: Cells, k: int, value: float) -> int:
    at = np.floor((value - cells.origin[k]) / cells.width[k])
    return int(min(max(at, 0.0), cells.number[k] - 1.0))


@jit
def _cell_at(space: Space, cells: Cells, clouds: Clouds, i: int) -> int:
    cell = 0
    for k in range(space.dimension):
        cell = cell * cells.number[k] + _cell_along(cells, k, clouds.centre[i, k])
    return cell


@jit
def insert(space: Space, cells: Cells, window: Window, clouds: Clouds, i: int) -> None:
    """Let an object into the window."""
    cell = _cell_at(space, cells, clouds, i)
    old = window.head[cell]
    window.after[i] = old
    window.before[i] = NOTHING
    if old != NOTHING:
        window.before[old] = i
    window.head[cell] = i
    ends = window.ends
    while ends[1] > ends[0] and clouds.radius[window.queue[ends[1] - 1]] <= clouds.radius[i]:
        ends[1] -= 1
    window.queue[ends[1]] = i
    ends[1] += 1
    window.turn[ends[3]] = i
    ends[3] += 1


@jit
def expire(space: Space, cells: Cells, window: Window, clouds: Clouds, place: Floats, until: float) -> None:
    """Let objects go whose place is not after `until`."""
    ends = window.ends
    while ends[2] < ends[3] and place[window.turn[ends[2]]] <= until:
        i = window.turn[ends[2]]
        ends[2] += 1
        after = window.after[i]
        before = window.before[i]
        if after != NOTHING:
            window.before[after] = before
        if before != NOTHING:
            window.after[before] = after
        else:
            window.head[_cell_at(space, cells, clouds, i)] = after
        if window.queue[ends[0]] == i:
            ends[0] += 1


@jit
def widest(window: Window, clouds: Clouds) -> float:
    """r_max: the largest radius in the window, zero in an empty one."""
    ends = window.ends
    return clouds.radius[window.queue[ends[0]]] if ends[1] > ends[0] else 0.0


@jit
def gather(space: Space, cells: Cells, window: Window, centre: Floats, reach: float, odometer: Ints, into: Ints) -> int:
    """The objects in cells within `reach` of a centre (inequality 10), and how many they are."""
    found = 0
    low = odometer[0]
    high = odometer[1]
    at = odometer[2]
    for k in range(space.dimension):
        low[k] = _cell_along(cells, k, centre[k] - reach)
        high[k] = _cell_along(cells, k, centre[k] + reach)
        at[k] = low[k]
    lower = np.empty(space.dimension)
    upper = np.empty(space.dimension)
    while True:
        cell = 0
        for k in range(space.dimension):
            cell = cell * cells.number[k] + at[k]
            # The outermost cells hold whatever rounding puts beyond them.
            lower[k] = cells.origin[k] + (at[k] - 1e-9) * cells.width[k]
            upper[k] = cells.origin[k] + (at[k] + 1.0 + 1e-9) * cells.width[k]
        if distance_to_box(space, centre, lower, upper) <= reach:
            i = window.head[cell]
            while i != NOTHING:
                into[found] = i
                found += 1
                i = window.after[i]
        k = space.dimension - 1
        while k >= 0 and at[k] == high[k]:
            at[k] = low[k]
            k -= 1
        if k < 0:
            return found
        at[k] += 1
