"""Expressions over the attributes of a pattern's variables: a tree of frozen values.

Values may be unknown, as in SQL: NULL and NaN are. Comparing or computing with an unknown value gives an
unknown one, AND and OR follow Kleene's three-valued logic, and a condition holds only where it is true. Computing
what has no value (a division by zero, an overflow of 64-bit integers) gives an unknown value too, never an error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any
from typing import Literal as Choice

from whenabouts.model.duration import Duration

Kind = Choice["integer", "real", "text", "boolean", "instant", "local", "duration"]
"""What a value is: whole and real numbers, text, truth, moments (with a time zone or without), lengths of time."""

Compare = Choice["=", "!=", "<", "<=", ">", ">="]
Operator = Choice["+", "-", "*", "/", "%"]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a part stands in the text of its query: characters `start` to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a query. Where it stood in the text tells nodes apart for error messages only."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`variable.name`: a column of the event that a variable stands for."""

    variable: str
    name: str


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A value written in the query; a datetime is a moment, a Duration a length of time. NULL is not among them."""

    value: bool | int | float | str | dt.datetime | Duration

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """`left op right`. Whole numbers stay whole but for `/`, which is real; `%` takes the sign of the left."""

    op: Operator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """`-value`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """`left op right`."""

    op: Compare
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class IsIn(Node):
    """`value [NOT] IN (options)`."""

    value: Expression
    options: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsBetween(Node):
    """`value [NOT] BETWEEN low AND high`, both ends included."""

    value: Expression
    low: Expression
    high: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull(Node):
    """`value IS [NOT] NULL`, which is never unknown itself."""

    value: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`NOT part`."""

    part: Expression


@dataclass(frozen=True, slots=True)
class And(Node):
    """`part AND part ...`, two or more."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """`part OR part ...`, two or more."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Same(Node):
    """SASE's `[attribute]`: all variables of the pattern share the value. Normalising writes it out."""

    name: str


_EPOCHS = {True: dt.datetime(1970, 1, 1), False: dt.datetime(1970, 1, 1, tzinfo=dt.UTC)}


def ticks_of(value: dt.datetime | Duration, tick: int) -> Fraction:
    """A moment, since 1970, or a length of time, in ticks of so many nanoseconds."""
    if isinstance(value, Duration):
        return value.amount / tick
    since = value - _EPOCHS[value.tzinfo is None]
    micros = (since.days * 86400 + since.seconds) * 10**6 + since.microseconds
    return Fraction(micros * 1000, tick)


Expression = (
    Attribute | Constant | Arithmetic | Negative | Comparison | IsIn | IsBetween | IsNull | Not | And | Or | Same
)


def children(node: Expression) -> tuple[Expression, ...]:
    """The parts of a node, in the order of writing."""
    match node:
        case Arithmetic(left=left, right=right) | Comparison(left=left, right=right):
            return (left, right)
        case Negative(value=value) | IsNull(value=value):
            return (value,)
        case IsIn(value=value, options=options):
            return (value, *options)
        case IsBetween(value=value, low=low, high=high):
            return (value, low, high)
        case Not(part=part):
            return (part,)
        case And(parts=parts) | Or(parts=parts):
            return parts
        case _:
            return ()


def with_children(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    """The node over other parts."""
    match node:
        case Arithmetic() | Comparison():
            return _with(node, left=parts[0], right=parts[1])
        case Negative() | IsNull():
            return _with(node, value=parts[0])
        case IsIn():
            return _with(node, value=parts[0], options=parts[1:])
        case IsBetween():
            return _with(node, value=parts[0], low=parts[1], high=parts[2])
        case Not():
            return _with(node, part=parts[0])
        case And() | Or():
            return _with(node, parts=parts)
        case _:
            return node


def _with(node: Any, **changes: Any) -> Any:
    return replace(node, **changes)


def nodes(node: Expression) -> Iterator[Expression]:
    """The node and all below it, parents first."""
    yield node
    for part in children(node):
        yield from nodes(part)


def attributes(node: Expression) -> tuple[Attribute, ...]:
    """All attributes that an expression reads, in order and without repetition."""
    return tuple(dict.fromkeys(one for one in nodes(node) if isinstance(one, Attribute)))


def variables(node: Expression) -> tuple[str, ...]:
    """All variables that an expression reads, in order and without repetition."""
    return tuple(dict.fromkeys(one.variable for one in attributes(node)))
