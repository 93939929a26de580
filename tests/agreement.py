"""How results are held against the oracle: which pairs must be there, which must not, and how near is equal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Events, Shapes

EXACT = 1e-9
"""How near a confidence must be to the oracle's."""

Pair = tuple[object, object]


def pairs_of(table: pa.Table) -> dict[Pair, float | None]:
    """The rows of a result as a mapping of (left_id, right_id) to confidence; a pair must not come twice."""
    ids = list(zip(table["left_id"].to_pylist(), table["right_id"].to_pylist(), strict=True))
    measured = table["confidence"].to_pylist() if "confidence" in table.column_names else [None] * len(ids)
    result = dict(zip(ids, measured, strict=True))
    assert len(result) == len(ids), "a pair came out twice"
    return result


def assert_agrees(got: dict[Pair, float | None], exact: dict[Pair, Fraction], threshold: float) -> None:
    """Hold a result against the exact probabilities of all pairs that may meet.

    A pair that reaches the threshold, or equals it but for the rounding of the threshold itself, must be there; one
    that is more than 1e-11 below must not.
    """
    assert set(got) <= set(exact), f"pairs that may not meet: {set(got) - set(exact)}"
    wanted = Fraction(threshold)
    for pair, p in exact.items():
        if pair in got:
            assert p >= wanted - Fraction(1, 10**11), f"{pair} came out, but has {float(p)!r} < {threshold!r}"
            if got[pair] is not None:
                assert abs(got[pair] - p) <= EXACT, f"{pair} has {float(p)!r}, not {got[pair]!r}"
        else:
            assert p < wanted - Fraction(1, 10**15), f"{pair} is missing: it has {float(p)!r} >= {threshold!r}"


def shapes_of(times) -> Shapes:
    """Exact times as the kernels' shapes, relative to zero."""
    start = np.cumsum([0, *map(len, times)]).astype(np.int64)
    pieces = np.array([[float(value) for value in piece] for time in times for piece in time]).reshape(-1, 3)
    return Shapes(start, *(np.ascontiguousarray(column) for column in pieces.T))


def events_of(times, anchors=None) -> Events:
    """Exact times, each moved by its anchor, as the kernels' events; every event has its own shape."""
    anchors = np.zeros(len(times)) if anchors is None else np.asarray(anchors, dtype=np.float64)
    shapes = shapes_of(times)
    first, last = shapes.lo[shapes.start[:-1]], shapes.hi[shapes.start[1:] - 1]
    return Events(anchors + first, anchors + last, anchors, np.arange(len(times)), shapes)
