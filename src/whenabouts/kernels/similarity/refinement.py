"""What is done with the pairs that a search has found near: moments, times, boxes and, if need be, distances."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Ints
from whenabouts.kernels.probability import probability
from whenabouts.kernels.similarity.bounds import too_far, too_wide, variance_along
from whenabouts.kernels.similarity.clouds import cloud_at
from whenabouts.kernels.similarity.confidence import (
    REJECTED,
    Work,
    out_of_reach,
    refined_confidence,
    settle_by_boxes,
    stopping_confidence,
)
from whenabouts.kernels.similarity.distance import EUCLIDEAN, Space, distance_between
from whenabouts.kernels.similarity.objects import Found, Objects, Question

NEAR, BOXED, SURE, COMPUTED, EMITTED = range(5)
"""Places in the tally: pairs past the bounds of whole objects, settled by boxes alone, sure, computed, given out."""


@jit
def refine(
    question: Question,
    space: Space,
    left: Objects,
    i: int,
    right: Objects,
    near: Ints,
    count: int,
    stretch: float,
    work: Work,
    found: Found,
    emitted: int,
    tally: Ints,
) -> int:
    """Write down those of some partners of a left object that are close with enough confidence; how many there are now.

    The arrays are taken out of their tuples once for all partners.
    """
    xs = left.clouds
    ys = right.clouds
    x = cloud_at(xs.points, i)
    x_moments = xs.moments
    y_moments = ys.moments
    y_points = ys.points
    for at in range(count):
        j = near[at]
        apart = distance_between(space, x_moments.centre[i], y_moments.centre[j])
        radii = xs.radius[i] + ys.radius[j]
        gap = apart - question.reach
        if gap > 0.0:
            along = variance_along(space, x_moments, i, y_moments, j) + question.slack * question.slack
            if too_far(gap, radii, along, stretch, question.slack):
                continue
        if space.metric == EUCLIDEAN and too_wide(
            space, x_moments, i, y_moments, j, question.reach, stretch, question.slack
        ):
            continue
        tally[NEAR] += 1
        level = question.level
        chance = 1.0
        if question.timed:
            chance = probability(left.times, i, right.times, j, -question.within, question.within)
            if chance < level:
                continue
            level = level / chance
        confidence = 1.0
        if apart + radii + question.slack < question.reach:
            tally[SURE] += 1
        elif xs.fine[i] + ys.fine[j] < 2:
            tally[COMPUTED] += 1
            y = cloud_at(y_points, j)
            confidence = stopping_confidence(space, x, y, question.limit, level, question.measure)
        else:
            y = cloud_at(y_points, j)
            settled = settle_by_boxes(
                space, xs.boxes, xs.points.first[i], xs.points.first[i + 1], ys.boxes, y_points.first[j],
                y_points.first[j + 1], question.limit, work,
            )  # fmt: skip
            if out_of_reach(settled, x.whole * y.whole, level):
                tally[BOXED] += 1
                continue
            tally[SURE if settled.waiting == 0 else COMPUTED] += 1
            confidence = refined_confidence(space, x, y, question.limit, level, question.measure, settled, work)
        if confidence != REJECTED:
            found.left[emitted] = i
            found.right[emitted] = j
            found.confidence[emitted] = confidence * chance
            emitted += 1
    return emitted
