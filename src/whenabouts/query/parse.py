"""Reading queries: text to pattern or interval query, or an error that shows the place."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.exceptions import UnexpectedInput, VisitError

from whenabouts.errors import BadQuery, WrongType
from whenabouts.model.pattern import Pattern
from whenabouts.model.relation import IntervalQuery
from whenabouts.query.structure import check_structure
from whenabouts.query.syntax_errors import syntax_error
from whenabouts.query.tree import Start, ToModel


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
        return ToModel(text).transform(_parser().parse(text, start=start))
    except UnexpectedInput as wrong:
        raise syntax_error(wrong, text, start) from None
    except VisitError as wrong:
        if isinstance(wrong.orig_exc, BadQuery):
            raise wrong.orig_exc from None
        raise


@cache
def _parser() -> Lark:
    grammar = (Path(__file__).parent / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", start=["pattern_query", "interval_query"], propagate_positions=True)
