"""Queries that cannot be meant, each with the message that it gets: `malformed_*.txt` are the tables."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

from whenabouts.errors import BadQuery, WrongType
from whenabouts.query import parse_interval_query, parse_pattern
from whenabouts.query.conditions import conditions_of
from whenabouts.query.typing import check_types
from whenabouts.schema.kinds import kinds_of

SCHEMA = pa.schema(
    {
        "id": pa.int64(), "kind": pa.string(), "value": pa.float64(), "count": pa.int64(), "node": pa.string(),
        "at": pa.timestamp("us", "UTC"), "due": pa.timestamp("us"), "wait": pa.duration("us"), "ok": pa.bool_(),
        "tags": pa.list_(pa.string()),
    }
)  # fmt: skip


def table(name):
    text = (Path(__file__).parent / f"malformed_{name}.txt").read_text(encoding="utf-8")
    pairs = [entry.split("\n--------\n") for entry in text.removesuffix("\n========\n").split("\n========\n")]
    return [pytest.param(query, message, id=f"{place}") for place, (query, message) in enumerate(pairs)]


@pytest.mark.parametrize(("query", "message"), table("patterns"))
def test_a_malformed_pattern__gets_its_message(query, message):
    kinds = kinds_of(SCHEMA)
    with pytest.raises(BadQuery) as raised:
        conditions_of(check_types(parse_pattern(query), kinds, 1000), kinds)
    assert str(raised.value) == message


@pytest.mark.parametrize(("query", "message"), table("interval_queries"))
def test_a_malformed_interval_query__gets_its_message(query, message):
    with pytest.raises(BadQuery) as raised:
        parse_interval_query(query)
    assert str(raised.value) == message


def test_the_tables__hold_at_least_fifty_patterns():
    assert len(table("patterns")) >= 50


def test_a_bad_query__keeps_its_place_when_it_comes_back_from_a_worker():
    with pytest.raises(BadQuery) as raised:
        parse_pattern("PATTERN SEQ(A a)\nWERE a.x = 1")
    error = pickle.loads(pickle.dumps(raised.value))
    assert str(error) == str(raised.value)
    assert (error.line, error.column) == (2, 1)


@pytest.mark.parametrize(
    "condition",
    ["(" * 3000 + "a.count = 1" + ")" * 3000, "NOT " * 3000 + "a.ok", "a.count < " + " + ".join(["1"] * 3000)],
)
def test_a_condition_that_is_nested_too_deep__is_a_bad_query(condition):
    with pytest.raises(BadQuery, match="nested more than 120 deep"):
        parse_pattern(f"PATTERN SEQ(A a) WHERE {condition}")


def test_a_condition_that_is_nested_as_deep_as_may_be__is_read():
    kinds = kinds_of(SCHEMA)
    deep = "(" * 50 + "NOT " * 30 + "a.count < b.count + " + " + ".join(["1"] * 30) + ")" * 50
    pattern = check_types(parse_pattern(f"PATTERN SEQ(A a, A b) WHERE {deep}"), kinds, 1000)
    conditions_of(pattern, kinds)


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_with_very_many_digits__is_a_bad_query(digits):
    for text in ("WHERE a.count < ", "WITHIN "):
        with pytest.raises(BadQuery, match="must be finite"):
            parse_pattern(f"PATTERN SEQ(A a) {text}{'9' * digits}")


def test_a_query_that_is_no_text__is_a_wrong_type():
    with pytest.raises(WrongType, match="A query is a text, not int"):
        parse_pattern(5)
