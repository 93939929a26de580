"""The similarity join at the paper's defaults: ours, the paper's grid and WoP, and cKDTree with NumPy.

All run on one core, from Arrow arrays to a table of pairs with exact confidences, on the same objects: every left and
right object is read, checked and arranged within the time. WoP, which computes every pair, and SciPy get fewer
objects, and so does ours in the comparison with them.
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

SIZES = {"full": (20_000, 5_000, 2_000), "small": (4_000, 1_500, 600)}
"""Objects a stream: for our rate, for the grid, and for WoP and SciPy."""
SCIPY = "cKDTree + NumPy"


def run(scale: Scale) -> list[Row]:
    """Rates and ratios on both kinds of data."""
    many, some, few = SIZES[scale]
    rows: list[Row] = []
    for kind in KINDS:
        tables = clouds(kind, many)
        eps = distance_for(kind)
        _warm(tables, eps)
        rows += _rates(kind, tables, many, eps)
        rows += _compared(kind, tables, some, eps, {"grid": partial(_ours, method="grid")}, "3 or more")
        rows += _compared(kind, tables, few, eps, {"wop": partial(_ours, method="wop"), SCIPY: _scipy}, "50 and 10")
    return rows


def _warm(tables: list[pa.Table], eps: float) -> None:
    for method in ("auto", "grid", "wop"):
        _ours(tables, 50, eps, method=method)


def _ours(tables: list[pa.Table], count: int, eps: float, method: str = "auto") -> pa.Table:
    return wa.similarity_join(
        *objects(tables, count), distance=eps, min_confidence=THRESHOLD, window=WINDOW, method=method, threads=1
    )


def _rates(kind: str, tables: list[pa.Table], count: int, eps: float) -> list[Row]:
    """How many objects of both streams together are joined a second, on one core."""
    stats = wa.Stats()
    wa.similarity_join(
        *objects(tables, count), distance=eps, min_confidence=THRESHOLD, window=WINDOW, threads=1, stats=stats
    )
    timing = interleaved({OURS: partial(_ours, tables, count, eps)}, repetitions=3)[OURS]
    return [
        row(
            "similarity", f"{kind}, {count:,} a stream", "objects/s", 2 * count / timing.best, "objects/s",
            better="higher", timing=timing, pairs=stats.emitted, distance=eps,
            selectivity=stats.emitted / stats.window_pairs, pruning=stats.pruning_power,
        )
    ]  # fmt: skip


def _compared(
    kind: str, tables: list[pa.Table], count: int, eps: float, others: dict[str, Callable[..., pa.Table]], wanted: str
) -> list[Row]:
    """How many times as long as ours the others take, having found the same pairs."""
    found: dict[str, np.ndarray] = {}

    def keep(name: str, answer: pa.Table) -> None:
        found[name] = np.sort(answer["left_id"].to_numpy() * count + answer["right_id"].to_numpy())

    contestants = {OURS: _ours, **others}
    runs = {name: partial(make, tables, count, eps) for name, make in contestants.items()}
    timings = interleaved(runs, repetitions=1 if "wop" in others else 3, inspect=keep)
    for name, pairs in found.items():
        if not np.array_equal(pairs, found[OURS]):
            raise Disagreement(f"{name} found {len(pairs):,} pairs, {OURS} {len(found[OURS]):,}")
    return [
        row(
            "similarity", f"{kind}, {count:,} a stream", name, timings[name].best / timings[OURS].best, "x ours",
            better="higher", timing=timings[name], pairs=len(found[OURS]), wanted=wanted,
        )
        for name in others
    ]  # fmt: skip


def _scipy(tables: list[pa.Table], count: int, eps: float) -> pa.Table:
    """What one would write: a tree on the centres, the radii to leave nothing out, and NumPy for every candidate."""
    from scipy.spatial import cKDTree

    sides = []
    for table in tables:
        samples = table.slice(0, count)["samples"].combine_chunks()
        points = samples.flatten().flatten().to_numpy().reshape(count, -1, 3)
        centres = points.mean(axis=1)
        radii = np.linalg.norm(points - centres[:, None, :], axis=2).max(axis=1)
        sides.append((points, centres, radii))
    (x, x_centres, x_radii), (y, y_centres, y_radii) = sides
    tree = cKDTree(y_centres)
    near = tree.query_ball_point(x_centres, eps + x_radii + y_radii.max())
    left, right, confidence = [], [], []
    for i, candidates in enumerate(near):
        for j in candidates:
            if abs(i - j) >= WINDOW:
                continue
            gaps = x[i][:, None, :] - y[j][None, :, :]
            p = np.count_nonzero(np.einsum("abk,abk->ab", gaps, gaps) <= eps * eps) / (len(x[i]) * len(y[j]))
            if p >= THRESHOLD:
                left.append(i)
                right.append(j)
                confidence.append(p)
    return pa.table({"left_id": left, "right_id": right, "confidence": confidence})
