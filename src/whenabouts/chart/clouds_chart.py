"""Uncertain objects as clouds: two of them with the distance and the confidence, or the pairs of a join on a map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import altair as alt
import numpy as np
import pyarrow as pa

from whenabouts.chart.theme import INK, LEFT, RIGHT, WIDTH, YES, themed, titled
from whenabouts.chart.words import say_confidence
from whenabouts.errors import BadArgument, unknown_column
from whenabouts.kernels.events import Floats
from whenabouts.kernels.similarity.clouds import cloud_at, clouds_of
from whenabouts.kernels.similarity.confidence import plain_confidence
from whenabouts.kernels.similarity.distance import METRICS, Space, limit_of
from whenabouts.ops.similarity.centres import centres_of

_HEIGHT = 420


class DrawnObjects(Protocol):
    """What a chart needs to know of objects: their table, and what its columns mean."""

    @property
    def table(self) -> pa.Table | None: ...

    @property
    def contract(self) -> Any: ...


def clouds(
    x: Sequence[Sequence[float]],
    y: Sequence[Sequence[float]],
    *,
    distance: float,
    metric: str = "euclidean",
    axes: tuple[int, int] = (0, 1),
    names: tuple[str, str] = ("x", "y"),
) -> alt.LayerChart:
    """Draw two clouds of equally likely samples: those that are close to some sample of the other stand out.

    Parameters
    ----------
    x, y : sequences of points
        The samples; of more than two dimensions, two `axes` are drawn.
    distance : float
        eps; a ruler of that length is drawn from one centre towards the other.
    metric : {"euclidean", "manhattan", "chebyshev"}
        The distance between samples.
    axes : (int, int)
        Which coordinates are drawn.
    names : (str, str)
        What to call the two objects.
    """
    one, other = _points(x), _points(y)
    if metric not in METRICS:
        raise BadArgument(f"metric={metric!r} is not one of {', '.join(METRICS)}.")
    if one.shape[1] != other.shape[1]:
        raise BadArgument(f"The clouds have {one.shape[1]} and {other.shape[1]} dimensions; give both the same.")
    across, up = axes if one.shape[1] > 1 else (0, 0)
    close = _close(one, other, distance, metric)
    confidence = _confidence(one, other, distance, metric)
    rows = []
    for name, points, near in ((names[0], one, close.any(axis=1)), (names[1], other, close.any(axis=0))):
        for point, is_near in zip(points, near, strict=True):
            height = float(point[up]) if points.shape[1] > 1 else 0.0
            rows.append({"object": name, "a": float(point[across]), "b": height, "near": bool(is_near)})
    colour = alt.Color("object:N", scale=alt.Scale(domain=list(names), range=[LEFT, RIGHT]))
    samples = (
        alt.Chart(alt.Data(values=rows))
        .mark_circle(size=52)
        .encode(
            x=alt.X("a:Q", title=f"coordinate {across}", scale=alt.Scale(zero=False)),
            y=alt.Y("b:Q", title=f"coordinate {up}" if one.shape[1] > 1 else None, scale=alt.Scale(zero=False)),
            color=colour,
            opacity=alt.condition("datum.near", alt.value(0.85), alt.value(0.22)),
        )
    )
    title = titled(
        f"P(distance <= {distance:g}) = {say_confidence(confidence)}",
        f"{len(one)} x {len(other)} samples; faint ones are close to none of the other. The line is {distance:g} long.",
    )
    layers = alt.layer(_ruler(one, other, distance, across, up), samples).properties(
        width=WIDTH, height=_HEIGHT, title=title
    )
    return themed(layers)


def near(
    result: Any, left: DrawnObjects, right: DrawnObjects | None = None, *, axes: tuple[int, int] = (0, 1),
    names: tuple[str, str] = ("left", "right"),
) -> alt.LayerChart:  # fmt: skip
    """Draw the pairs of a similarity join like on a map: centres of all objects, and a line for each pair.

    Parameters
    ----------
    result : frame
        left_id, right_id and confidence; surer pairs have stronger lines.
    left, right : Objects
        What was joined, in this process; one alone for a self-join.
    axes : (int, int)
        Which coordinates are drawn.
    names : (str, str)
        What to call the two streams.
    """
    table = result if isinstance(result, pa.Table) else pa.table(result)
    for column in ("left_id", "right_id"):
        if column not in table.column_names:
            raise unknown_column(column, table.column_names, "the result")
    sides = [left, left if right is None else right]
    placed = [_centres(side) for side in sides]
    dots = [
        {"stream": name, "id": str(key), "a": at[axes[0]], "b": at[axes[-1]] if len(at) > 1 else 0.0}
        for name, centres in list(zip(names, placed, strict=True))[: 1 if right is None else 2]
        for key, at in centres.items()
    ]
    lines = []
    for row in table.to_pylist():
        ends = [placed[0][row["left_id"]], placed[1][row["right_id"]]]
        flat = [(end[axes[0]], end[axes[-1]] if len(end) > 1 else 0.0) for end in ends]
        lines.append(
            {
                "a": flat[0][0], "b": flat[0][1], "a2": flat[1][0], "b2": flat[1][1],
                "pair": f"{row['left_id']} · {row['right_id']}", "confidence": row.get("confidence", 1.0),
            }
        )  # fmt: skip
    scale = alt.Scale(zero=False)
    colour = alt.Color("stream:N", scale=alt.Scale(domain=list(names), range=[LEFT, RIGHT]))
    points = (
        alt.Chart(alt.Data(values=dots))
        .mark_circle(size=22, opacity=0.55)
        .encode(
            x=alt.X("a:Q", title=f"coordinate {axes[0]}", scale=scale),
            y=alt.Y("b:Q", title=f"coordinate {axes[1]}", scale=scale),
            color=colour,
            tooltip=["stream:N", "id:N"],
        )
    )
    rules = (
        alt.Chart(alt.Data(values=lines))
        .mark_rule(color=YES, strokeWidth=2)
        .encode(
            x="a:Q", y="b:Q", x2="a2:Q", y2="b2:Q", tooltip=["pair:N", "confidence:Q"],
            opacity=alt.Opacity("confidence:Q", scale=alt.Scale(domain=[0, 1], range=[0.15, 0.95]), legend=None),
        )
    )  # fmt: skip
    title = titled(
        f"{len(lines):,} pairs that are near",
        f"{len(dots):,} objects at their centres; a line is a pair, the stronger the surer",
    )
    return themed(alt.layer(rules, points).properties(width=WIDTH, height=_HEIGHT, title=title))


def _points(samples: Any) -> Floats:
    points = np.asarray(samples, dtype=np.float64)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or not len(points) or not np.isfinite(points).all():
        raise BadArgument("A cloud is a list of points with equally many finite coordinates, at least one.")
    return points


def _close(one: Floats, other: Floats, distance: float, metric: str) -> Any:
    gaps = np.abs(one[:, None, :] - other[None, :, :])
    order = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}[metric]
    return np.linalg.norm(gaps, ord=order, axis=2) <= distance * (1.0 + 1e-12)


def _confidence(one: Floats, other: Floats, distance: float, metric: str) -> float:
    """The probability as the join computes it."""
    space = Space(one.shape[1], METRICS[metric], weighted=False)
    start = np.array([0, len(one), len(one) + len(other)], dtype=np.int64)
    both = clouds_of(space, distance, start, np.concatenate([one, other]), None)
    return float(
        plain_confidence(space, cloud_at(both.points, 0), cloud_at(both.points, 1), limit_of(METRICS[metric], distance))
    )


def _ruler(one: Floats, other: Floats, distance: float, across: int, up: int) -> Any:
    """A line of the length of eps from the centre of one cloud towards the other."""
    start, end = one.mean(axis=0), other.mean(axis=0)
    flat = np.array([end[across] - start[across], end[up] - start[up] if one.shape[1] > 1 else 0.0])
    length = float(np.hypot(*flat))
    step = flat / length * distance if length > 0 else np.array([distance, 0.0])
    origin = start[across], start[up] if one.shape[1] > 1 else 0.0
    values = [{"a": origin[0], "b": origin[1], "a2": origin[0] + step[0], "b2": origin[1] + step[1]}]
    line = alt.Chart(alt.Data(values=values)).mark_rule(color=INK, strokeWidth=2)
    return line.encode(x="a:Q", y="b:Q", x2="a2:Q", y2="b2:Q")


def _centres(side: DrawnObjects) -> dict[Any, list[float]]:
    if side.table is None:
        raise BadArgument("Charts are drawn in this process: collect the objects first, with toArrow().")
    ids, centres = centres_of(side.table, side.contract)
    return dict(zip(ids.to_pylist(), centres.tolist(), strict=True))
