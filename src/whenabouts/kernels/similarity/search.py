"""The default method: every left object walks the tree of the right side, and bounds settle most of what it meets."""

from __future__ import annotations

from typing import NamedTuple

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Ints
from whenabouts.kernels.probability import probability
from whenabouts.kernels.similarity.bounds import stretch_of, too_far, too_wide, variance_along
from whenabouts.kernels.similarity.clouds import Clouds
from whenabouts.kernels.similarity.confidence import (
    REJECTED,
    Work,
    out_of_reach,
    refined_confidence,
    settle_by_boxes,
    stopping_confidence,
)
from whenabouts.kernels.similarity.distance import EUCLIDEAN, Space, distance_between, distance_to_box
from whenabouts.kernels.similarity.objects import OWNED, Found, Objects, Question
from whenabouts.kernels.similarity.tree import Tree

NEAR, BOXED, SURE, COMPUTED, EMITTED = range(5)
"""Places in the tally: pairs past the bounds of whole objects, settled by boxes alone, sure, computed, given out."""


_COARSE = 0.35
"""Leaves that are larger than this share of eps are seldom settled by their boxes: then distances are cheaper."""


class Cursor(NamedTuple):
    """Where a search stands when its room is full: the left object, the node, and the place within it."""

    row: int
    node: int
    at: int


@jit
def search(
    question: Question,
    space: Space,
    left: Objects,
    stop: int,
    right: Objects,
    tree: Tree,
    work: Work,
    cursor: Cursor,
    found: Found,
    tally: Ints,
) -> Cursor:
    """Find the partners of the left objects from `cursor.row` to `stop`, until all are done or the room is full.

    The cursor that comes back is where to go on; a left object that no longer exists means the end. A node is left out
    where windows cannot meet, or where spheres or moments say that nothing below it can be close enough.
    """
    capacity = len(found.left)
    emitted = 0
    stretch = stretch_of(question.level)
    i = cursor.row
    node = cursor.node
    at = cursor.at
    while i < stop:
        centre = left.clouds.centre[i]
        place = left.place[i]
        radius = left.clouds.radius[i]
        spread = left.clouds.spread[i]
        group = left.group[i]
        end = tree.root[group + 1]
        if node < tree.root[group]:
            node = tree.root[group]
            at = -1
        while node < end:
            if at < 0:
                earlier = place - tree.latest[node]
                if earlier >= question.window or tree.earliest[node] - place >= question.window:
                    node = tree.skip[node]
                    continue
                if question.within_itself and earlier > 0.0:
                    node = tree.skip[node]
                    continue
                gap = distance_to_box(space, centre, tree.lo[node], tree.hi[node]) - question.reach
                if too_far(gap, radius + tree.radius[node], spread + tree.spread[node], stretch, question.slack):
                    node = tree.skip[node]
                    continue
                if tree.skip[node] > node + 1:
                    node += 1
                    continue
                at = tree.begin[node]
            while at < tree.end[node]:
                if emitted == capacity:
                    tally[EMITTED] += emitted
                    return Cursor(i, node, at)
                j = tree.order[at]
                at += 1
                apart = distance_between(space, centre, right.clouds.centre[j]) - question.reach
                radii = radius + right.clouds.radius[j]
                if (
                    not too_far(apart, radii, spread + right.clouds.spread[j], stretch, question.slack)
                    and abs(right.place[j] - place) < question.window
                    and not (question.within_itself and right.rank[j] <= left.rank[i])
                    and (left.owned[i] | right.owned[j]) == OWNED
                ):
                    confidence = look_at(question, space, left, i, right, j, stretch, work, tally)
                    if confidence != REJECTED:
                        found.left[emitted] = i
                        found.right[emitted] = j
                        found.confidence[emitted] = confidence
                        emitted += 1
            at = -1
            node += 1
        i += 1
        node = -1
        at = -1
    tally[EMITTED] += emitted
    return Cursor(i, node, at)


@jit
def look_at(
    question: Question,
    space: Space,
    left: Objects,
    i: int,
    right: Objects,
    j: int,
    stretch: float,
    work: Work,
    tally: Ints,
) -> float:
    """The confidence of one pair, or `REJECTED`: spheres, moments, times, boxes and, if need be, distances."""
    xs = left.clouds
    ys = right.clouds
    x = xs.centre[i]
    y = ys.centre[j]
    apart = distance_between(space, x, y)
    radii = xs.radius[i] + ys.radius[j]
    gap = apart - question.reach
    if gap > 0.0:
        along = variance_along(space, x, xs.covariance[i], y, ys.covariance[j])
        if too_far(gap, radii, along + question.slack * question.slack, stretch, question.slack):
            return REJECTED
    if len(space.metric) == EUCLIDEAN and too_wide(space, xs, i, ys, j, question.reach, stretch, question.slack):
        return REJECTED
    tally[NEAR] += 1
    level = question.level
    chance = 1.0
    if question.timed:
        chance = probability(left.times, i, right.times, j, -question.within, question.within)
        if chance < level:
            return REJECTED
        level = level / chance
    if apart + radii + question.slack < question.reach:
        tally[SURE] += 1
        return chance
    if _grain(space, xs, i) + _grain(space, ys, j) > _COARSE * question.reach:
        tally[COMPUTED] += 1
        confidence = stopping_confidence(space, xs, i, ys, j, question.limit, level, question.measure)
        return confidence if confidence == REJECTED else confidence * chance
    settled = settle_by_boxes(space, xs, i, ys, j, question.limit, work)
    whole = xs.whole[i] * ys.whole[j]
    if out_of_reach(settled, whole, level):
        tally[BOXED] += 1
        return REJECTED
    if settled.waiting == 0:
        tally[SURE] += 1
    else:
        tally[COMPUTED] += 1
    confidence = refined_confidence(space, xs, i, ys, j, question.limit, level, question.measure, settled, work)
    return confidence if confidence == REJECTED else confidence * chance


@jit
def _grain(space: Space, clouds: Clouds, i: int) -> float:
    """About how large the leaves of a cloud are."""
    return clouds.radius[i] / (clouds.first[i + 1] - clouds.first[i]) ** (1.0 / len(space.dims))
