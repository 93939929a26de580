"""`interval_query`: for which pairs of segmented intervals does a relation hold, and how surely?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from whenabouts.api.frames import as_table, is_spark, like
from whenabouts.api.intake import DurationLike, workers_of
from whenabouts.api.segments import Segments
from whenabouts.api.timing_join import check_confidence
from whenabouts.errors import BadArgument, MixedEngines, WrongType, nearest
from whenabouts.model.clock import Clock
from whenabouts.model.duration import duration
from whenabouts.model.relation import IntervalQuery
from whenabouts.model.stats import Stats
from whenabouts.schema import field_of, plain_type, widest

if TYPE_CHECKING:
    from whenabouts.ops.intervals.question import IntervalQuestion


def interval_query(
    left: Segments,
    right: Segments,
    query: str | IntervalQuery,
    *,
    pairs: Any = None,
    min_confidence: float | None = None,
    confidence: bool = True,
    method: Literal["lattice", "simpmatch", "sase", "ignore", "static"] = "lattice",
    delta: DurationLike | None = None,
    step: DurationLike | None = None,
    max_nodes: int | None = None,
    emit: Literal["final", "updates"] = "final",
    timeout: DurationLike | None = None,
    keep: DurationLike | None = None,
    stats: Stats | None = None,
    threads: int | None = None,
) -> Any:
    """For which pairs of segmented intervals does a query hold, though events were lost, and how surely?

    Parameters
    ----------
    left, right : Segments
        Both Spark DataFrames, or both frames of this process. In the query `a` is the left side, `b` the right.
    query : str
        `"AT LEAST 2 a INTERSECTS SOME b"`, `"EVERY b DURING SOME a"`: the outer quantifier first (table 1).
    pairs : frame or "unordered", optional
        The pairs of keys to look at, in columns `left_key` and `right_key`; all of them where not given. A pair with
        a key that the data does not have gives no row. "unordered" takes the pairs whose left key is less than the
        right one.
    min_confidence : float, optional
        Give only pairs that hold with at least this probability; a walk ends early where it surely does not.
    confidence : bool
        Whether the confidence is wanted. Without it a walk also ends where the threshold is surely reached.
    method : str
        "lattice" is exact and polynomial. "simpmatch" is the paper's tree of worlds, "sase" the same with times on a
        grid (appendix A), "ignore" and "static" are the baselines of section 4.2.
    delta, step : duration
        The grid of "sase": points `step` apart, within `delta` of where a lost event is expected. Where not given, the
        step is 1 for plain numbers and a second for timestamps, and delta is 30 of them.
    max_nodes : int, optional
        Give up, with an error, on a tree of more nodes.
    emit : {"final", "updates"}
        Of streams: give each pair once, when both of its keys are closed; or also at every change before, with a column
        `final` that tells the two apart.
    timeout : duration, optional
        Of streams: close a key of which nothing has come for so long; what has not come by then counts as lost.
    keep : duration, optional
        Of streams: how long a closed key waits for keys to be paired with; always where not given.
    stats : Stats, optional
        Filled when the frame is computed.
    threads : int, optional
        Of this process; all cores where not given. Spark has its own.

    Returns
    -------
    frame of the kind that went in
        left_key, right_key, confidence.
    """
    question = plan_query(left, right, query, pairs, min_confidence, confidence, method, delta, step, max_nodes)
    if stats is not None:
        stats.clear()
    given = None if pairs is None or isinstance(pairs, str) else pairs
    if left.streaming:
        return _stream(question, left, right, given, emit, timeout, keep)
    if emit != "final" or timeout is not None or keep is not None:
        raise BadArgument("emit, timeout and keep are for streams; a batch has all of its events.")
    if left.engine == "spark":
        from whenabouts.spark.interval_query import spark_query

        return spark_query(question, left.data, right.data, given, stats)
    from whenabouts.ops.intervals.evaluate import execute
    from whenabouts.ops.intervals.prepare import prepare

    assert left.table is not None
    assert right.table is not None
    workers = workers_of(threads)
    prepared = prepare(question, left.table, right.table, workers)
    schema = question.output_schema(left.schema, right.schema)
    wanted = None if given is None else as_table(given)
    result = pa.Table.from_batches(list(execute(prepared, schema, wanted, workers)), schema)
    if stats is not None:
        stats.strategy, stats.slices = method, 1
        stats.add(prepared.counts)
    return like(left.data, result.combine_chunks())


def _stream(
    question: IntervalQuestion, left: Segments, right: Segments, pairs: Any, emit: str, timeout: DurationLike | None,
    keep: DurationLike | None,
) -> Any:  # fmt: skip
    from whenabouts.spark.streaming.intervals import IntervalStream, groups_of, stream_query
    from whenabouts.state.intervals.machine import Waiting
    from whenabouts.state.watermark import Patience

    if emit not in ("final", "updates"):
        raise BadArgument(f'emit={emit!r}: choose "final" or "updates".')
    patience, widths = [], []
    for side, name in ((left, "left"), (right, "right")):
        if side.contract.role is None and side.contract.expected is None:
            raise BadArgument(
                f"The {name} stream does not tell a key's last event. Say role= or expected= in wa.segments."
            )
        if side.max_delay is None:
            raise BadArgument(f"How late can events of the {name} stream be? Say max_delay= in wa.segments.")
        idle = math.inf if side.idle_after is None else question.clock.ticks(side.idle_after, "idle_after")
        patience.append(Patience(question.clock.ticks(side.max_delay, "max_delay"), idle))
        widths.append(_width(side, name, question.clock))
    waits = [
        math.inf if value is None else question.clock.ticks(duration(value, role), role)
        for value, role in ((timeout, "timeout"), (keep, "keep"))
    ]
    if min(waits) < 0:
        raise BadArgument("timeout and keep must not be negative.")
    if question.unordered:
        raise BadArgument('pairs="unordered" is for a batch. Give the pairs of a stream as a frame.')
    table = None if pairs is None else as_table(pairs)
    stream = IntervalStream(
        question,
        (patience[0], patience[1]),
        Waiting(waits[0], waits[1], (widths[0], widths[1])),
        emit == "updates",
        groups_of(left.data),
        table,
    )
    return stream_query(stream, left.data, right.data, (str(left.max_width), str(right.max_width)))


def _width(side: Segments, name: str, clock: Clock) -> float:
    """The widest time of a side in ticks: what its model says or what was declared, whichever is less."""
    known = widest(side.contract.time, clock)
    declared = math.inf if side.max_width is None else clock.ticks(side.max_width, "max_width")
    width = declared if known is None else min(known, declared)
    if width == math.inf:
        raise BadArgument(
            f"The times of the {name} stream may be of any width. Say how wide at most: max_width= in wa.segments."
        )
    return width


def plan_query(
    left: Segments, right: Segments, query: str | IntervalQuery, pairs: Any, min_confidence: float | None,
    confidence: bool, method: str, delta: DurationLike | None, step: DurationLike | None, max_nodes: int | None,
) -> IntervalQuestion:  # fmt: skip
    """Check the arguments against each other and the schemas; nothing is read."""
    from whenabouts.ops.intervals.question import METHODS, IntervalQuestion, SegmentSide
    from whenabouts.query import parse_interval_query

    for side, role in ((left, "left"), (right, "right")):
        if not isinstance(side, Segments):
            raise WrongType(f"{role} must be made by wa.segments(...), not a bare {type(side).__name__}.")
    if left.engine != right.engine or left.streaming != right.streaming:
        raise MixedEngines("Both sides must be Spark DataFrames, or both streams, or both frames of this process.")
    if min_confidence is not None:
        check_confidence(min_confidence)
    elif not confidence:
        raise BadArgument("Without a confidence the result needs min_confidence: else it is all pairs.")
    if method not in METHODS:
        raise BadArgument(f"method={method!r} is not one of {', '.join(METHODS)}.{nearest(method, METHODS)}")
    if max_nodes is not None and max_nodes < 1:
        raise BadArgument(f"max_nodes must be at least 1, not {max_nodes}.")
    clock = left.clock.meet(right.clock)
    reach, grain = _grid(delta, step, clock) if method == "sase" else (0, 1.0)
    _check_pairs(left, right, pairs)
    return IntervalQuestion(
        SegmentSide("left", left.contract, left.bad_rows == "quarantine"),
        SegmentSide("right", right.contract, right.bad_rows == "quarantine"),
        clock, query if isinstance(query, IntervalQuery) else parse_interval_query(query),
        None if min_confidence is None else float(min_confidence), confidence, method, isinstance(pairs, str),
        max_nodes or 2**62, reach, grain,
    )  # fmt: skip


def _grid(delta: DurationLike | None, step: DurationLike | None, clock: Clock) -> tuple[int, float]:
    """Points on each side of the expected time, and how far apart they are."""
    plain = clock.kind == "number"
    grain = clock.ticks(duration((1 if plain else "1s") if step is None else step, "step"), "step")
    width = clock.ticks(duration((30 if plain else "30s") if delta is None else delta, "delta"), "delta")
    if not (grain > 0 and width >= grain):
        raise BadArgument("delta and step must be positive, and delta at least one step.")
    return round(width / grain), grain


def _check_pairs(left: Segments, right: Segments, pairs: Any) -> None:
    if pairs is None:
        return
    kinds = [side.schema.field(side.contract.key).type for side in (left, right)]
    if isinstance(pairs, str):
        if pairs != "unordered":
            raise BadArgument(f'pairs={pairs!r}: give a frame with left_key and right_key, or "unordered".')
        if plain_type(kinds[0]) != plain_type(kinds[1]):
            raise WrongType(f'pairs="unordered" compares keys, but these are {kinds[0]} and {kinds[1]}.')
        return
    if left.streaming and is_spark(pairs):
        raise MixedEngines("The pairs of a stream are sent along with the query: bring them here with .toArrow().")
    if is_spark(pairs) != (left.engine == "spark") and not left.streaming:
        raise MixedEngines("pairs must live where the segments do: all in Spark, or all in this process.")
    if is_spark(pairs):
        from whenabouts.spark.door import arrow_schema

        schema = arrow_schema(pairs)
    else:
        schema = as_table(pairs).schema
    for name, kind in zip(("left_key", "right_key"), kinds, strict=True):
        own = field_of(schema, name, "pairs").type
        if plain_type(own) != plain_type(kind):
            raise WrongType(f"pairs: {name!r} is {own}, but the key of the segments is {kind}.")
