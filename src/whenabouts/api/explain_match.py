"""The plan of a pattern query, before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whenabouts.api.events import Events
from whenabouts.api.match import declared, plan
from whenabouts.errors import BadArgument, nearest
from whenabouts.model.pattern import Pattern

if TYPE_CHECKING:
    from whenabouts.ops.match.question import PatternMatch

_OPTIONS = ("min_confidence", "top", "tick", "method")

Lines = tuple[tuple[str, str], ...]


def explain_match(events: Events, query: str | Pattern, **options: Any) -> tuple[Lines, str | None]:
    """Lines of name and value, and on Spark the physical plan."""
    from whenabouts.ops.match.explain import describe_match, describe_method

    options = {name: value for name, value in options.items() if name not in ("stats", "side_output")}
    for name in options:
        if name not in _OPTIONS:
            raise BadArgument(f"wa.match has no option {name!r}.{nearest(name, _OPTIONS)}")
    question = plan(events, query, **options)
    if events.streaming:
        return (*describe_match(question, "Spark, as a stream"), *_stream(question, events)), None
    if events.engine == "spark":
        from whenabouts.spark.explain_match import explain_match as explain_on_spark

        more, physical = explain_on_spark(question, events.data)
        return (*describe_match(question, "Spark"), *more), physical
    assert events.table is not None
    return (*describe_match(question, "this process"), *describe_method(question, events.table)), None


def _stream(question: PatternMatch, events: Events) -> Lines:
    """How a stream would be spread, and when a match comes out."""
    from whenabouts.spark.streaming.carry import partitions_of
    from whenabouts.spark.streaming.match import MatchStream, describe_stream

    return tuple(describe_stream(MatchStream(question, *declared(question, events), partitions_of(events.data))))
