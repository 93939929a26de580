"""Segments out of measures and positions, on every engine."""

import datetime as dt

import pyarrow as pa
import pytest

import whenabouts as wa


def frame(engine, table):
    return table if engine.name == "process" else engine.session.createDataFrame(table)


def rows(engine, made, *columns):
    table = engine.collect(made.data).select(list(columns))
    return sorted(tuple(row.values()) for row in table.to_pylist())


SPEEDS = pa.table(
    {
        "sector": ["A"] * 7 + ["B"] * 3 + ["C"] * 2,
        "t": [0, 10, 20, 30, 40, 50, 60, 0, 10, 20, 0, 10],
        "speed": [30.0, 12.0, 14.0, 25.0, None, 10.0, 9.0, 50.0, 60.0, 70.0, 80.0, 5.0],
    }
)


def test_congestions__are_the_stretches_below_the_threshold(engine):
    made = wa.congestions(frame(engine, SPEEDS), key="sector", time="t", value="speed", below=20)
    assert rows(engine, made, "sector", "seq", "t", "role") == [
        ("A", 1, 10, "start"),
        ("A", 2, 30, "suspend"),
        ("A", 3, 50, "resume"),
        ("A", 4, 60, "end"),
    ]


def test_congestions__compare_the_mean_of_windows(engine):
    noon = dt.datetime(2024, 5, 1, 12)
    minutes = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]
    data = pa.table(
        {
            "sector": [7] * 6,
            "t": pa.array([noon + dt.timedelta(minutes=m) for m in minutes], pa.timestamp("us", "UTC")),
            "speed": [10, 20, 18, 26, 30, 5],
        }
    )
    made = wa.congestions(frame(engine, data), key="sector", time="t", value="speed", below=20, every="1m")
    found = [(seq, time.minute) for seq, time in rows(engine, made, "seq", "t")]
    assert found == [(1, 0), (2, 1), (3, 3), (4, 4)]


def test_congestions__go_straight_into_a_query():
    made = wa.congestions(SPEEDS, key="sector", time="t", value="speed", below=20)
    above = wa.congestions(SPEEDS, key="sector", time="t", value="speed", above=20)
    found = wa.interval_query(made, above, "SOME a INTERSECTS SOME b").to_pylist()
    assert {row["right_key"] for row in found} == {"A", "B", "C"}


def test_congestions__of_nothing_are_none():
    made = wa.congestions(SPEEDS, key="sector", time="t", value="speed", below=1)
    assert len(made.data) == 0
    assert len(wa.interval_query(made, made, "SOME a MEETS SOME b")) == 0


def test_congestions__leave_out_measurements_that_are_not_a_number():
    data = pa.table({"k": [1] * 4, "t": [0, 1, 2, 3], "v": [5.0, float("nan"), 5.0, 30.0]})
    made = wa.congestions(data, key="k", time="t", value="v", below=20)
    assert made.data.column("t").to_pylist() == [0, 3]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Say one of below"),
        ({"below": 1, "above": 2}, "Say one of below"),
        ({"below": 1, "value": "sector"}, "must hold numbers"),
        ({"below": 1, "every": 0}, "every must be positive"),
        ({"below": 1, "every": 1.5}, "between the ticks"),
    ],
)
def test_congestions__tell_bad_arguments(options, words):
    with pytest.raises(wa.WhenaboutsError, match=words):
        wa.congestions(SPEEDS, **{"key": "sector", "time": "t", "value": "speed", **options})


STOPS = ["a", "b", "c", "d", "e"]
POSITIONS = pa.table(
    {
        "bus": [1, 1, 1, 1, 1, 1, 2, 2, 2],
        "t": [0, 20, 40, 60, 80, 100, 10, 50, 90],
        "near": ["a", "a", "b", "e", "x", "e", "a", "b", "c"],
    }
)


def test_journeys__put_every_stop_in_the_window_between_its_neighbours(engine):
    made = wa.journeys(frame(engine, POSITIONS), journey="bus", time="t", stop="near", stops=STOPS)
    assert rows(engine, made, "visit", "seq", "opens", "closes", "ahead", "behind")[::2] == [
        ("1 at b", 1, 20, 60, 0, 4),
        ("1 at c", 1, 40, 60, 0, 2),
        ("1 at d", 1, 40, 60, 2, 0),
        ("2 at b", 1, 10, 90, 0, 0),
    ]


def test_journeys__leave_out_rows_that_go_back():
    data = pa.table({"bus": [1] * 5, "t": [0, 10, 20, 30, 40], "near": ["a", "e", "b", "c", "d"]})
    made = wa.journeys(data, journey="bus", time="t", stop="near", stops=STOPS).data
    assert made.column("visit").to_pylist() == ["1 at b", "1 at b", "1 at c", "1 at c"]
    assert made.column("opens").to_pylist()[::2] == [0, 20]


def test_journeys__have_routes():
    data = pa.table(
        {"bus": [1, 1, 2, 2], "t": [0, 9, 0, 9], "near": ["a", "c", "c", "a"], "line": ["x", "x", "y", "y"]}
    )
    stops = {"x": ["a", "b", "c"], "y": ["c", "q", "a"]}
    made = wa.journeys(data, journey="bus", time="t", stop="near", stops=stops, route="line").data
    assert made.column("visit").to_pylist()[::2] == ["1 at b", "2 at q"]
    with pytest.raises(wa.WhenaboutsError, match="mapping of routes"):
        wa.journeys(data, journey="bus", time="t", stop="near", stops=stops)
    with pytest.raises(wa.WhenaboutsError, match="name one twice"):
        wa.journeys(data, journey="bus", time="t", stop="near", stops=["a", "a"])
    for odd in ({1: ["a"]}, {"x": [1, 2]}, {"x": ["a", None]}):
        with pytest.raises(wa.WhenaboutsError, match="must be values of"):
            wa.journeys(data, journey="bus", time="t", stop="near", stops=odd, route="line")


def test_visits__in_a_shared_window_are_order_statistics():
    """One bus is alone at its stop in (0, 1); the other has a stop before it: four moments in order, the last two."""
    one = pa.table({"bus": [1, 1], "t": [0.0, 1.0], "near": ["a", "c"]})
    two = pa.table({"bus": [2, 2], "t": [0.0, 1.0], "near": ["z", "c"]})
    left = wa.journeys(one, journey="bus", time="t", stop="near", stops=["a", "b", "c"])
    right = wa.journeys(two, journey="bus", time="t", stop="near", stops=["z", "y", "b", "c"])
    pairs = pa.table({"left_key": ["1 at b"], "right_key": ["2 at b"]})
    found = wa.interval_query(left, right, "SOME a PRECEDES SOME b", pairs=pairs).column("confidence").to_pylist()
    assert found == [pytest.approx(6 / 15)]
    tree = wa.interval_query(left, right, "SOME a PRECEDES SOME b", pairs=pairs, method="simpmatch")
    assert tree.column("confidence").to_pylist() == [pytest.approx(6 / 15)]
