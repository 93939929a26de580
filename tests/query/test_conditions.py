"""How a condition is taken apart: normal form, conjuncts by what they read, and keys."""

from __future__ import annotations

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.errors import BadQuery
from whenabouts.query import format_expression, parse_pattern
from whenabouts.query.conditions import conditions_of
from whenabouts.query.typing import check_types

KINDS = {"x": "integer", "y": "integer", "z": "integer", "r": "real", "s": "text", "ok": "boolean"}


def sorted_conditions(where, components="A a, B b, C c"):
    pattern = parse_pattern(f"PATTERN SEQ({components}) WHERE {where}")
    return conditions_of(check_types(pattern, KINDS), KINDS)


def texts(parts):
    return [format_expression(part) for part in parts]


def test_conditions__are_sorted_by_the_variables_that_they_read():
    found = sorted_conditions("a.x = 1 AND b.x + a.x > 2 AND 1 = 2 AND c.ok AND TRUE")
    assert texts(found.constant) == ["1 = 2"]
    assert [texts(parts) for parts in found.single] == [["a.x = 1"], [], ["c.ok"]]
    assert texts(found.joint) == ["b.x + a.x > 2"]


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("NOT (a.x = 1 OR a.y > 2)", ["a.x != 1", "a.y <= 2"]),
        ("NOT (a.x = 1 AND NOT a.ok)", ["a.x != 1 OR a.ok"]),
        ("NOT NOT a.ok AND NOT a.ok", ["a.ok", "NOT a.ok"]),
        ("a.x BETWEEN 1 AND 2", ["a.x >= 1", "a.x <= 2"]),
        ("a.x NOT BETWEEN 1 AND 2", ["a.x < 1 OR a.x > 2"]),
        ("a.x IN (1, 1)", ["a.x = 1"]),
        ("NOT a.x IN (1, 2)", ["a.x NOT IN (1, 2)"]),
        ("NOT a.x IS NULL", ["a.x IS NOT NULL"]),
        ("(a.x = 1 AND a.y = 2) OR (a.x = 1 AND a.y = 3)", ["a.x = 1", "a.y = 2 OR a.y = 3"]),
        ("(a.x = 1 AND a.y = 2) OR a.x = 1", ["a.x = 1"]),
        ("a.x = 1 AND (a.y = 2 AND a.x = 1)", ["a.x = 1", "a.y = 2"]),
        ("[x]", ["a.x IS NOT NULL"]),
    ],
)
def test_a_condition_on_one_event__has_a_normal_form(where, parts):
    assert texts(sorted_conditions(where, "A a").single[0]) == parts


@pytest.mark.parametrize(
    ("where", "keys", "rest"),
    [
        ("[x]", [("x", "x", "x")], []),
        ("a.x = b.y AND b.y = c.z", [("x", "y", "z")], []),
        ("a.x = b.x AND a.y = c.y", [], ["a.x = b.x", "a.y = c.y"]),
        ("[x] AND [s]", [("x", "x", "x"), ("s", "s", "s")], []),
        ("a.r = b.r AND a.r = c.r", [], ["a.r = b.r", "a.r = c.r"]),
        ("[x] AND a.y = b.x", [("x", "x", "x")], ["a.y = b.x"]),
        ("[x] OR a.y = 1", [], ["a.x = b.x AND a.x = c.x OR a.y = 1"]),
        ("a.x = b.x AND b.x = c.x AND a.y < c.y", [("x", "x", "x")], ["a.y < c.y"]),
    ],
)
def test_equalities__become_keys_where_they_cover_the_pattern(where, keys, rest):
    found = sorted_conditions(where)
    assert list(found.keys) == keys
    assert texts(found.rest) == rest


def test_keys__do_not_run_through_absent_events():
    """That absent events would be equal to both says nothing about the events that are present."""
    absent = "A a, !N n, B b"
    assert sorted_conditions("a.x = n.x AND n.x = b.x", absent).keys == ()
    assert sorted_conditions("a.x = b.x", absent).keys == ()
    assert sorted_conditions("a.x = b.x AND n.y = b.x", absent).keys == (("x", "y", "x"),)
    assert sorted_conditions("[x]", absent).keys == (("x", "x", "x"),)


def test_columns_that_are_stored_differently__are_compared_and_no_keys():
    table = pa.table(
        {
            "id": [1, 2],
            "t": [0, 1],
            "m": pa.array([5, 6], pa.timestamp("ms")),
            "u": pa.array([1, 5000], pa.timestamp("us")),
        }
    )
    events = wa.events(table, id="id", time=wa.at("t"))
    query = "PATTERN SEQ(ANY a, ANY b) WHERE a.m = b.u"
    assert wa.match(events, query)["signature"].to_pylist() == [[1, 2]]
    assert "partition key" not in str(wa.explain(wa.match, events, query))


def test_a_pattern__has_at_most_sixty_components():
    with pytest.raises(BadQuery, match="at most 60 components"):
        parse_pattern(f"PATTERN SEQ({', '.join(f'A v{n}' for n in range(61))})")
