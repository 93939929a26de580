"""The default method: every left object walks the tree of the right side, and bounds settle most of what it meets."""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Ints
from whenabouts.kernels.similarity.bounds import stretch_of, too_far
from whenabouts.kernels.similarity.confidence import Work
from whenabouts.kernels.similarity.distance import Space, distance_between, distance_to_box
from whenabouts.kernels.similarity.objects import OWNED, Found, Objects, Question
from whenabouts.kernels.similarity.refinement import refine
from whenabouts.kernels.similarity.tree import Tree


@jit
def search(
    question: Question,
    space: Space,
    left: Objects,
    start: int,
    stop: int,
    right: Objects,
    tree: Tree,
    near: Ints,
    work: Work,
    found: Found,
    emitted: int,
    tally: Ints,
) -> tuple[int, int]:
    """Find the partners of the left objects from `start` to `stop`, until all are done or the room may not suffice.

    What comes back is the object to go on with, and how many pairs are in `found`, where `emitted` were before. It and
    `near` have room for all partners that one object can have.
    """
    stretch = stretch_of(question.level)
    for i in range(start, stop):
        count = _walk(question, space, left, i, right, tree, stretch, near)
        if emitted + count > len(found.left):
            return i, emitted
        emitted = refine(question, space, left, i, right, near, count, stretch, work, found, emitted, tally)
    return stop, emitted


@jit
def _walk(
    question: Question, space: Space, left: Objects, i: int, right: Objects, tree: Tree, stretch: float, near: Ints
) -> int:
    """How many objects of the tree are near object i, having written them down.

    A node is left out where windows cannot meet, or where spheres or moments say that nothing below it can be close
    enough.
    """
    centre = left.clouds.centre[i]
    place = left.place[i]
    radius = left.clouds.radius[i]
    spread = left.clouds.spread[i]
    rank = left.rank[i]
    owned = left.owned[i]
    group = left.group[i]
    count = 0
    node = tree.root[group]
    while node < tree.root[group + 1]:
        earlier = place - tree.latest[node]
        if (
            earlier >= question.window
            or tree.earliest[node] - place >= question.window
            or (question.within_itself and earlier > 0.0)
        ):
            node = tree.skip[node]
            continue
        gap = distance_to_box(space, centre, tree.lo[node], tree.hi[node]) - question.reach
        if too_far(gap, radius + tree.radius[node], spread + tree.spread[node], stretch, question.slack):
            node = tree.skip[node]
            continue
        if tree.skip[node] == node + 1:
            for at in range(tree.begin[node], tree.end[node]):
                j = tree.order[at]
                apart = distance_between(space, centre, right.clouds.centre[j]) - question.reach
                radii = radius + right.clouds.radius[j]
                if (
                    not too_far(apart, radii, spread + right.clouds.spread[j], stretch, question.slack)
                    and abs(right.place[j] - place) < question.window
                    and not (question.within_itself and right.rank[j] <= rank)
                    and (owned | right.owned[j]) == OWNED
                ):
                    near[count] = j
                    count += 1
        node += 1
    return count
