"""Reading queries: text to pattern or interval query, or an error that shows the place."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from whenabouts.errors import BadQuery, WrongType
from whenabouts.model.pattern import Pattern
from whenabouts.model.relation import IntervalQuery
from whenabouts.query.structure import check_structure
from whenabouts.query.syntax_errors import syntax_error
from whenabouts.query.tree import Start, ToModel

MOST_NESTED = 120
"""Levels of a condition: each pair of parentheses is one, and each term of a sum but the first."""


def parse_pattern(text: str) -> Pattern:
    """Read a pattern query.

    >>> parse_pattern("PATTERN SEQ(Start a, End b) WITHIN 5 minutes").variables
    ('a', 'b')
    """
    parsed = _parse(text, "pattern_query")
    check_structure(parsed)
    return parsed.pattern


def parse_interval_query(text: str) -> IntervalQuery:
    """Read an interval query.

    >>> parse_interval_query("AT LEAST 2 a INTERSECTS SOME b").outer.count
    2
    """
    return _parse(text, "interval_query")


def _parse(text: str, start: Start) -> Any:
    if not isinstance(text, str):
        raise WrongType(f"A query is a text, not {type(text).__name__}.")
    try:
        tree = _parser().parse(text, start=start)
        _check_depth(tree, text)
        return ToModel(text).transform(tree)
    except UnexpectedInput as wrong:
        raise syntax_error(wrong, text, start) from None
    except VisitError as wrong:
        if isinstance(wrong.orig_exc, BadQuery):
            raise wrong.orig_exc from None
        raise


def _check_depth(tree: Tree[Token], text: str) -> None:
    """Raise where conditions are nested deeper than the functions that walk them may call themselves."""
    level = [tree]
    for _ in range(MOST_NESTED):
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
    if level:
        place = level[0].meta
        raise BadQuery(
            f"This is nested more than {MOST_NESTED} deep: leave out parentheses, or put parts into columns.",
            text, place.start_pos, place.end_pos,
        )  # fmt: skip


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", start=["pattern_query", "interval_query"], propagate_positions=True)
