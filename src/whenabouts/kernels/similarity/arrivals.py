"""Paper 003's own methods, object by object as they arrive: without pruning (WoP), and with the grid.

Arrivals are in the order of their places. A newcomer meets the window of the other stream, from which what has expired
is let go first, and then joins its own; so every pair is met once, when the later of the two arrives. Objects that
arrive together are grouped while that makes the search around a group no larger for each of them (section 6.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.probability import probability
from whenabouts.kernels.similarity.bounds import SAFE
from whenabouts.kernels.similarity.clouds import cloud_at
from whenabouts.kernels.similarity.confidence import plain_confidence, stopping_confidence
from whenabouts.kernels.similarity.distance import Space, distance_between
from whenabouts.kernels.similarity.hyperspheres import Spheres, miss_each_other
from whenabouts.kernels.similarity.objects import OWNED, Found, Objects, Question
from whenabouts.kernels.similarity.refinement import BOXED, COMPUTED, EMITTED, NEAR
from whenabouts.kernels.similarity.windows import Cells, Window, expire, gather, insert, widest


class Arrivals(NamedTuple):
    """Who comes when: the stream (0 is left, 1 is right), the object, and the batch in which it comes."""

    side: Ints
    object: Ints
    batch: Ints


@jit
def without_pruning(
    question: Question, space: Space, left: Objects, right: Objects, arrivals: Arrivals, tally: Ints
) -> tuple[Found, int]:
    """WoP: every newcomer is compared with every object of the other window, by all pairs of samples."""
    found = _room(1024)
    count = 0
    turn = np.empty((2, len(arrivals.side)), dtype=np.int64)
    near = np.empty(len(arrivals.side), dtype=np.int64)
    begin = np.zeros(2, dtype=np.int64)
    end = np.zeros(2, dtype=np.int64)
    for now in range(len(arrivals.side)):
        side = arrivals.side[now]
        i = arrivals.object[now]
        mine = left if side == 0 else right
        theirs = right if side == 0 else left
        other = 0 if question.within_itself else 1 - side
        while begin[other] < end[other] and mine.place[i] - theirs.place[turn[other, begin[other]]] >= question.window:
            begin[other] += 1
        met = 0
        for at in range(begin[other], end[other]):
            j = turn[other, at]
            if mine.group[i] == theirs.group[j] and (mine.owned[i] | theirs.owned[j]) == OWNED:
                near[met] = j
                met += 1
        tally[NEAR] += met
        found, count = _compare(question, space, mine, i, theirs, near, met, False, side, found, count, tally)
        turn[side, end[side]] = i
        end[side] += 1
    tally[EMITTED] += count
    return found, count


@jit
def with_grid(
    question: Question,
    space: Space,
    left: Objects,
    right: Objects,
    arrivals: Arrivals,
    cells: Cells,
    windows: tuple[Window, Window],
    spheres: tuple[Spheres, Spheres],
    tally: Ints,
) -> tuple[Found, int]:
    """The paper's method: the grid is asked once for each group; OP, SP and refinement follow for each pair."""
    found = _room(1024)
    count = 0
    total = len(arrivals.side)
    odometer = np.zeros((3, space.dimension), dtype=np.int64)
    near = np.empty(len(left.place) + len(right.place), dtype=np.int64)
    kept = np.empty_like(near)
    centre = np.empty(space.dimension)
    start = 0
    while start < total:
        side = arrivals.side[start]
        other = 0 if question.within_itself else 1 - side
        mine = left if side == 0 else right
        theirs = right if side == 0 else left
        window = windows[0] if other == 0 else windows[1]
        own = windows[0] if side == 0 else windows[1]
        mine_spheres = spheres[0] if side == 0 else spheres[1]
        their_spheres = spheres[0] if other == 0 else spheres[1]
        first = mine.place[arrivals.object[start]]
        expire(space, cells, window, theirs.clouds, theirs.place, first - question.window)
        stop, radius = _group(question, space, mine, arrivals, start, widest(window, theirs.clouds), centre)
        reach = (question.reach + radius + widest(window, theirs.clouds)) * SAFE + question.slack
        met = gather(space, cells, window, centre, reach, odometer, near)
        for now in range(start, stop):
            i = arrivals.object[now]
            earlier = now - start if question.within_itself else 0
            passed = 0
            for at in range(met + earlier):
                j = near[at] if at < met else arrivals.object[start + at - met]
                if (
                    mine.group[i] == theirs.group[j]
                    and abs(mine.place[i] - theirs.place[j]) < question.window
                    and (mine.owned[i] | theirs.owned[j]) == OWNED
                ):
                    apart = distance_between(space, mine.clouds.centre[i], theirs.clouds.centre[j])
                    radii = (mine.clouds.radius[i] + theirs.clouds.radius[j]) * SAFE
                    if apart - radii > question.reach + question.slack:
                        continue
                    tally[NEAR] += 1
                    if miss_each_other(
                        mine_spheres, i, their_spheres, j, apart, question.reach, question.slack, question.level
                    ):
                        tally[BOXED] += 1
                        continue
                    kept[passed] = j
                    passed += 1
            found, count = _compare(question, space, mine, i, theirs, kept, passed, True, side, found, count, tally)
        for now in range(start, stop):
            insert(space, cells, own, mine.clouds, arrivals.object[now])
        start = stop
    tally[EMITTED] += count
    return found, count


@jit
def _group(
    question: Question, space: Space, mine: Objects, arrivals: Arrivals, start: int, widest_other: float, centre: Floats
) -> tuple[int, float]:
    """Where the group that begins at `start` ends, and its radius about `centre`, which is filled in.

    A newcomer of the same batch is taken in while the volume to search, (eps + r_G + r_max)^d, does not grow for each
    member of the group.
    """
    d = space.dimension
    clouds = mine.clouds
    i = arrivals.object[start]
    for k in range(d):
        centre[k] = clouds.centre[i, k]
    radius = clouds.radius[i]
    stop = start + 1
    moved = np.empty(d)
    while (
        stop < len(arrivals.side)
        and arrivals.side[stop] == arrivals.side[start]
        and arrivals.batch[stop] == arrivals.batch[start]
    ):
        size = stop - start
        for k in range(d):
            moved[k] = (centre[k] * size + clouds.centre[arrivals.object[stop], k]) / (size + 1)
        wider = 0.0
        for now in range(start, stop + 1):
            i = arrivals.object[now]
            wider = max(wider, distance_between(space, moved, clouds.centre[i]) + clouds.radius[i])
        before = (question.reach + radius + widest_other) ** d / size
        after = (question.reach + wider + widest_other) ** d / (size + 1)
        if after > before:
            break
        radius = wider
        for k in range(d):
            centre[k] = moved[k]
        stop += 1
    return stop, radius


@jit
def _compare(
    question: Question,
    space: Space,
    mine: Objects,
    i: int,
    theirs: Objects,
    near: Ints,
    met: int,
    stopping: bool,
    side: int,
    found: Found,
    count: int,
    tally: Ints,
) -> tuple[Found, int]:
    """Compute the confidence of a newcomer and each that it meets, and take down those that are high enough."""
    if count + met > len(found.left):
        larger = _room(2 * (count + met))
        larger.left[:count] = found.left[:count]
        larger.right[:count] = found.right[:count]
        larger.confidence[:count] = found.confidence[:count]
        found = larger
    tally[COMPUTED] += met
    x = cloud_at(mine.clouds.points, i)
    their_points = theirs.clouds.points
    for at in range(met):
        j = near[at]
        chance = 1.0
        if question.timed:
            chance = probability(mine.times, i, theirs.times, j, -question.within, question.within)
            if chance < question.level:
                continue
        level = question.level / chance
        y = cloud_at(their_points, j)
        if stopping:
            confidence = stopping_confidence(space, x, y, question.limit, level, question.measure)
        else:
            confidence = plain_confidence(space, x, y, question.limit)
        if confidence >= level:
            swapped = side == 1 or (question.within_itself and mine.rank[i] > theirs.rank[j])
            found.left[count] = j if swapped else i
            found.right[count] = i if swapped else j
            found.confidence[count] = confidence * chance
            count += 1
    return found, count


@jit
def _room(size: int) -> Found:
    return Found(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64), np.empty(size))
