"""The times of a match, laid out on a grid on which every distribution is constant inside a cell.

Time is continuous or counted in ticks. Counted time uses the same arrays: a tick k is the stretch [k, k + 1), so an
event on the ticks 3, 4, 5 is the piece [3, 6), and a tick for sure is a piece of width 1. A cell of the grid then
holds a whole number of ticks. In continuous time a piece without width is a point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Events, Floats, Ints


class Grid(NamedTuple):
    """Room for the pieces of a few events and for their masses between all their ends; made once, used a match."""

    start: Ints
    lo: Floats
    hi: Floats
    mass: Floats
    edge: Floats
    cell: NDArray[np.float64]
    atom: NDArray[np.float64]
    size: Ints
    state: Floats
    chosen: Ints


def make_grid(length: int, pieces: int) -> Grid:
    """Room for `length` events of at most `pieces` pieces each."""
    room = length * pieces
    return Grid(
        np.zeros(length + 1, dtype=np.int64), np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(2 * room + 1),
        np.zeros((length, 2 * room + 1)), np.zeros((length, 2 * room + 1)), np.zeros(2, dtype=np.int64),
        np.zeros(length + 1), np.zeros(length, dtype=np.int64),
    )  # fmt: skip


def most_pieces(events: Events) -> int:
    """The longest shape, which says how much room a grid needs."""
    return int(np.diff(events.shapes.start).max(initial=1))


@jit
def gather(events: Events, match: Ints, chosen: Ints, count: int, mirrored: bool, discrete: bool, grid: Grid) -> None:
    """Copy the pieces of the events at the `count` chosen places of a match; mirrored, time runs backwards.

    Mirrored, the last place comes first and t becomes -t; a tick [k, k + 1) becomes [-k, 1 - k).
    """
    start, lo, hi, mass = grid.start, grid.lo, grid.hi, grid.mass
    shapes = events.shapes
    plain = len(events.shape) == 0
    at = 0
    start[0] = 0
    shift = 1.0 if discrete else 0.0
    for number in range(count):
        one = match[chosen[count - 1 - number if mirrored else number]]
        if plain:
            first, last = events.earliest[one], events.latest[one]
            lo[at] = shift - last if mirrored else first
            hi[at] = shift - first if mirrored else last
            mass[at] = 1.0
            at += 1
        else:
            anchor = events.anchor[one]
            begin, end = shapes.start[events.shape[one]], shapes.start[events.shape[one] + 1]
            for step in range(end - begin):
                piece = end - 1 - step if mirrored else begin + step
                first, last = anchor + shapes.lo[piece], anchor + shapes.hi[piece]
                lo[at] = shift - last if mirrored else first
                hi[at] = shift - first if mirrored else last
                mass[at] = shapes.mass[piece]
                at += 1
        start[number + 1] = at


@jit
def lay_out(count: int, discrete: bool, grid: Grid) -> None:
    """Cut time at every end of a piece, and spread each event's mass over the cells and points between.

    `grid.cell[k, c]` is the mass of event k strictly between the ends c and c + 1 (a tick of it, in counted time), and
    `grid.atom[k, c]` its mass at the end c.
    """
    start, lo, hi, mass = grid.start, grid.lo, grid.hi, grid.mass
    edge, cell, atom = grid.edge, grid.cell, grid.atom
    used = 0
    for piece in range(start[count]):
        for end in (lo[piece], hi[piece]):
            place = used
            while place > 0 and edge[place - 1] > end:
                place -= 1
            if place > 0 and edge[place - 1] == end:
                continue
            for other in range(used, place, -1):
                edge[other] = edge[other - 1]
            edge[place] = end
            used += 1
    points = 0
    for number in range(count):
        for c in range(used):
            cell[number, c] = 0.0
            atom[number, c] = 0.0
        c = 0
        for piece in range(start[number], start[number + 1]):
            while edge[c] < lo[piece]:
                c += 1
            width = hi[piece] - lo[piece]
            if width == 0.0:
                atom[number, c] += mass[piece]
                points += 1
                continue
            while c + 1 < used and edge[c + 1] <= hi[piece]:
                cell[number, c] += mass[piece] / width * (1.0 if discrete else edge[c + 1] - edge[c])
                c += 1
    grid.size[0] = used
    grid.size[1] = points
