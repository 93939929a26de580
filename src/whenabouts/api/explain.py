"""`explain`: the plan of an operator, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whenabouts.api.events import Events
from whenabouts.api.explain_intervals import explain_intervals
from whenabouts.api.explain_match import explain_match
from whenabouts.api.explain_similarity import explain_similarity
from whenabouts.api.interval_query import interval_query
from whenabouts.api.match import match
from whenabouts.api.similarity_join import similarity_join
from whenabouts.api.timing_join import declarations, plan_join, timing_join
from whenabouts.errors import BadArgument, nearest
from whenabouts.model.predicate import Timing

if TYPE_CHECKING:
    from whenabouts.ops.timing.question import TimingJoin

_JOIN_DEFAULTS: dict[str, Any] = {
    "by": None, "confidence": True, "left_columns": (), "right_columns": (), "strategy": "auto",
    "block_size": 1000, "every": None,
}  # fmt: skip


@dataclass(frozen=True)
class Explanation:
    """A plan: lines of name and value, and on Spark its physical plan. Print it."""

    lines: tuple[tuple[str, str], ...]
    physical: str | None = None

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.lines)
        text = "\n".join(f"{name:<{width}}  {value}" for name, value in self.lines)
        return f"{text}\n\n{self.physical}" if self.physical else text

    __repr__ = __str__


def explain(verb: Any, *arguments: Any, **options: Any) -> Explanation:
    """The plan of an operator, before anything runs: `wa.explain(wa.timing_join, left, right, predicate, ...)`.

    Takes the operator and the arguments that it would get. On Spark the sizes of the data are looked at, as
    they are for the operator itself, and nothing else is read.
    """
    if verb is match:
        return Explanation(*explain_match(*arguments, **options))
    if verb is interval_query:
        return Explanation(*explain_intervals(*arguments, **options))
    if verb is similarity_join:
        return Explanation(*explain_similarity(*arguments, **options))
    if verb is not timing_join:
        raise BadArgument(
            "wa.explain knows wa.timing_join, wa.match, wa.interval_query and wa.similarity_join, "
            f"not {getattr(verb, '__name__', verb)!r}."
        )
    return _explain_join(*arguments, **options)


def _explain_join(left: Events, right: Events, predicate: Timing, **options: Any) -> Explanation:
    from whenabouts.ops.timing.explain import describe_join

    options = {name: value for name, value in options.items() if name not in ("stats", "threads", "side_output")}
    join = plan_join(left, right, predicate, **{**_JOIN_DEFAULTS, **_required(options)})
    if left.streaming or right.streaming:
        return Explanation((*describe_join(join, str(predicate), "Spark, as a stream"), *_stream(join, left, right)))
    if left.engine == "spark":
        from whenabouts.spark.explain import explain_join

        more, physical = explain_join(join, left.data, right.data)
        return Explanation((*describe_join(join, str(predicate), "Spark"), *more), physical)
    assert left.table is not None
    assert right.table is not None
    sizes = f"{len(left.table):,} x {len(right.table):,} rows in one slice"
    return Explanation((*describe_join(join, str(predicate), "this process"), ("slices", sizes)))


def _stream(join: TimingJoin, left: Events, right: Events) -> list[tuple[str, str]]:
    """How a stream would be spread, and how long its rows are waited for."""
    from whenabouts.spark.streaming.carry import partitions_of
    from whenabouts.spark.streaming.timing import TimingStream, describe_stream

    if not (left.streaming and right.streaming):
        return [("state", "none: one side is a table, which every micro-batch meets as a whole")]
    return describe_stream(TimingStream(join, *declarations(join, left, right), partitions_of(left.data)))


def _required(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a join, all of them known and the threshold among them."""
    known = [*_JOIN_DEFAULTS, "min_confidence"]
    for name in options:
        if name not in known:
            raise BadArgument(f"wa.timing_join has no option {name!r}.{nearest(name, known)}")
    if "min_confidence" not in options:
        raise BadArgument("wa.timing_join needs min_confidence=, a probability in (0, 1].")
    return options
