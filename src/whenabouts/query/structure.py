"""What must be true of a pattern whatever the data: its variables, absent components, selection and results."""

from __future__ import annotations

from whenabouts.errors import BadQuery, nearest
from whenabouts.model.expression import Attribute, Span, nodes
from whenabouts.model.pattern import Pattern
from whenabouts.query.tree import Parsed

MOST_COMPONENTS = 60
"""Sets of components are the bits of a whole number."""
RESULT_COLUMNS = ("signature", "earliest", "latest", "confidence")
"""Columns that every result has, so that nothing returned may be called so."""


def check_structure(parsed: Parsed) -> None:
    """Raise a `BadQuery` that points at the first thing that cannot be meant."""
    pattern = parsed.pattern
    _check_components(pattern)
    for node in nodes(pattern.where) if pattern.where is not None else ():
        if isinstance(node, Attribute):
            _check_variable(pattern, node.variable, node.span)
    for selection in parsed.selections:
        for name in selection.variables:
            _check_variable(pattern, name.text, name.span)
        present = tuple(one.variable for one in pattern.present)
        if selection.variables and tuple(name.text for name in selection.variables) != present:
            raise _wrong(
                pattern,
                f"{selection.strategy}(...) speaks of all present variables in their order: "
                f"{selection.strategy}({', '.join(present)}).",
                selection.span,
            )
    _check_returned(pattern)


def _check_components(pattern: Pattern) -> None:
    seen: set[str] = set()
    if len(pattern.components) > MOST_COMPONENTS:
        last = pattern.components[MOST_COMPONENTS]
        raise _wrong(pattern, f"A pattern has at most {MOST_COMPONENTS} components.", last.span)
    for place, one in enumerate(pattern.components):
        if one.variable in seen:
            raise _wrong(pattern, f"There is a variable {one.variable!r} already: give each its own name.", one.span)
        seen.add(one.variable)
        if one.negated and place in (0, len(pattern.components) - 1):
            where = "begin" if place == 0 else "end"
            raise _wrong(
                pattern,
                f"A pattern cannot {where} with an absent event: put '!' between two components that are present.",
                one.span,
            )


def _check_variable(pattern: Pattern, name: str, span: Span | None) -> None:
    if name not in pattern.variables:
        known = ", ".join(pattern.variables)
        hint = nearest(name, pattern.variables)
        raise _wrong(pattern, f"{name!r} is no variable of the pattern ({known}).{hint}", span)


def _check_returned(pattern: Pattern) -> None:
    taken: set[str] = set()
    absent = {one.variable for one in pattern.components if one.negated}
    for one in pattern.returns:
        _check_variable(pattern, one.variable, one.span)
        if one.variable in absent:
            raise _wrong(
                pattern, f"{one.variable!r} is absent from every match, so that it cannot be returned.", one.span
            )
    for one in pattern.returned:
        if one.column in RESULT_COLUMNS:
            how = "give the variable another name" if one.attribute is None else "choose another name with AS"
            raise _wrong(pattern, f"Every result has a column {one.column!r} already: {how}.", one.span)
        if one.column in taken:
            raise _wrong(pattern, f"{one.column!r} is returned twice: choose another name with AS.", one.span)
        taken.add(one.column)


def _wrong(pattern: Pattern, problem: str, span: Span | None) -> BadQuery:
    place = span or Span(0, 1)
    return BadQuery(problem, pattern.text, place.start, place.end)
