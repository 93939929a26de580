"""`match`: which event sequences match a pattern, when, and how surely."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from whenabouts.api.events import Events
from whenabouts.api.frames import like
from whenabouts.api.intake import DurationLike
from whenabouts.errors import BadArgument, WrongType, nearest
from whenabouts.model.duration import duration
from whenabouts.model.pattern import Pattern
from whenabouts.model.stats import Stats

if TYPE_CHECKING:
    from whenabouts.ops.match.question import PatternMatch
    from whenabouts.state.watermark import Patience

Method = Literal["auto", "point", "query_order", "any_state", "sorted", "selectivity"]


def match(
    events: Events,
    query: str | Pattern,
    *,
    min_confidence: float = 0.0,
    top: int | None = None,
    tick: DurationLike | None = None,
    method: Method = "auto",
    stats: Stats | None = None,
    side_output: bool = False,
) -> Any:
    """Which event sequences match a pattern, when, and how surely?

    The confidence of a match is the probability, over all possible times of all events, that its events happen in the
    order of the pattern and within the window, and that no other event comes between where the query forbids it
    (paper 002, section 3).

    Parameters
    ----------
    events : Events
        Events with a type: `wa.events(..., type=)`; without types, write ANY for them in the query.
    query : str
        `PATTERN SEQ(Type a, Type b) WHERE ... WITHIN ... RETURN ...`.
    min_confidence : float
        The least confidence of a match, in [0, 1]; impossible matches are never returned.
    top : int, optional
        Only the so many surest matches.
    tick : duration, optional
        Count time in ticks, as paper 002 does: an event happens at one of finitely many moments, and two may
        happen at the same one, which is not in order. Without it time is continuous.
    method : str
        "auto", or one of the paper's: "point", "query_order", "any_state", "sorted", "selectivity". All give the same
        matches.
    stats : Stats, optional
        Filled when the frame is computed.
    side_output : bool
        Of a stream: whether rows that are late, too wide or malformed come out too, beside the matches, with their
        `disposition`, `reason` and all their columns. They are counted in the query's progress in any case.

    Returns
    -------
    frame of the kind that went in
        signature (the ids in pattern order), earliest, latest, confidence, and a struct a variable returned, or the
        value of an attribute.
    """
    question = plan(events, query, min_confidence=min_confidence, top=top, tick=tick, method=method)
    if events.streaming:
        return _stream_match(question, events, stats, side_output)
    if side_output:
        raise BadArgument("side_output is for streams; of a batch, events.rejected has the rows that were set aside.")
    if stats is not None:
        stats.clear()
    if events.engine == "spark":
        from whenabouts.spark.match import spark_match

        return spark_match(question, events.data, stats)
    from whenabouts.ops.match.execute import execute
    from whenabouts.ops.match.methods import choose_method
    from whenabouts.ops.match.prepare import prepare

    assert events.table is not None
    prepared = prepare(question, events.table)
    result = pa.Table.from_batches(list(execute(prepared)), question.output_schema(events.schema))
    if stats is not None:
        stats.strategy, stats.slices = choose_method(prepared, method)[0], 1
        stats.add(prepared.counts)
    return like(events.data, result)


def _stream_match(question: PatternMatch, events: Events, stats: Stats | None, side_output: bool) -> Any:
    """Hand over to Spark's streams, with what was declared of the events in ticks."""
    from whenabouts.spark.streaming.match import stream_match

    if stats is not None:
        raise BadArgument(
            "stats= is for batches. What a stream does is in its query's progress: "
            'query.lastProgress.observedMetrics["whenabouts"], or wa.watch(query).'
        )
    patience, width = declared(question, events)
    return stream_match(
        question, events.data, patience=patience, width=width, width_text=str(events.max_width), side_output=side_output
    )


def declared(question: PatternMatch, events: Events) -> tuple[Patience, float]:
    """How long a stream is waited for and how wide its times are, in ticks; raises for what a stream cannot do."""
    from whenabouts.schema import widest
    from whenabouts.state.watermark import Patience

    if math.isinf(question.window):
        raise BadArgument("The events are a stream: add WITHIN to the query, or nothing could ever be forgotten.")
    if question.top is not None:
        raise BadArgument("top= needs all matches, and a stream never ends. Use min_confidence= instead.")
    if events.max_delay is None:
        raise BadArgument(
            "The events are a stream: say how late they may come, wa.events(..., max_delay=...). "
            "Without it nothing could ever be forgotten."
        )
    width = widest(events.contract.time, events.clock)
    if events.max_width is not None:
        limit = events.clock.ticks(events.max_width, "max_width")
        width = limit if width is None else min(limit, width)
    if width is None:
        raise BadArgument(
            "The events are a stream, and their times may be of any width: say how wide at most, "
            "wa.events(..., max_width=...)."
        )
    idle = math.inf if events.idle_after is None else events.clock.ticks(events.idle_after, "idle_after")
    return Patience(events.clock.ticks(events.max_delay, "max_delay"), idle), width


def plan(
    events: Events,
    query: str | Pattern,
    *,
    min_confidence: float = 0.0,
    top: int | None = None,
    tick: DurationLike | None = None,
    method: str = "auto",
) -> PatternMatch:
    """Check the arguments against each other and the schema; nothing is read."""
    from whenabouts.ops.match.question import METHODS, plan_match
    from whenabouts.query import parse_pattern

    if not isinstance(events, Events):
        raise WrongType(f"The events must be made by wa.events(...), not a bare {type(events).__name__}.")
    if method not in METHODS:
        raise BadArgument(f"method={method!r} is not one of {', '.join(METHODS)}.{nearest(str(method), METHODS)}")
    least: Any = min_confidence.item() if hasattr(min_confidence, "item") else min_confidence
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0.0 <= least <= 1.0:
        raise BadArgument(f"min_confidence must be in [0, 1], not {min_confidence!r}.")
    if top is not None and (type(top) is not int or not 1 <= top < 2**31):
        raise BadArgument(f"top must be a whole number of 1 or more, below 2^31, not {top!r}.")
    grain = 0.0
    if tick is not None:
        grain = events.clock.ticks(duration(tick, "tick"), "tick")
        if grain <= 0:
            raise BadArgument(f"tick must be more than zero, not {tick!r}.")
    pattern = query if isinstance(query, Pattern) else parse_pattern(query)
    return plan_match(
        pattern, events.schema, events.contract, events.clock, events.type, grain=grain, min_confidence=float(least),
        top=top, method=method, quarantine=events.bad_rows == "quarantine",  # type: ignore[arg-type]
    )  # fmt: skip
