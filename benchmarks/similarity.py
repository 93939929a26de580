"""The similarity join at the paper's defaults: ours, the paper's grid and WoP, and cKDTree with NumPy.

All run on one core, from Arrow arrays to a table of pairs with exact confidences: every object is read, checked and
arranged within the time. WoP, which computes every pair of the windows, gets a stream of several windows; and cKDTree
some left objects from the middle of it, whose windows are full. Both are held to the pairs that ours finds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.agreement import Disagreement
from benchmarks.data import Scale
from benchmarks.measure import OURS, Row, interleaved, row
from benchmarks.similarity_data import KINDS, THRESHOLD, WINDOW, clouds, distance_for, objects

SIZES = {"full": (20_000, 10_000, 6_000, 100), "small": (4_000, 4_000, 2_000, 20)}
"""Objects a stream: for our rate, for the grid and for WoP; and left objects for cKDTree."""
SCIPY = "cKDTree + NumPy"
WANTED = {"grid": "3 or more", "wop": "50 or more", SCIPY: "10 or more"}


def run(scale: Scale) -> list[Row]:
    """Rates and ratios on both kinds of data."""
    many, some, few, middle = SIZES[scale]
    rows: list[Row] = []
    for kind in KINDS:
        for method in ("auto", "grid", "wop"):
            _ours(clouds(kind, 50), 1.0, method=method)
        rows += _rates(kind, many)
        rows += _compared(kind, some, "grid", partial(_ours, method="grid"))
        rows += _compared(kind, few, "wop", partial(_ours, method="wop"))
        rows += _compared(kind, few, SCIPY, partial(_scipy, lefts=middle), lefts=middle)
    return rows


def _ours(tables: list[pa.Table], eps: float, method: str = "auto") -> pa.Table:
    return wa.similarity_join(
        *objects(tables), distance=eps, min_confidence=THRESHOLD, window=WINDOW, method=method, threads=1
    )


def _rates(kind: str, count: int) -> list[Row]:
    """How many objects of both streams together are joined a second, on one core."""
    tables, eps = clouds(kind, count), distance_for(kind, rows=count)
    stats = wa.Stats()
    wa.similarity_join(*objects(tables), distance=eps, min_confidence=THRESHOLD, window=WINDOW, threads=1, stats=stats)
    timing = interleaved({OURS: partial(_ours, tables, eps)}, repetitions=5)[OURS]
    selectivity = stats.emitted / stats.window_pairs
    return [
        row(
            "similarity", f"{kind}, {count:,} a stream, {100 * selectivity:.2f} % are answers", OURS,
            2 * count / timing.best, "objects/s", better="higher", timing=timing, pairs=stats.emitted, distance=eps,
            selectivity=selectivity, pruning=stats.pruning_power,
        )
    ]  # fmt: skip


def _compared(
    kind: str, count: int, name: str, other: Callable[..., pa.Table], *, lefts: int | None = None
) -> list[Row]:
    """How many times as long as ours another takes for an object, having found the same pairs."""
    tables, eps = clouds(kind, count), distance_for(kind, rows=count)
    found: dict[str, np.ndarray] = {}
    asked = _middle(count, lefts or count)

    def keep(name: str, answer: pa.Table) -> None:
        left, right = answer["left_id"].to_numpy(), answer["right_id"].to_numpy()
        found[name] = np.sort((left * count + right)[(left >= asked.start) & (left < asked.stop)])

    ours = interleaved({OURS: partial(_ours, tables, eps)}, repetitions=3, inspect=keep)[OURS]
    theirs = interleaved({name: partial(other, tables, eps)}, repetitions=1, inspect=keep)[name]
    if not np.array_equal(found[name], found[OURS]):
        raise Disagreement(f"{name} found {len(found[name]):,} pairs, {OURS} {len(found[OURS]):,}")
    ratio = (theirs.best / len(asked)) / (ours.best / count)
    return [
        row(
            "similarity", f"{kind}, {len(asked):,} of {count:,} a stream", name, ratio, "x ours", better="higher",
            timing=theirs, seconds_ours=ours.best, pairs=len(found[OURS]), wanted=WANTED[name],
        )
    ]  # fmt: skip


def _middle(count: int, lefts: int) -> range:
    """The left objects that are asked about, around the middle of the stream."""
    return range((count - lefts) // 2, (count + lefts) // 2)


def _scipy(tables: list[pa.Table], eps: float, *, lefts: int) -> pa.Table:
    """What one would write: a tree on the centres, the radii to leave nothing out, and NumPy for every candidate."""
    from scipy.spatial import cKDTree

    sides, count = [], len(tables[0])
    for table in tables:
        samples = table["samples"].combine_chunks()
        points = samples.flatten().flatten().to_numpy().reshape(count, -1, 3)
        centres = points.mean(axis=1)
        radii = np.linalg.norm(points - centres[:, None, :], axis=2).max(axis=1)
        sides.append((points, centres, radii))
    (x, x_centres, x_radii), (y, y_centres, y_radii) = sides
    tree = cKDTree(y_centres)
    left, right, confidence = [], [], []
    for i in _middle(count, lefts):
        for j in tree.query_ball_point(x_centres[i], eps + x_radii[i] + y_radii.max()):
            if abs(i - j) >= WINDOW:
                continue
            gaps = x[i][:, None, :] - y[j][None, :, :]
            p = np.count_nonzero(np.einsum("abk,abk->ab", gaps, gaps) <= eps * eps) / (len(x[i]) * len(y[j]))
            if p >= THRESHOLD:
                left.append(i)
                right.append(j)
                confidence.append(p)
    return pa.table({"left_id": left, "right_id": right, "confidence": confidence})
