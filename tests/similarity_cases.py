"""Clouds for Hypothesis, as rows for whenabouts and as objects for the oracle; full of ties and equal samples."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pyarrow as pa
from hypothesis import strategies as st

from tests import naive, naive_similarity
from tests.agreement import EXACT

METRICS = ["euclidean", "manhattan", "chebyshev"]

_WHOLE = st.integers(-4, 4).map(float)
_FRACTION = st.sampled_from([0.1, 0.3, 1.0 / 3.0, -0.7, 2.5, 1e-3])
_FAR = st.sampled_from([1e6, -1e6, 1e6 + 0.25])
COORDINATE = st.one_of(_WHOLE, _WHOLE, _FRACTION, _FAR)
THRESHOLD = st.sampled_from([0.05, 0.25, 1.0 / 3.0, 0.5, 0.75, 0.9, 1.0])
REACH = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 1e6])


@dataclass(frozen=True)
class Row:
    """One object as it stands in a table."""

    id: int
    place: int
    samples: tuple
    weights: tuple
    key: int
    lo: int
    hi: int

    def exact(self, weighted: bool = True) -> naive_similarity.Object:
        cloud = naive_similarity.cloud(self.samples, self.weights if weighted else None)
        time = naive.interval(self.lo, self.hi) if self.hi > self.lo else naive.point(self.lo)
        return naive_similarity.Object(self.id, self.place, cloud, self.key, tuple(time))


@st.composite
def rows(draw, dimension: int, most: int = 5, samples: int = 4, keys: int = 1) -> list[Row]:
    """A stream: places with gaps and ties, clouds of several sizes."""
    point = st.tuples(*[COORDINATE] * dimension)
    place, result = 0, []
    for number in range(draw(st.integers(0, most))):
        place += draw(st.integers(0, 3))
        cloud = tuple(draw(st.lists(point, min_size=1, max_size=samples)))
        if draw(st.booleans()):
            cloud = (cloud[0],) * len(cloud)
        parts = draw(st.lists(st.integers(0, 4), min_size=len(cloud), max_size=len(cloud)))
        parts = parts if sum(parts) else [1] * len(cloud)
        lo = draw(st.integers(0, 9))
        result.append(
            Row(
                number, place, cloud, tuple(part / sum(parts) for part in parts), draw(st.integers(1, keys)),
                lo, lo + draw(st.integers(0, 5)),
            )
        )  # fmt: skip
    return result


def table_of(stream: list[Row]) -> pa.Table:
    nested = pa.list_(pa.list_(pa.float64()))
    return pa.table(
        {
            "id": pa.array([row.id for row in stream], pa.int64()),
            "n": pa.array([row.place for row in stream], pa.int64()),
            "points": pa.array([list(map(list, row.samples)) for row in stream], nested),
            "p": pa.array([list(row.weights) for row in stream], pa.list_(pa.float64())),
            "key": pa.array([row.key for row in stream], pa.int64()),
            "lo": pa.array([row.lo for row in stream], pa.int64()),
            "hi": pa.array([row.hi for row in stream], pa.int64()),
        }
    )


def laid_out(table: pa.Table, layout: str, column: str = "points") -> pa.Table:
    """The table with the clouds of a column in another layout."""
    clouds = table.column(column).to_pylist()
    flat = [None if cloud is None else [x for point in cloud for x in point] for cloud in clouds]
    if layout == "nested":
        return table
    packed = [None if numbers is None else struct.pack(f"<{len(numbers)}d", *numbers) for numbers in flat]
    made = pa.array(packed, pa.binary()) if layout == "packed" else pa.array(flat, pa.list_(pa.float64()))
    return table.set_column(table.column_names.index(column), column, made)


def answers(table: pa.Table) -> dict[tuple, tuple]:
    """A result as the oracle writes it; a pair must not come twice."""
    found = {}
    for row in table.to_pylist():
        key = (row.get("left_stream", 0), row["left_id"], row.get("right_stream", 1), row["right_id"])
        assert key not in found, f"{key} came out twice"
        found[key] = (row.get("confidence"), row["enters"], row["expires"])
    return found


def assert_agrees(got: dict[tuple, tuple], exact: dict[tuple, tuple], itself: bool = False) -> None:
    """The same pairs with the same lives, and confidences as near as can be."""
    wanted = {(s, a, t if not itself else 1, b): value for (s, a, t, b), value in exact.items()}
    assert set(got) == set(wanted)
    for key, (p, enters, expires) in wanted.items():
        confidence, entered, expired = got[key]
        assert (entered, expired) == (enters, expires), key
        if confidence is not None:
            assert abs(confidence - p) <= EXACT, key
