"""The plan of an interval query, before anything runs."""

from __future__ import annotations

from typing import Any

from whenabouts.api.interval_query import plan_query
from whenabouts.api.segments import Segments
from whenabouts.errors import BadArgument, nearest
from whenabouts.model.relation import IntervalQuery
from whenabouts.model.times import describe

_DEFAULTS: dict[str, Any] = {
    "pairs": None, "min_confidence": None, "confidence": True, "method": "lattice", "delta": None, "step": None,
    "max_nodes": None,
}  # fmt: skip
_MOST_COUNTED = 1_000
_NOT_OF_THE_PLAN = ("stats", "threads", "emit", "timeout", "keep")


def explain_intervals(
    left: Segments, right: Segments, query: str | IntervalQuery, **options: Any
) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """Lines of name and value, and on Spark the physical plan."""
    from whenabouts.query import format_interval_query

    for name in options:
        if name not in (*_DEFAULTS, *_NOT_OF_THE_PLAN):
            raise BadArgument(f"wa.interval_query has no option {name!r}.{nearest(name, _DEFAULTS)}")
    own = {name: value for name, value in options.items() if name in _DEFAULTS}
    question = plan_query(left, right, query, **{**_DEFAULTS, **own})
    given = options.get("pairs")
    where = "Spark, as a stream" if left.streaming else ("Spark" if left.engine == "spark" else "this process")
    lines = [
        ("operator", f"interval query in {where}"),
        ("query", format_interval_query(question.query)),
        ("left", _side(left)),
        ("right", _side(right)),
        ("automaton", _automaton(question.query)),
        ("method", question.method),
        ("pairs", "all" if given is None else ("unordered" if question.unordered else "those that are given")),
        ("threshold", "none" if question.min_confidence is None else f"{question.min_confidence:g}"),
    ]
    if left.streaming:
        return tuple(lines), None
    if left.engine == "spark":
        from whenabouts.spark.explain import explain_blocks

        more, physical = explain_blocks(question, left.data, right.data, None if isinstance(given, str) else given)
        return (*lines, *more), physical
    assert left.table is not None
    assert right.table is not None
    return (*lines, ("rows", f"{len(left.table):,} x {len(right.table):,}")), None


def _automaton(query: IntervalQuery) -> str:
    """How large the query's automaton is; a large one is made only as far as the data can reach."""
    from whenabouts.ops.intervals.automaton import compile_query

    if query.outer.count * query.inner.count > _MOST_COUNTED:
        return f"more than {_MOST_COUNTED:,} states, of which those are made that the segments of a key can reach"
    _, _, counts, states, *_ = compile_query(query).step.shape
    return f"{states} states at most, {counts} counts of whole segments"


def _side(side: Segments) -> str:
    contract = side.contract
    lost = f"gaps in {contract.seq}"
    return f"{contract.key}, {describe(contract.time)}, lost events by {lost}"
