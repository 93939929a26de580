"""Random conditions that are well typed over fixed columns, and random rows for them."""

import datetime as dt
from fractions import Fraction

import pyarrow as pa
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

SCHEMA = pa.schema(
    {
        "i": pa.int64(), "j": pa.int32(), "x": pa.float64(), "y": pa.float64(), "s": pa.string(), "t": pa.string(),
        "p": pa.bool_(), "q": pa.bool_(), "m": pa.timestamp("us", "UTC"), "n": pa.timestamp("us", "UTC"),
    }
)  # fmt: skip
COLUMNS = {"integer": "ij", "real": "xy", "text": "st", "boolean": "pq", "instant": "mn"}
WHOLE = st.one_of(st.integers(-3, 3), st.sampled_from([2**62, -(2**62), 2**63 - 1, 10**9]))
REALS = st.sampled_from([0.0, -0.0, 1.0, -1.5, 2.0, 0.1, 1e300, float("inf"), float("-inf")])
TEXTS = st.sampled_from(["", "a", "b", "ab", "é", "\U0001f600", "￿"])
MOMENTS = st.integers(-3, 3).map(lambda n: dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=n))
ORDER = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])


def row():
    """Any values, many of them equal, unknown, or hard to compute with."""

    def maybe(values):
        return st.none() | values

    return st.fixed_dictionaries(
        {
            "i": maybe(WHOLE), "j": maybe(st.integers(-3, 3)), "x": maybe(REALS | st.just(float("nan"))),
            "y": maybe(REALS), "s": maybe(TEXTS), "t": maybe(TEXTS), "p": maybe(st.booleans()),
            "q": maybe(st.booleans()), "m": maybe(MOMENTS), "n": maybe(MOMENTS),
        }
    )  # fmt: skip


def conditions(variables):
    """Conditions over some variables; every one is well typed."""

    def attribute(kind):
        return st.builds(Attribute, st.sampled_from(variables), st.sampled_from(COLUMNS[kind]))

    whole = _numbers(attribute("integer"), WHOLE.filter(lambda n: n >= 0))
    real = _numbers(attribute("real") | whole, REALS.filter(lambda n: 0 <= n < float("inf")))
    text = attribute("text") | st.builds(Constant, TEXTS)
    span = st.builds(lambda n: Constant(Duration(Fraction(n) * 10**9, plain=False)), st.integers(0, 3))
    moment = st.one_of(
        attribute("instant"), st.builds(Constant, MOMENTS),
        st.builds(Arithmetic, st.sampled_from("+-"), attribute("instant"), span),
    )  # fmt: skip
    length = span | st.builds(Arithmetic, st.just("-"), attribute("instant"), attribute("instant"))
    values = st.sampled_from([whole, real, text, moment, length])
    tests = st.one_of(
        attribute("boolean"),
        values.flatmap(lambda kind: st.builds(Comparison, ORDER, kind, kind)),
        st.builds(Comparison, ORDER, whole, real),
        values.flatmap(lambda kind: st.builds(IsBetween, kind, kind, kind, st.booleans())),
        values.flatmap(lambda kind: st.builds(IsIn, kind, st.lists(kind, min_size=1, max_size=3).map(tuple))),
        st.builds(IsIn, attribute("text"), st.lists(TEXTS.map(Constant), min_size=1).map(tuple), st.booleans()),
        values.flatmap(lambda kind: st.builds(IsNull, kind, st.booleans())),
        st.builds(Comparison, st.sampled_from(["=", "!="]), attribute("boolean"), attribute("boolean")),
        st.builds(Same, st.sampled_from("ijstpm")),
    )
    return st.recursive(
        tests,
        lambda parts: st.one_of(
            st.builds(Not, parts),
            st.builds(And, st.lists(parts, min_size=2, max_size=3).map(tuple)),
            st.builds(Or, st.lists(parts, min_size=2, max_size=3).map(tuple)),
        ),
        max_leaves=4,
    )


def _numbers(attributes, constants):
    leaves = attributes | st.builds(Constant, constants)
    return st.recursive(
        leaves,
        lambda parts: st.builds(Arithmetic, st.sampled_from("+-*%/"), parts, parts) | st.builds(Negative, parts),
        max_leaves=4,
    )
