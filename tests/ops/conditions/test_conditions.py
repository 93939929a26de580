import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive_conditions import value_of
from tests.query.typed import SCHEMA, conditions, row
from whenabouts.kernels.conditions.program import binding_holds, condition_holds, stack_for
from whenabouts.model.pattern import Component, Pattern
from whenabouts.ops.conditions.compile import compile_conditions
from whenabouts.ops.conditions.masks import Reader, component_masks
from whenabouts.query import parse_pattern
from whenabouts.query.conditions import conditions_of, normalised
from whenabouts.query.typing import check_types
from whenabouts.schema.kinds import kinds_of, tick_of

KINDS, TICK = kinds_of(SCHEMA), tick_of(SCHEMA)


def pattern_of(where, *variables):
    pattern = Pattern(tuple(Component(None, one) for one in variables), where)
    return check_types(pattern, KINDS, TICK)


@given(conditions(["a"]), st.lists(row(), min_size=1, max_size=5))
def test_masks__are_what_each_row_gives_by_itself(where, rows):
    pattern = pattern_of(where, "a")
    found = Reader(pa.Table.from_pylist(rows, SCHEMA), KINDS, TICK).evaluate(normalised(pattern.where, pattern))
    expected = [value_of(where, {"a": one}) for one in rows]
    assert np.broadcast_to(found.true, len(rows)).tolist() == [one is True for one in expected]
    unknown = np.zeros(len(rows), bool) if found.unknown is None else np.broadcast_to(found.unknown, len(rows))
    assert unknown.tolist() == [one is None for one in expected]


@given(conditions(["a", "b", "c"]), row(), row(), row())
def test_programs__are_what_the_events_give_by_the_book(where, one, other, third):
    pattern = pattern_of(where, "a", "b", "c")
    table = pa.Table.from_pylist([third, other, one], SCHEMA)
    code = compile_conditions([normalised(pattern.where, pattern)], pattern.variables, KINDS, TICK)
    program = code.over(table)
    expected = value_of(where, {"a": one, "b": other, "c": third})
    assert condition_holds(program, np.array([2, 1, 0]), 0, stack_for(program)) == (expected is True)


@given(conditions(["a", "b", "c"]), row(), row(), row())
def test_sorted_conditions__say_together_what_the_condition_says(where, one, other, third):
    """Masks, keys and the rest together are the condition; conditions are decided as soon as they can be."""
    pattern = pattern_of(where, "a", "b", "c")
    sorted_ = conditions_of(pattern, KINDS)
    table = pa.Table.from_pylist([one, other, third], SCHEMA)
    fits = component_masks(pattern, sorted_, table, KINDS, TICK, None)
    expected = value_of(where, {"a": one, "b": other, "c": third}) is True
    events = [one, other, third]
    keys = all(len({event[name] for event, name in zip(events, key, strict=True)} - {None}) == 1 and None not in
               [event[name] for event, name in zip(events, key, strict=True)] for key in sorted_.keys)  # fmt: skip
    for parts, given_keys in ((sorted_.joint, True), (sorted_.rest, keys)):
        program = compile_conditions(parts, pattern.variables, KINDS, TICK).over(table)
        stack, at = stack_for(program), np.array([0, 1, 2])
        for order in ([0, 1, 2], [2, 0, 1]):
            bound, holds = 0, True
            for fresh in order:
                bound |= 1 << fresh
                holds = holds and binding_holds(program, at, fresh, bound, stack)
            assert (fits[0, 0] and fits[1, 1] and fits[2, 2] and holds and given_keys) == expected


def test_overflow_and_division_by_zero__are_unknown_not_errors():
    table = pa.table({"i": [2**62, 0, -(2**62)], "x": [0.0, math.inf, 1.0]})
    kinds = kinds_of(table.schema)
    for text in (
        "a.i * 4 = 0 OR a.i * 4 != 0",
        "a.i % 0 IS NOT NULL",
        "a.x / 0 > 0",
        "a.i + a.i + a.i + a.i = a.i * 4",
    ):
        pattern = check_types(parse_pattern(f"PATTERN SEQ(ANY a) WHERE {text}"), kinds)
        found = Reader(table, kinds, 1000).evaluate(normalised(pattern.where, pattern)).true.tolist()
        assert found == ([False, True, False] if "* 4" in text else [False] * 3), text


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("a.yes OR b.yes", True),
        ("b.yes OR a.yes", True),
        ("NOT a.yes OR b.yes", False),
        ("(b.due - a.due) / 12 hours = 2", True),
        ("2 days / (b.due - a.due) = 2", True),
        ("a.due < b.due AND b.due + a.wait < TIMESTAMP '9999-12-31'", True),
        ("b.due + a.wait > TIMESTAMP '0001-01-01'", True),
    ],
)
def test_a_program_of_few_steps__is_what_it_says(where, holds):
    """Two truth values and OR are three steps, as a comparison of two columns is; the rest reads constants of time."""
    day = 86_400 * 10**9
    columns = {
        "yes": [True, False],
        "due": pa.array([0, day], pa.timestamp("ns")),
        "wait": pa.array([1, 1], pa.duration("ns")),
    }
    table = pa.table(columns)
    kinds, tick = kinds_of(table.schema), tick_of(table.schema)
    pattern = check_types(parse_pattern(f"PATTERN SEQ(ANY a, ANY b) WHERE {where}"), kinds, tick)
    program = compile_conditions([normalised(pattern.where, pattern)], pattern.variables, kinds, tick).over(table)
    assert condition_holds(program, np.array([0, 1]), 0, stack_for(program)) == holds
