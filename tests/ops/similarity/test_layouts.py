"""However samples are laid out in their rows, they are the same clouds."""

import struct

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests.similarity_cases import REACH, THRESHOLD, answers, laid_out, rows, table_of
from whenabouts.errors import BadArgument, BadRows, WrongType

LAYOUTS = ["flat", "packed"]
NAN = float("nan")


def packed(*numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


def objects(table, dimensions=2, **options):
    return wa.objects(table, id="id", seq="n", samples="points", dimensions=dimensions, **options)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(
    streams=st.tuples(rows(2), rows(2)), eps=REACH, alpha=THRESHOLD, window=st.sampled_from([1, 2, 5, None]),
    weights=st.sampled_from([None, "p"]), large=st.booleans(), part=st.integers(0, 2),
)  # fmt: skip
def test_layouts__give_equal_results(layout, streams, eps, alpha, window, weights, large, part):
    question = {"distance": eps, "min_confidence": alpha, "window": window}
    nested = [table_of(stream).slice(part) for stream in streams]
    expected = wa.similarity_join(*(objects(table, weights=weights) for table in nested), **question)
    other = [laid_out(table_of(stream), layout).slice(part) for stream in streams]
    if large:
        kind = pa.large_list(pa.float64()) if layout == "flat" else pa.large_binary()
        other = [table.set_column(2, "points", table["points"].cast(kind)) for table in other]
    for sides in (other, [nested[0], other[1]]):
        got = wa.similarity_join(*(objects(table, weights=weights) for table in sides), **question)
        assert answers(got) == answers(expected)


CLOUDS = [[0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 2.0], [1.0, 0.0, 9.0, 9.0]]
COLUMNS = {
    "integers": pa.array([[0, 0, 1, 1], [1, 1, 2, 2]], pa.list_(pa.int32())),
    "single precision": pa.array(CLOUDS, pa.list_(pa.float32())),
    "fixed size": pa.array(CLOUDS, pa.list_(pa.float64(), 4)),
    "packed": pa.array([packed(*cloud) for cloud in CLOUDS]),
    "packed, fixed size": pa.array([packed(*cloud) for cloud in CLOUDS], pa.binary(32)),
    "pandas, flat": pd.Series([np.array(cloud) for cloud in CLOUDS]),
    "pandas, packed": pd.Series([np.array(cloud).tobytes() for cloud in CLOUDS]),
    "polars, flat": pl.Series(CLOUDS, dtype=pl.Array(pl.Float64, 4)),
    "polars, packed": pl.Series([packed(*cloud) for cloud in CLOUDS]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_columns__of_every_kind_are_read(column):
    frame = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)
    count = len(column)
    flat = frame({"id": range(count), "n": range(count), "points": column})
    points = [np.asarray(cloud, dtype=float).reshape(2, 2).tolist() for cloud in
              (column.to_pylist() if column is COLUMNS["integers"] else CLOUDS)]  # fmt: skip
    nested = pa.table({"id": range(count), "n": range(count), "points": points})
    question = {"distance": 1.5, "min_confidence": 0.2, "window": None}
    got = wa.similarity_join(objects(flat), **question)
    assert type(got) is type(flat)
    assert answers(pa.table(got)) == answers(wa.similarity_join(objects(nested), **question)) != {}


def test_numbers__that_begin_between_two_others_in_memory_are_read():
    table = pa.table({"id": [0, 1, 2], "n": [0, 1, 2], "points": [b"abc", packed(0, 0), packed(0, 1)]})
    side = objects(table.slice(1))
    assert len(wa.similarity_join(side, distance=1, min_confidence=1, window=None)) == 1


def test_points_on_a_line__are_plain_numbers_with_and_without_their_dimension():
    table = pa.table({"id": [0, 1], "n": [0, 1], "points": [[0.0, 1.0, 2.0], [1.0, 5.0, 9.0]]})
    for dimensions in (None, 1):
        side = objects(table, dimensions)
        found = wa.similarity_join(side, distance=1, min_confidence=0.1, window=None)
        assert found["confidence"].to_pylist() == [3 / 9]


BAD = [
    (None, None, "'points' is null"),
    ([], b"", "'points' is empty"),
    ([0.0, 0.0, 1.0], packed(0.0, 0.0, 1.0), "'points' does not hold whole points of 2 coordinates"),
    ([0.0, None], None, "'points' holds a null"),
    (None, packed(0.0, 0.0) + b"?", "'points' does not hold whole numbers of 8 bytes"),
    ([0.0, NAN], packed(0.0, NAN), "'points' holds NaN or infinity"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bad_clouds__are_set_aside_each_with_its_reason(layout):
    bad = [
        (cloud, reason) for *clouds, reason in BAD if (cloud := clouds[LAYOUTS.index(layout)]) or "is" in reason.split()
    ]  # fmt: skip
    good = packed(0.0, 0.0, 1.0, 1.0) if layout == "packed" else [0.0, 0.0, 1.0, 1.0]
    clouds = [good, *(cloud for cloud, _ in bad), good]
    table = pa.table(
        {"id": range(len(clouds)), "n": range(len(clouds)), "points": clouds, "p": [[0.5, 0.5]] * len(clouds)}
    )
    side = objects(table, weights="p", bad_rows="quarantine")
    assert side.rejected["reason"].to_pylist() == [reason for _, reason in bad]
    found = wa.similarity_join(side, distance=2, min_confidence=1, window=None)
    assert found.select(["left_id", "right_id"]).to_pylist() == [{"left_id": 0, "right_id": len(clouds) - 1}]
    with pytest.raises(BadRows, match="point after point: say with dimensions="):
        wa.similarity_join(objects(table), distance=2, min_confidence=1, window=None)


def test_weights__may_be_packed_too():
    table = pa.table(
        {"id": [0, 1], "n": [0, 1], "points": [packed(0, 0, 3, 3), packed(0, 0)], "p": [packed(0.25, 0.75), packed(1)]}
    )
    found = wa.similarity_join(objects(table, weights="p"), distance=1, min_confidence=0.2, window=None)
    assert found["confidence"].to_pylist() == [0.25]


def test_bytes__need_dimensions():
    table = pa.table({"id": [0], "n": [0], "points": [packed(0, 0)], "text": ["a"]})
    with pytest.raises(BadArgument, match=r"'points' holds bytes.*such as dimensions=2.*tobytes"):
        objects(table, None)
    with pytest.raises(WrongType, match="array of points a row, not string"):
        wa.objects(table, id="id", seq="n", samples="text", dimensions=2)
