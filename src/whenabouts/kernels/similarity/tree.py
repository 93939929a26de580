"""A tree over the objects of one side, by centre and by place, so that windows and distances cut it at once.

Nodes stand in preorder with the number of the node to go on with where one is left out: a walk needs no stack. Every
node knows the box of its centres, the stretch of its places, and the largest radius and spread below it, so that one
wide cloud costs only the nodes above it, where a grid would widen every search by r_max.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.similarity.clouds import Clouds
from whenabouts.kernels.similarity.order import halving_order, read_only

_LEAF = 8


class Tree(NamedTuple):
    """Objects in `order`; node t holds `order[begin[t]:end[t]]`, and group g the nodes `root[g]:root[g + 1]`."""

    order: Ints
    root: Ints
    begin: Ints
    end: Ints
    skip: Ints
    lo: Floats
    hi: Floats
    earliest: Floats
    latest: Floats
    radius: Floats
    spread: Floats


def tree_of(clouds: Clouds, place: Floats, group: Ints, groups: int, reach: float, window: float) -> Tree:
    """Build the tree; `reach` and `window` say how long a stretch of space and of places is, for the halving."""
    d = clouds.centre.shape[1]
    order = np.argsort(group, kind="stable").astype(np.int64)
    edges = np.searchsorted(group[order], np.arange(groups + 1)).astype(np.int64)
    scale = np.ones(d + 1)
    scale[d] = max(reach, np.finfo(float).tiny) / window if np.isfinite(window) and window > 0 else 0.0
    points = read_only(np.column_stack([clouds.centre, place]))
    nodes = sum(_node_count(int(b - a)) for a, b in pairwise(edges))
    begin, end, skip = (np.zeros(nodes, np.int64) for _ in range(3))
    lo, hi = np.zeros((nodes, d)), np.zeros((nodes, d))
    earliest, latest, radius, spread = (np.zeros(nodes) for _ in range(4))
    root = np.zeros(groups + 1, np.int64)
    tree = Tree(order, root, begin, end, skip, lo, hi, earliest, latest, radius, spread)
    _grow(clouds, place, points, scale, edges, tree)
    return tree


def _node_count(rows: int) -> int:
    return max(2 * (-(-rows // _LEAF)) - 1, 0)


@jit
def _grow(clouds: Clouds, place: Floats, points: Floats, scale: Floats, edges: Ints, tree: Tree) -> None:
    node = tree.root[0]
    stack = np.empty((64, 2), dtype=np.int64)
    for g in range(len(edges) - 1):
        tree.root[g] = node
        if edges[g] == edges[g + 1]:
            continue
        halving_order(points, scale, tree.order[edges[g] : edges[g + 1]], _LEAF, stack)
        stack[0, 0] = edges[g]
        stack[0, 1] = edges[g + 1]
        waiting = 1
        while waiting > 0:
            waiting -= 1
            low = stack[waiting, 0]
            high = stack[waiting, 1]
            leaves = (high - low + _LEAF - 1) // _LEAF
            tree.begin[node] = low
            tree.end[node] = high
            tree.skip[node] = node + 2 * leaves - 1
            _bound(clouds, place, tree, node)
            if leaves > 1:
                middle = low + (leaves + 1) // 2 * _LEAF
                stack[waiting, 0] = middle
                stack[waiting, 1] = high
                stack[waiting + 1, 0] = low
                stack[waiting + 1, 1] = middle
                waiting += 2
            node += 1
    tree.root[len(edges) - 1] = node


@jit
def _bound(clouds: Clouds, place: Floats, tree: Tree, node: int) -> None:
    tree.earliest[node] = np.inf
    tree.latest[node] = -np.inf
    for k in range(tree.lo.shape[1]):
        tree.lo[node, k] = np.inf
        tree.hi[node, k] = -np.inf
    for at in range(tree.begin[node], tree.end[node]):
        i = tree.order[at]
        for k in range(tree.lo.shape[1]):
            tree.lo[node, k] = min(tree.lo[node, k], clouds.centre[i, k])
            tree.hi[node, k] = max(tree.hi[node, k], clouds.centre[i, k])
        tree.earliest[node] = min(tree.earliest[node], place[i])
        tree.latest[node] = max(tree.latest[node], place[i])
        tree.radius[node] = max(tree.radius[node], clouds.radius[i])
        tree.spread[node] = max(tree.spread[node], clouds.spread[i])
