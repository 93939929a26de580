"""The charts of matches draw each event where it may be, and its valid range inside."""

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts import chart
from whenabouts.errors import BadArgument, UnknownColumn

FIGURE_1 = pa.table(
    {"id": ["a1", "c2", "b3", "c4"], "kind": ["A", "C", "B", "C"], "lower": [1, 3, 3, 4], "upper": [5, 5, 5, 8]}
)
QUERY = "PATTERN SEQ(A a, B b, C c) WITHIN 4"


def events():
    return wa.events(FIGURE_1, id="id", type="kind", time=wa.between("lower", "upper"))


def rows_with(drawn, *columns):
    datasets = drawn.to_dict()["datasets"].values()
    return [row for rows in datasets for row in rows if all(column in row for column in columns)]


def test_match__draws_events_in_pattern_order_with_their_valid_ranges():
    found = wa.match(events(), QUERY, tick=1)
    row = [tuple(one) for one in found["signature"].to_pylist()].index(("a1", "b3", "c2"))
    drawn = chart.match(events(), QUERY, found, row=row, tick=1)
    bars = {row["label"]: (row["lo"], row["hi"]) for row in rows_with(drawn, "shade")}
    assert bars == {"a: a1": (0.5, 5.5), "b: b3": (2.5, 5.5), "c: c2": (2.5, 5.5)}
    ranges = {row["label"]: (row["lo"], row["hi"]) for row in rows_with(drawn, "lo", "hi") if "shade" not in row}
    assert ranges == {"a: a1": (0.5, 3.5), "b: b3": (2.5, 4.5), "c: c2": (3.5, 5.5)}
    assert "0.1111" in str(drawn.to_dict()["title"])


def test_matches__draws_the_stream_and_every_match_with_its_range():
    found = wa.match(events(), QUERY, tick=1)
    drawn = chart.matches(events(), QUERY, found, tick=1)
    spans = {row["label"]: (row["lo"], row["hi"], row["text"]) for row in rows_with(drawn, "confidence")}
    assert spans == {"a1, b3, c2": (1, 5, "0.1111"), "a1, b3, c4": (1, 7, "0.12")}


def test_match__of_timestamps_counts_from_the_first_event():
    stamps = pa.array([0, 1_000_000, 2_500_000], pa.timestamp("us", "UTC"))
    table = pa.table({"id": [1, 2, 3], "kind": ["A", "B", "C"], "t": stamps})
    timed = wa.events(table, id="id", type="kind", time=wa.around("t", "1s"))
    query = "PATTERN SEQ(A a, B b, C c) WITHIN 1 minute"
    drawn = chart.match(timed, query, wa.match(timed, query))
    assert {row["label"]: row["hi"] - row["lo"] for row in rows_with(drawn, "shade")} == pytest.approx(
        {"a: 1": 2.0, "b: 2": 2.0, "c: 3": 2.0}
    )
    assert "seconds after the first event" in str(drawn.to_dict())


def test_match__says_what_is_wrong():
    found = wa.match(events(), QUERY)
    with pytest.raises(BadArgument, match="no match 9"):
        chart.match(events(), QUERY, found, row=9)
    with pytest.raises(UnknownColumn, match="signature"):
        chart.match(events(), QUERY, pa.table({"x": [1]}))
