"""Random expressions and patterns, for tests of the language."""

import datetime as dt
from fractions import Fraction

from hypothesis import strategies as st

from whenabouts.model.duration import Duration
from whenabouts.model.expression import (
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    IsBetween,
    IsIn,
    IsNull,
    Negative,
    Not,
    Or,
    Same,
)
from whenabouts.model.pattern import Component, Pattern, Returned

NAMES = st.sampled_from(["a", "value", "Task", "in", "any", "WITHIN", "with space", "x1", "_x", "é", "timestamp", "9"])
DURATIONS = st.builds(lambda n: Duration(Fraction(n), plain=False), st.integers(1, 10**18))
CONSTANTS = st.builds(
    Constant,
    st.one_of(
        st.booleans(),
        st.integers(0, 2**63 - 1),
        st.floats(0, allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        st.datetimes(timezones=st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=2))])),
        DURATIONS,
    ),
)


def expressions(variables):
    """Expressions of any shape, well typed or not."""
    leaves = st.one_of(CONSTANTS, st.builds(Attribute, st.sampled_from(variables), NAMES), st.builds(Same, NAMES))

    def grow(parts):
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Arithmetic, st.sampled_from("+-*/%"), parts, parts),
            st.builds(Negative, parts),
            st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), parts, parts),
            st.builds(IsIn, parts, st.lists(parts, min_size=1, max_size=3).map(tuple), st.booleans()),
            st.builds(IsBetween, parts, parts, parts, st.booleans()),
            st.builds(IsNull, parts, st.booleans()),
            st.builds(Not, parts),
            st.builds(And, several),
            st.builds(Or, several),
        )

    return st.recursive(leaves, grow, max_leaves=12)


@st.composite
def patterns(draw):
    variables = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    components = [
        Component(draw(st.none() | NAMES), name, 0 < place < len(variables) - 1 and draw(st.booleans()))
        for place, name in enumerate(variables)
    ]
    present = [one.variable for one in components if not one.negated]
    returns = draw(st.lists(st.builds(Returned, st.sampled_from(present)), max_size=2, unique=True))
    if draw(st.booleans()):
        returns.append(Returned(present[0], draw(NAMES), "named"))
    return Pattern(
        tuple(components),
        draw(st.none() | expressions(variables)),
        draw(st.sampled_from(["skip_till_any_match", "skip_till_next_match"])),
        draw(st.none() | DURATIONS | st.integers(1, 1000).map(lambda n: Duration(Fraction(n, 8), plain=True))),
        tuple(returns),
    )
