"""The examples of paper 002, as queries; where it contradicts itself, its definition wins."""

import pyarrow as pa
import pytest

import whenabouts as wa

FIGURE_1 = pa.table(
    {
        "id": ["a1", "c2", "b3", "c4"],
        "kind": ["A", "C", "B", "C"],
        "lower": [1, 3, 3, 4],
        "upper": [5, 5, 5, 8],
    }
)
QUERY = "PATTERN SEQ(A a, B b, C c) WHERE skip_till_{}_match(a, b, c) WITHIN 4"
METHODS = ["auto", "point", "query_order", "any_state", "sorted", "selectivity"]


def answers(table, query, **options):
    events = wa.events(table, id="id", type="kind", time=wa.between("lower", "upper"))
    return {
        tuple(row["signature"]): (row["earliest"], row["latest"], row["confidence"])
        for row in wa.match(events, query, **options).to_pylist()
    }


@pytest.mark.parametrize("method", METHODS)
def test_figure_1__has_25_of_225_worlds_by_the_definition(method):
    found = answers(FIGURE_1, QUERY.format("any"), tick=1, method=method)
    assert found["a1", "b3", "c2"] == pytest.approx((1, 5, 25 / 225))
    assert found["a1", "b3", "c4"] == pytest.approx((1, 7, 27 / 225))
    assert len(found) == 2


@pytest.mark.parametrize("method", METHODS)
def test_figure_1__skips_till_the_next_match(method):
    found = answers(FIGURE_1, QUERY.format("next"), tick=1, method=method)
    assert found["a1", "b3", "c2"] == pytest.approx((1, 5, 24 / 225))
    assert found["a1", "b3", "c4"] == pytest.approx((1, 7, 25 / 225))


def test_figure_1__in_continuous_time():
    found = answers(FIGURE_1, QUERY.format("any"))
    assert found["a1", "b3", "c2"] == pytest.approx((1, 5, 1 / 3))
    assert found["a1", "b3", "c4"] == pytest.approx((1, 8, 5 / 12))


@pytest.mark.parametrize("method", METHODS)
def test_figure_2__events_after_the_next_events_latest_time_are_never_next(method):
    table = pa.table(
        {
            "id": ["a1", "b2", "b3", "b4", "b5", "b6"],
            "kind": ["A", "B", "B", "B", "B", "B"],
            "lower": [1, 2, 3, 5, 6, 8],
            "upper": [4, 4, 5, 9, 7, 10],
        }
    )
    query = "PATTERN SEQ(A a, B b) WHERE skip_till_{}_match(a, b) WITHIN 100"
    assert set(answers(table, query.format("next"), tick=1, method=method)) == {
        ("a1", "b2"), ("a1", "b3"), ("a1", "b4"), ("a1", "b5"),
    }  # fmt: skip
    assert ("a1", "b6") in answers(table, query.format("any"), tick=1, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_figure_3__the_window_prunes_what_it_cannot_hold(method):
    table = pa.table({"id": ["a1", "b5", "c6"], "kind": ["A", "B", "C"], "lower": [1, 1, 6], "upper": [5, 3, 7]})
    assert answers(table, QUERY.format("any"), tick=1, method=method) == {}
    assert len(answers(table, QUERY.format("any").replace("4", "5"), tick=1, method=method)) == 1


def test_the_range_is_tightened_from_below_by_the_window_too():
    table = pa.table({"id": ["a", "b"], "kind": ["A", "B"], "lower": [1, 10], "upper": [8, 11]})
    query = "PATTERN SEQ(A a, B b) WITHIN 4"
    assert answers(table, query, tick=1)["a", "b"][:2] == (7, 11)
    assert answers(table, query)["a", "b"][:2] == (6, 11)


def test_an_event_that_fits_several_components_stands_at_one_of_them():
    table = pa.table({"id": ["x", "y"], "kind": ["A", "A"], "lower": [0, 0], "upper": [1, 1]})
    found = answers(table, "PATTERN SEQ(A a, A b) WITHIN 5")
    assert found == {("x", "y"): pytest.approx((0, 1, 0.5)), ("y", "x"): pytest.approx((0, 1, 0.5))}


def test_point__needs_ticks_or_points():
    with pytest.raises(wa.errors.BadArgument, match="tick="):
        answers(FIGURE_1, QUERY.format("any"), method="point")
