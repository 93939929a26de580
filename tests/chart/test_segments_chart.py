"""The chart of two segmented intervals."""

import pyarrow as pa
import pytest

import whenabouts as wa

EVENTS = pa.table(
    {"key": ["A"] * 4 + ["B"] * 2 + ["C"], "seq": [1, 2, 3, 4, 1, 4, 2], "time": [0, 2, 4, 6, 1, 10, 5]}
)  # fmt: skip
SEGMENTS = wa.segments(EVENTS, key="key", seq="seq", time="time", bounds=(-5, 12))
QUERY = "AT LEAST 2 a INTERSECTS SOME b"


def drawn(chart):
    made = chart.to_dict()
    return {layer["mark"]["type"]: made["datasets"][layer["data"]["name"]] for layer in made["layer"]}


def test_segments_chart__says_how_surely_the_query_holds():
    chart = wa.chart.segments(SEGMENTS, SEGMENTS, "A", "B", QUERY).to_dict()
    assert chart["title"]["text"] == f"{QUERY}: 0.7037"
    assert "2 of 8 events were lost" in chart["title"]["subtitle"]


def test_segments_chart__draws_recorded_ends_as_marks_and_lost_ones_as_ranges():
    layers = drawn(wa.chart.segments(SEGMENTS, SEGMENTS, "A", "B", QUERY))
    assert len(layers["tick"]) == 6
    assert [(row["lo"], row["hi"]) for row in layers["rule"]] == [(1.0, 10.0)] * 2
    assert sum(row["sure"] == "surely in it" for row in layers["bar"]) == 2


def test_segments_chart__draws_bounds_of_lost_ends(tmp_path):
    chart = wa.chart.segments(SEGMENTS, SEGMENTS, "C", "B", "SOME a INTERSECTS SOME b")
    assert drawn(chart)["rule"][0]["lo"] == -5.0
    assert wa.chart.save(chart, tmp_path / "chart.png").stat().st_size > 1000


def test_segments_chart__draws_uncertain_recorded_ends_as_wide_as_they_are():
    table = pa.table({"key": ["M"] * 4, "seq": [1, 2, 3, 4], "lo": [0, 4, 8, 12], "hi": [2, 6, 8, 13]})
    unsure = wa.segments(table, key="key", seq="seq", time=wa.between("lo", "hi"))
    chart = wa.chart.segments(unsure, SEGMENTS, "M", "B", "SOME a INTERSECTS SOME b")
    made = chart.to_dict()
    assert "2 of 8 events were lost, and 3 have uncertain times" in made["title"]["subtitle"]
    bars = [made["datasets"][one["data"]["name"]] for one in made["layer"] if one["mark"]["type"] == "bar"]
    assert [(row["lo"], row["hi"]) for row in bars[1]] == [(0.0, 2.0), (4.0, 6.0), (12.0, 13.0)]
    sure = [(row["lo"], row["hi"]) for row in bars[0] if row["sure"] == "surely in it"]
    assert sure == [(2.0, 4.0), (8.0, 12.0)]


def test_segments_chart__tells_what_it_cannot_draw():
    with pytest.raises(wa.WhenaboutsError, match="no key 'Z'"):
        wa.chart.segments(SEGMENTS, SEGMENTS, "A", "Z", QUERY)
