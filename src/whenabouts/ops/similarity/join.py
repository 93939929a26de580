"""The similarity join of Arrow tables: pairs of uncertain objects that are close with enough confidence.

It runs on any tables that hold all partners of each other: the whole data in this process, one slice of it in a Spark
task, or the window and the newcomers of a stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Ints
from whenabouts.kernels.similarity.arrivals import Arrivals, with_grid, without_pruning
from whenabouts.kernels.similarity.confidence import work_for
from whenabouts.kernels.similarity.hyperspheres import spheres_of
from whenabouts.kernels.similarity.objects import Found, Objects
from whenabouts.kernels.similarity.refinement import EMITTED
from whenabouts.kernels.similarity.search import search
from whenabouts.kernels.similarity.tree import Tree, tree_of
from whenabouts.kernels.similarity.windows import cells_of, window_of
from whenabouts.model.stats import merge_counts
from whenabouts.ops.similarity.prepare import Prepared
from whenabouts.ops.similarity.window_pairs import window_pairs
from whenabouts.ops.similarity.writer import Writer

CHUNK = 1 << 16
_ROWS_A_TASK = 256
_COUNTS = ("candidates", "sample_pruned", "surely_yes", "computed", "emitted")


def execute(prepared: Prepared, *, threads: int = 1) -> Iterator[pa.RecordBatch]:
    """The pairs of all streams, as record batches; counts gather in `prepared.counts`."""
    for one, other in prepared.join.pairs:
        left, right = prepared.sides[one].objects, prepared.sides[other].objects
        if not len(left.place) or not len(right.place):
            continue
        writer = Writer(prepared, one, other)
        tally = np.zeros(len(_COUNTS), dtype=np.int64)
        if prepared.join.method == "auto":
            yield from _search(prepared, left, right, writer, threads, tally)
        else:
            yield from _by_arrivals(prepared, left, right, writer, tally)
        counts = dict(zip(_COUNTS, tally.tolist(), strict=True))
        counts["window_pairs"] = window_pairs(prepared.question, left, right)
        counts["object_pruned"] = counts["window_pairs"] - counts["candidates"]
        merge_counts(prepared.counts, counts)


def _search(
    prepared: Prepared, left: Objects, right: Objects, writer: Writer, threads: int, tally: Ints
) -> Iterator[pa.RecordBatch]:
    """Every left object asks the tree of the right side; in tasks, where there are threads for it."""
    reach = prepared.join.distance + float(right.clouds.radius.mean())
    tree = tree_of(right.clouds, right.place, right.group, prepared.groups, reach, prepared.question.window)
    count = len(left.place)
    if threads <= 1 or count < 2 * _ROWS_A_TASK:
        yield from _search_rows(prepared, left, right, tree, writer, 0, count, tally)
        return
    cuts = np.linspace(0, count, max(4 * threads, min(count // _ROWS_A_TASK, 64)) + 1).astype(int)
    tallies = np.zeros((len(cuts) - 1, len(tally)), dtype=np.int64)
    with ThreadPoolExecutor(threads) as pool:
        tasks = [
            pool.submit(lambda a, b, t: list(_search_rows(prepared, left, right, tree, writer, a, b, t)), a, b, own)
            for (a, b), own in zip(pairwise(cuts.tolist()), tallies, strict=True)
        ]
        for task in tasks:
            yield from task.result()
    tally += tallies.sum(axis=0)


def _search_rows(
    prepared: Prepared, left: Objects, right: Objects, tree: Tree, writer: Writer, start: int, stop: int, tally: Ints
) -> Iterator[pa.RecordBatch]:
    work = work_for(left.clouds, right.clouds)
    near = np.empty(len(right.place), dtype=np.int64)
    room = max(CHUNK, len(near))
    found = Found(np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(room))
    row = start
    while row < stop:
        row, count = search(
            prepared.question, prepared.space, left, row, stop, right, tree, near, work, found, 0, tally
        )
        tally[EMITTED] += count
        if count:
            yield writer.batch(found.left[:count], found.right[:count], found.confidence[:count])


def _by_arrivals(
    prepared: Prepared, left: Objects, right: Objects, writer: Writer, tally: Ints
) -> Iterator[pa.RecordBatch]:
    """The paper's own methods, object by object."""
    question, space, join = prepared.question, prepared.space, prepared.join
    arrivals = _arrivals(left, right, question.within_itself, join.batch)
    if join.method == "wop":
        found, count = without_pruning(question, space, left, right, arrivals, tally)
    else:
        centres = [side.clouds.centre for side in (left, right)]
        radii = np.concatenate([left.clouds.radius, right.clouds.radius])
        width = join.distance + 2.0 * float(radii.mean())
        cells = cells_of(centres, width, max(len(left.place), len(right.place)))
        windows = window_of(cells, len(left.place)), window_of(cells, len(right.place))
        spheres = spheres_of(space, left.clouds), spheres_of(space, right.clouds)
        found, count = with_grid(question, space, left, right, arrivals, cells, windows, spheres, tally)
    for begin in range(0, count, CHUNK):
        part = slice(begin, min(begin + CHUNK, count))
        yield writer.batch(found.left[part], found.right[part], found.confidence[part])


def _arrivals(left: Objects, right: Objects, within_itself: bool, batch: int) -> Arrivals:
    """All objects in the order of their places; with batches, so many of each stream come together."""
    counts = [len(left.place)] if within_itself else [len(left.place), len(right.place)]
    side = np.repeat(np.arange(len(counts)), counts)
    own = np.concatenate([np.arange(count) for count in counts])
    place = left.place if within_itself else np.concatenate([left.place, right.place])
    order = np.lexsort((own, side, place))
    side, own = side[order], own[order]
    number = np.arange(len(order)) // (batch * len(counts) if batch > 1 else 1)
    order = np.lexsort((own, side, number))
    return Arrivals(side[order], own[order], number[order])
