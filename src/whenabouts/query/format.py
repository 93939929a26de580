"""Writing queries: the text of a pattern or an interval query, which reads back as the same value."""

from __future__ import annotations

import datetime as dt
import re

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
    Negative,
    Not,
    Or,
    Same,
)  # fmt: skip
from whenabouts.model.pattern import Component, Pattern, Returned
from whenabouts.model.relation import IntervalQuery, Quantifier

_KEYWORDS = {
    "pattern", "seq", "any", "where", "within", "return", "as", "and", "or", "not", "in", "between", "is", "null",
    "true", "false", "timestamp", "every", "some", "at", "least", "skip_till_any_match", "skip_till_next_match",
}  # fmt: skip
_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _SIGNED, _ATOM = range(8)
"""How tightly an expression binds; one that binds less than its place asks for stands in parentheses."""


def format_pattern(pattern: Pattern) -> str:
    """The text of a pattern query, a clause a line.

    >>> from whenabouts.query import parse_pattern
    >>> print(format_pattern(parse_pattern("pattern seq(A a, B b) where a.x=b.x and a.y>2 within 90s return a")))
    PATTERN SEQ(A a, B b)
    WHERE a.x = b.x
      AND a.y > 2
      AND skip_till_any_match(a, b)
    WITHIN 1m 30s
    RETURN a
    """
    lines = [f"PATTERN SEQ({', '.join(map(_component, pattern.components))})"]
    where = pattern.where
    conditions = where.parts if isinstance(where, And) else () if where is None else (where,)
    variables = ", ".join(_name(one.variable) for one in pattern.present)
    clauses = [_text(part, _NOT) for part in conditions] + [f"{pattern.strategy}({variables})"]
    lines.append("WHERE " + "\n  AND ".join(clauses))
    if pattern.window is not None:
        lines.append(f"WITHIN {_duration(pattern.window)}")
    if pattern.returns:
        lines.append(f"RETURN {', '.join(map(_returned, pattern.returns))}")
    return "\n".join(lines)


def format_interval_query(query: IntervalQuery) -> str:
    """The text of an interval query.

    >>> from whenabouts.query import parse_interval_query
    >>> format_interval_query(parse_interval_query("every B meets or during some A"))
    'EVERY b MEETS OR DURING SOME a'
    """
    relation = " OR ".join(name.upper() for name in query.names)
    other = "b" if query.subject == "a" else "a"
    return f"{_quantifier(query.outer)} {query.subject} {relation} {_quantifier(query.inner)} {other}"


def format_expression(node: Expression) -> str:
    """The text of an expression."""
    return _text(node, _OR)


def _quantifier(one: Quantifier) -> str:
    return "EVERY" if one.kind == "every" else "SOME" if one.count == 1 else f"AT LEAST {one.count}"


def _component(one: Component) -> str:
    return f"{'!' if one.negated else ''}{'ANY' if one.type is None else _name(one.type)} {_name(one.variable)}"


def _returned(one: Returned) -> str:
    if one.attribute is None:
        return _name(one.variable)
    alias = f" AS {_name(one.name)}" if one.name else ""
    return f"{_name(one.variable)}.{_name(one.attribute, after_dot=True)}{alias}"


def _name(name: str, *, after_dot: bool = False) -> str:
    """A name, in backticks where it would be read as something else."""
    plain = re.fullmatch(r"[^\W\d]\w*", name) and (after_dot or name.lower() not in _KEYWORDS)
    return name if plain else f"`{name}`"


def _text(node: Expression, place: int) -> str:
    text, tightness = _written(node)
    return text if tightness >= place else f"({text})"


def _written(node: Expression) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    match node:
        case Or(parts=parts):
            return " OR ".join(_text(part, _AND) for part in parts), _OR
        case And(parts=parts):
            return " AND ".join(_text(part, _NOT) for part in parts), _AND
        case Not(part=part):
            return f"NOT {_text(part, _NOT)}", _NOT
        case Comparison(op=op, left=left, right=right):
            return f"{_text(left, _SUM)} {op} {_text(right, _SUM)}", _TEST
        case IsIn(value=value, options=options, negated=negated):
            listed = ", ".join(_text(option, _SUM) for option in options)
            return f"{_text(value, _SUM)} {'NOT ' * negated}IN ({listed})", _TEST
        case IsBetween(value=value, low=low, high=high, negated=negated):
            ends = f"{_text(low, _SUM)} AND {_text(high, _SUM)}"
            return f"{_text(value, _SUM)} {'NOT ' * negated}BETWEEN {ends}", _TEST
        case IsNull(value=value, negated=negated):
            return f"{_text(value, _SUM)} IS {'NOT ' * negated}NULL", _TEST
        case Arithmetic(op="+" | "-" as op, left=left, right=right):
            return f"{_text(left, _SUM)} {op} {_text(right, _PRODUCT)}", _SUM
        case Arithmetic(op=op, left=left, right=right):
            return f"{_text(left, _PRODUCT)} {op} {_text(right, _SIGNED)}", _PRODUCT
        case Negative(value=value):
            return f"-{_text(value, _ATOM)}", _SIGNED
        case Attribute(variable=variable, name=name):
            return f"{_name(variable)}.{_name(name, after_dot=True)}", _ATOM
        case Same(name=name):
            return f"[{_name(name)}]", _ATOM
        case Constant(value=value):
            return _constant(value), _ATOM


def _constant(value: bool | int | float | str | dt.datetime | Duration) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, Duration):
        return _duration(value)
    return repr(value)


def _duration(length: Duration) -> str:
    if not length.plain:
        return str(length)
    return str(int(length.amount)) if length.amount.denominator == 1 else repr(float(length.amount))
