"""Typing a pattern against the columns of its data, before anything runs.

Every attribute must be a column, and every operation must make sense for the kinds of its parts. A text that is
compared with a moment is read as one. Conditions must be true or false; NULL needs no type, for it has no literal.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace

from whenabouts.errors import BadQuery, nearest
from whenabouts.model.duration import Duration
from whenabouts.model.expression import (
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    Expression,
    IsBetween,
    IsIn,
    IsNull,
    Kind,
    Negative,
    Not,
    Or,
    Same,
    Span,
    children,
    ticks_of,
    with_children,
)
from whenabouts.model.pattern import Pattern
from whenabouts.query.format import format_expression
from whenabouts.query.tree import no_moment, read_moment

SAY: dict[Kind, str] = {
    "integer": "a whole number", "real": "a number", "text": "text", "boolean": "a truth value",
    "instant": "a timestamp with a zone", "local": "a timestamp without a zone", "duration": "a duration",
}  # fmt: skip
NUMBERS = ("integer", "real")
MOMENTS = ("instant", "local")


def check_types(pattern: Pattern, kinds: Mapping[str, Kind | None], tick: int = 1) -> Pattern:
    """The pattern with texts read as moments where they are meant so; raises where it does not fit the columns.

    `tick` is how many nanoseconds the moments of the data are counted in; nothing in the query may be finer.
    """
    typing = Typing(kinds, pattern.text, tick)
    for one in pattern.returns:
        if one.attribute is not None and one.attribute not in kinds:
            raise typing.unknown(one.attribute, one.span)
    if pattern.where is None:
        return pattern
    where = typing.coerced(pattern.where)
    typing.require_condition(where, "WHERE")
    return replace(pattern, where=where)


def kind_of(node: Expression, kinds: Mapping[str, Kind | None]) -> Kind:
    """The kind of an expression that was checked."""
    return Typing(kinds, None).kind(node)


@dataclass(frozen=True)
class Typing:
    """The kinds of columns, and the text that errors point into."""

    kinds: Mapping[str, Kind | None]
    text: str | None
    tick: int = 1

    def kind(self, node: Expression) -> Kind:
        """What a checked expression is."""
        match node:
            case Attribute(name=name):
                found = self.kinds[name]
                assert found is not None
                return found
            case Constant(value=value):
                return _constant_kind(value)
            case Negative(value=value):
                return self.kind(value)
            case Arithmetic(op=op, left=left, right=right):
                found = _result(op, self.kind(left), self.kind(right))
                assert found is not None
                return found
            case _:
                return "boolean"

    def coerced(self, node: Expression) -> Expression:
        """The node with its parts checked and coerced, from the leaves up."""
        node = with_children(node, tuple(self.coerced(part) for part in children(node)))
        match node:
            case Attribute(name=name) | Same(name=name):
                self._check_column(node, name)
            case Negative(value=value):
                if self.kind(value) not in (*NUMBERS, "duration"):
                    raise self.wrong(f"'-' needs a number, and {self._say(value)}.", node)
            case Arithmetic(op=op, left=left, right=right):
                if _result(op, self.kind(left), self.kind(right)) is None:
                    raise self.wrong(
                        f"{op!r} does not work here: {self._say(left)}, {self._say(right)}."
                        f"{_remedy(op, self.kind(left), self.kind(right))}",
                        node,
                    )
            case Comparison(op=op, left=left, right=right):
                left, right = self._meet(left, right, node)
                if self.kind(left) == "boolean" and op not in ("=", "!="):
                    raise self.wrong(f"Truth values have no order: use = or !=, not {op!r}.", node)
                return replace(node, left=left, right=right)
            case IsBetween(value=value, low=low, high=high):
                value, low = self._meet(value, low, low)
                value, high = self._meet(value, high, high)
                if self.kind(value) == "boolean":
                    raise self.wrong("Truth values have no order: use = or !=, not BETWEEN.", node)
                return replace(node, value=value, low=low, high=high)
            case IsIn(value=value, options=options):
                met = [self._meet(value, option, option) for option in options]
                return replace(node, value=met[0][0], options=tuple(option for _, option in met))
            case Not(part=part):
                self.require_condition(part, "NOT")
            case And(parts=parts) | Or(parts=parts):
                for part in parts:
                    self.require_condition(part, "AND" if isinstance(node, And) else "OR")
            case Constant(value=dt.datetime() | Duration() as value):
                if ticks_of(value, self.tick).denominator != 1:
                    raise self.wrong("This is finer than the times of the events, which are microseconds.", node)
                if isinstance(value, Duration) and abs(ticks_of(value, self.tick)) >= 2**63:
                    raise self.wrong("This is longer than times can be apart: they are counted in 64 bits.", node)
            case IsNull() | Constant():
                pass
        return node

    def require_condition(self, node: Expression, where: str) -> None:
        """Raise unless the node is true or false."""
        if self.kind(node) != "boolean":
            raise self.wrong(f"{where} needs a condition, and {self._say(node)}. Compare it with something.", node)

    def _check_column(self, node: Attribute | Same, name: str) -> None:
        if name not in self.kinds:
            raise self.unknown(name, node.span)
        if self.kinds[name] is None:
            raise self.wrong(
                f"{name!r} holds values that cannot be compared: the language knows numbers, text, truth values, "
                "timestamps and durations.",
                node,
            )

    def _meet(self, left: Expression, right: Expression, place: Expression) -> tuple[Expression, Expression]:
        """Both sides of a comparison, a text read as a moment where the other side is one."""
        left, right = self._as_moment(left, right), self._as_moment(right, left)
        one, other = self.kind(left), self.kind(right)
        if one != other and not (one in NUMBERS and other in NUMBERS):
            raise self.wrong(
                f"{self._say(left)}, {self._say(right)}: they cannot be compared.{_remedy('=', one, other)}", place
            )
        return left, right

    def _as_moment(self, node: Expression, other: Expression) -> Expression:
        kind = self.kind(other)
        if not isinstance(node, Constant) or kind not in MOMENTS:
            return node
        moment = node.value
        if isinstance(moment, str):
            read = read_moment(moment)
            if read is None:
                raise self.wrong(no_moment(moment), node)
            moment = read
        if isinstance(moment, dt.datetime) and (moment.tzinfo is None) == (kind == "instant"):
            raise self.wrong(
                f"{format_expression(other)} is {SAY[kind]}: "
                + ("add one here, as in '2026-03-01 12:00:00Z'." if kind == "instant" else "leave it out here."),
                node,
            )
        return self.coerced(replace(node, value=moment))

    def _say(self, node: Expression) -> str:
        return f"{format_expression(node)} is {SAY[self.kind(node)]}"

    def unknown(self, name: str, span: Span | None) -> BadQuery:
        """The error for an attribute that is no column."""
        hint = nearest(name, self.kinds)
        place = span or Span(0, 1)
        return BadQuery(
            f"{name!r} is no column of the events ({', '.join(self.kinds)}).{hint}", self.text, place.start, place.end
        )

    def wrong(self, problem: str, node: Expression) -> BadQuery:
        """The error that points at a node."""
        place = node.span
        return BadQuery(problem, self.text if place else None, *((place.start, place.end) if place else ()))


def _constant_kind(value: bool | int | float | str | dt.datetime | Duration) -> Kind:
    if isinstance(value, dt.datetime):
        return "local" if value.tzinfo is None else "instant"
    kinds: dict[type, Kind] = {bool: "boolean", int: "integer", float: "real", str: "text", Duration: "duration"}
    return kinds[type(value)]


def _result(op: str, left: Kind, right: Kind) -> Kind | None:
    """The kind of `left op right`, or None where it has none."""
    if left in NUMBERS and right in NUMBERS:
        return "integer" if left == right == "integer" and op != "/" else "real"
    match op, left, right:
        case ("+" | "-", "instant" | "local", "duration"):
            return left
        case ("+", "duration", "instant" | "local"):
            return right
        case ("-", "instant", "instant") | ("-", "local", "local") | ("+" | "-", "duration", "duration"):
            return "duration"
        case ("*", "duration", "integer") | ("*", "integer", "duration"):
            return "duration"
        case ("/", "duration", "duration"):
            return "real"
        case _:
            return None


def _remedy(op: str, left: Kind, right: Kind) -> str:
    """What may have been meant."""
    pair = {left, right}
    if "duration" in pair and pair & set(NUMBERS):
        return "" if op == "*" else " Write a length of time with its unit, as in 5 seconds."
    if "text" in pair and pair & set(NUMBERS):
        return " Numbers stand without quotes; cast the column if it should hold numbers."
    if "text" in pair and "boolean" in pair:
        return " Truth values are TRUE and FALSE, without quotes."
    if pair == set(MOMENTS):
        return " Give the zoneless column a zone before wa.events."
    if pair & set(MOMENTS) and pair & set(NUMBERS):
        return " Write a moment as TIMESTAMP '2026-03-01 12:00:00Z'."
    return ""
