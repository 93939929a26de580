"""From lark's tree to frozen values, each with the place where it stands in the text."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any, Literal, NamedTuple, cast

from lark import Token, Transformer, v_args

from whenabouts.errors import BadArgument, BadQuery, nearest
from whenabouts.model.duration import Duration, duration
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
    Negative,
    Not,
    Operator,
    Or,
    Same,
    Span,
)
from whenabouts.model.pattern import Component, Pattern, Returned, Strategy
from whenabouts.model.relation import RELATIONS, IntervalQuery, Quantifier

_LARGEST = 2**63 - 1
_MOST_DIGITS = 300
"""A longer number is infinite as a double, and Python may refuse to read it as a whole one."""
_TOO_FINE = re.compile(r"[.,]\d{6}\d*[1-9]")
"""Fractions of a second that a `datetime` would cut off."""


class Name(NamedTuple):
    """A name and where it stands."""

    text: str
    span: Span


class Selection(NamedTuple):
    """`skip_till_any_match(a, b)` and its like, which is no condition but stands among them."""

    strategy: Strategy
    variables: tuple[Name, ...]
    span: Span


class Parsed(NamedTuple):
    """A pattern as it was read, with the places of its clauses that the pattern itself does not keep."""

    pattern: Pattern
    selections: tuple[Selection, ...]
    window: Span | None


@v_args(meta=True)
class ToModel(Transformer[Token, Any]):
    """Each method makes the value of the rule that it is named after."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.query = text

    def wrong(self, problem: str, span: Span) -> BadQuery:
        """The error that points at a place."""
        return BadQuery(problem, self.query, span.start, span.end)

    # ---- patterns

    def pattern_query(self, meta: Any, parts: list[Any]) -> Parsed:
        _, _, *rest = parts
        components = tuple(part for part in rest if isinstance(part, Component))
        where, within, returned = rest[len(components) :]
        condition, selections = _without_selections(where, self)
        length, window = (None, None) if within is None else within
        strategy = selections[0].strategy if selections else "skip_till_any_match"
        pattern = Pattern(components, condition, strategy, length, returned or (), text=self.query)
        return Parsed(pattern, tuple(selections), window)

    def component(self, meta: Any, parts: list[Any]) -> Component:
        absent, kind, variable = parts
        return Component(kind, variable.text, absent is not None, span=_span(meta))

    def type(self, meta: Any, parts: list[Any]) -> str:
        return cast(str, parts[0].text)

    def any_type(self, meta: Any, parts: list[Any]) -> None:
        return None

    def where(self, meta: Any, parts: list[Any]) -> Any:
        return parts[1]

    def within(self, meta: Any, parts: list[Any]) -> tuple[Duration, Span]:
        token = parts[1]
        span = Span(token.start_pos, token.end_pos)
        written = _number(token) if token.type == "NUMBER" else _unquoted(token) if token.type == "TEXT" else str(token)
        try:
            length = duration(written, "WITHIN")
        except BadArgument as wrong:
            raise self.wrong(str(wrong), span) from None
        if length.amount <= 0:
            raise self.wrong("WITHIN must be more than zero: the last event is less than it after the first.", span)
        return length, span

    def returned(self, meta: Any, parts: list[Any]) -> tuple[Returned, ...]:
        return tuple(parts[1:])

    def return_item(self, meta: Any, parts: list[Any]) -> Returned:
        variable, attribute, _, alias = [*parts, None, None, None][:4]
        return Returned(variable.text, attribute and attribute.text, alias and alias.text, span=_span(meta))

    # ---- conditions

    def disjunction(self, meta: Any, parts: list[Any]) -> Or:
        return Or(self.conditions(parts), span=_span(meta))

    def conjunction(self, meta: Any, parts: list[Any]) -> Any:
        if any(isinstance(part, Selection) for part in parts):
            return list(parts)
        return And(tuple(parts), span=_span(meta))

    def not_(self, meta: Any, parts: list[Any]) -> Not:
        return Not(self.conditions(parts[1:])[0], span=_span(meta))

    def comparison(self, meta: Any, parts: list[Any]) -> Comparison:
        left, op, right = parts
        left, right = self.conditions([left, right])
        return Comparison(cast(Any, "!=" if op == "<>" else str(op)), left, right, span=_span(meta))

    def is_in(self, meta: Any, parts: list[Any]) -> IsIn:
        value, negated, *options = parts
        value, *options = self.conditions([value, *options])
        return IsIn(value, tuple(options), negated is not None, span=_span(meta))

    def is_between(self, meta: Any, parts: list[Any]) -> IsBetween:
        value, negated, low, high = parts
        value, low, high = self.conditions([value, low, high])
        return IsBetween(value, low, high, negated is not None, span=_span(meta))

    def is_null(self, meta: Any, parts: list[Any]) -> IsNull:
        value, _, negated, _ = parts
        return IsNull(self.conditions([value])[0], negated is not None, span=_span(meta))

    def arithmetic(self, meta: Any, parts: list[Any]) -> Arithmetic:
        left, op, right = parts
        left, right = self.conditions([left, right])
        return Arithmetic(cast(Operator, str(op)), left, right, span=_span(meta))

    def negative(self, meta: Any, parts: list[Any]) -> Negative:
        return Negative(self.conditions(parts[1:])[0], span=_span(meta))

    def group(self, meta: Any, parts: list[Any]) -> Expression:
        return self.conditions(parts)[0]

    def attribute(self, meta: Any, parts: list[Any]) -> Attribute:
        variable, name = parts
        return Attribute(variable.text, name.text, span=_span(meta))

    def same(self, meta: Any, parts: list[Any]) -> Same:
        return Same(parts[0].text, span=_span(meta))

    def strategy(self, meta: Any, parts: list[Any]) -> Selection:
        word, *variables = parts
        return Selection(cast(Strategy, word.lower()), tuple(one for one in variables if one), _span(meta))

    def number(self, meta: Any, parts: list[Any]) -> Constant:
        value = _number(parts[0])
        if isinstance(value, int) and value > _LARGEST:
            raise self.wrong(
                f"A whole number is at most {_LARGEST}. With a point ('1e20') it is a real one.", _span(meta)
            )
        if not math.isfinite(value):
            raise self.wrong("A number must be finite.", _span(meta))
        return Constant(value, span=_span(meta))

    def duration(self, meta: Any, parts: list[Any]) -> Constant:
        return Constant(duration(str(parts[0])), span=_span(meta))

    def text(self, meta: Any, parts: list[Any]) -> Constant:
        return Constant(_unquoted(parts[0]), span=_span(meta))

    def timestamp(self, meta: Any, parts: list[Any]) -> Constant:
        written = _unquoted(parts[1])
        moment = read_moment(written)
        if moment is None:
            raise self.wrong(no_moment(written), _span(meta))
        return Constant(moment, span=_span(meta))

    def truth(self, meta: Any, parts: list[Any]) -> Constant:
        return Constant(parts[0].type == "TRUE", span=_span(meta))

    def null(self, meta: Any, parts: list[Any]) -> None:
        raise self.wrong("NULL is no value to compare or compute with: ask IS NULL or IS NOT NULL.", _span(meta))

    def conditions(self, parts: list[Any]) -> tuple[Expression, ...]:
        """The parts, none of which may be a selection strategy."""
        for part in parts:
            for one in part if isinstance(part, list) else [part]:
                if isinstance(one, Selection):
                    raise self.wrong(
                        f"{one.strategy}(...) is no condition: join it to all others with AND, outside of parentheses.",
                        one.span,
                    )
        return tuple(parts)

    # ---- interval queries

    def interval_query(self, meta: Any, parts: list[Any]) -> IntervalQuery:
        outer, subject, *relations, inner, other = parts
        for side in (subject, other):
            if side.text.lower() not in ("a", "b"):
                raise self.wrong(f"{side.text!r} is no side: a is the left one, b the right one.", side.span)
        if subject.text.lower() == other.text.lower():
            raise self.wrong(
                f"Both sides are {other.text!r}: one must be a, the left, and one b, the right.", other.span
            )
        return IntervalQuery(outer, cast(Any, subject.text.lower()), tuple(relations), inner)

    def every(self, meta: Any, parts: list[Any]) -> Quantifier:
        return Quantifier("every")

    def some(self, meta: Any, parts: list[Any]) -> Quantifier:
        return Quantifier("at least", 1)

    def at_least(self, meta: Any, parts: list[Any]) -> Quantifier:
        count, span = _number(parts[0]), Span(parts[0].start_pos, parts[0].end_pos)
        if not isinstance(count, int) or count < 1:
            raise self.wrong(f"AT LEAST {parts[0]} cannot be counted: give a whole number of 1 or more.", span)
        return Quantifier("at least", count)

    def relation(self, meta: Any, parts: list[Any]) -> str:
        name = " ".join(parts).lower()
        if name not in RELATIONS:
            known = [one.upper() for one in RELATIONS]
            hint = nearest(name.upper(), known) or f" There are {', '.join(known)}."
            raise self.wrong(f"{name.upper()} is no relation of intervals.{hint}", _span(meta))
        return name

    def side(self, meta: Any, parts: list[Any]) -> Name:
        return Name(str(parts[0]), _span(meta))

    def name(self, meta: Any, parts: list[Any]) -> Name:
        return Name(parts[0].strip("`"), _span(meta))


def read_moment(text: str) -> dt.datetime | None:
    """An ISO timestamp, or None where the text is none, or finer than a microsecond."""
    if _TOO_FINE.search(text):
        return None
    try:
        return dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def no_moment(text: str) -> str:
    """What to say of a text that is read as a moment and is none."""
    fine = " A moment has at most six digits behind the second." if _TOO_FINE.search(text) else ""
    return f"{text!r} is no timestamp. Write it as '2026-03-01 12:00:00Z'.{fine}"


def _without_selections(where: Any, reader: ToModel) -> tuple[Expression | None, list[Selection]]:
    """The condition without the selection strategies that are joined to it by AND, and these."""
    parts = where if isinstance(where, list) else [] if where is None else [where]
    selections = [part for part in parts if isinstance(part, Selection)]
    if len(selections) > 1:
        raise reader.wrong("There is a selection strategy already: keep one of the two.", selections[1].span)
    rest = [part for part in parts if not isinstance(part, Selection)]
    if len(rest) < 2:
        return (rest[0] if rest else None), selections
    return And(tuple(rest), span=Span(rest[0].span.start, rest[-1].span.end)), selections


def _span(meta: Any) -> Span:
    return Span(meta.start_pos, meta.end_pos)


def _number(token: Token) -> int | float:
    whole = token.isdigit() and len(token) <= _MOST_DIGITS
    return int(token) if whole else float(token)


def _unquoted(token: Token) -> str:
    return token[1:-1].replace("''", "'")


Start = Literal["pattern_query", "interval_query"]
