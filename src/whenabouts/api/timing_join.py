"""`timing_join`: which pairs satisfy a timing predicate, and how surely."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whenabouts.api.events import Events
from whenabouts.api.frames import like
from whenabouts.api.intake import DurationLike, check_count, workers_of
from whenabouts.errors import BadArgument, MixedEngines, WrongType, nearest
from whenabouts.model.duration import Duration, duration
from whenabouts.model.predicate import Timing
from whenabouts.model.stats import Stats
from whenabouts.schema import check_comparable, field_of, plain_type

if TYPE_CHECKING:
    from whenabouts.ops.timing.question import TimingJoin
    from whenabouts.state.watermark import Patience

By = str | Sequence[str] | Mapping[str, str] | None


def timing_join(
    left: Events,
    right: Events,
    predicate: Timing,
    *,
    min_confidence: float,
    by: By = None,
    confidence: bool = True,
    left_columns: Sequence[str] = (),
    right_columns: Sequence[str] = (),
    strategy: str = "auto",
    block_size: int = 1000,
    every: DurationLike | None = None,
    stats: Stats | None = None,
    threads: int | None = None,
    side_output: bool = False,
) -> Any:
    """Which pairs satisfy a timing predicate with at least some probability?

    A pair (x, y) is in the result when P(predicate) >= min_confidence, the times being independent.

    Parameters
    ----------
    left, right : Events
        Both Spark DataFrames, or both frames of this process. Of Spark's, either or both may be streams.
    predicate : Timing
        `within(d)`, `deadline(d)` or `delay(d)`.
    min_confidence : float
        The threshold, in (0, 1]. A probability that equals it counts.
    by : str, sequence of str, or mapping of left to right column, optional
        Equality keys; a null key joins nothing.
    confidence : bool
        Whether the confidence is wanted. Without it, ranges that surely satisfy need no arithmetic at all.
    left_columns, right_columns : sequence of str
        Columns to carry into the result, as `left_<name>` and `right_<name>`.
    strategy : str
        "auto", or one of the papers' algorithms: "simple", "sorted", "eager", "lazy", "lookup", "partition".
        All give the same pairs.
    block_size, every : int, duration
        When a lazy block is worth a sweep: so many waiting events of a side, or so long a wait.
    stats : Stats, optional
        Filled when the frame is computed.
    threads : int, optional
        Of this process; all cores where not given. Spark has its own.
    side_output : bool
        Of streams: whether rows that are late, too wide or malformed come out too, beside the pairs, with their
        `disposition`, `reason` and all their columns. They are counted in the query's progress in any case.

    Returns
    -------
    frame of the kind that went in
        left_id, right_id, confidence, and what was carried.
    """
    from whenabouts.ops.timing.join import execute
    from whenabouts.ops.timing.prepare import prepare

    join = plan_join(
        left, right, predicate, min_confidence, by, confidence, left_columns, right_columns, strategy, block_size, every
    )
    if left.streaming or right.streaming:
        return _stream_join(join, left, right, stats, side_output)
    if side_output:
        raise BadArgument("side_output is for streams; of a batch, events.rejected has the rows that were set aside.")
    workers = workers_of(threads)
    if stats is not None:
        stats.clear()
    if left.engine == "spark":
        from whenabouts.spark.timing_join import spark_join

        return spark_join(join, left.data, right.data, stats)
    assert left.table is not None
    assert right.table is not None
    prepared = prepare(join, left.table, right.table, threads=workers)
    batches = list(execute(prepared, threads=workers))
    result = pa.Table.from_batches(batches, join.output_schema(left.schema, right.schema))
    if stats is not None:
        stats.strategy, stats.slices = strategy, 1
        stats.add(prepared.counts)
    return like(left.data, result)


def plan_join(
    left: Events,
    right: Events,
    predicate: Timing,
    min_confidence: float,
    by: By,
    confidence: bool,
    left_columns: Sequence[str],
    right_columns: Sequence[str],
    strategy: str,
    block_size: int,
    every: DurationLike | None,
) -> TimingJoin:
    """Check the arguments against each other and the schemas; nothing is read."""
    from whenabouts.ops.timing.question import STRATEGIES, Side, TimingJoin

    for side, role in ((left, "left"), (right, "right")):
        if not isinstance(side, Events):
            raise WrongType(f"{role} must be made by wa.events(...), not a bare {type(side).__name__}.")
    if not isinstance(predicate, Timing):
        raise WrongType(f"The predicate must be wa.within(d), wa.deadline(d) or wa.delay(d), not {predicate!r}.")
    if left.engine != right.engine:
        raise MixedEngines("One side is a Spark DataFrame and the other is not. Bring both to the same engine.")
    check_confidence(min_confidence)
    if strategy not in STRATEGIES:
        raise BadArgument(
            f"strategy={strategy!r} is not one of {', '.join(STRATEGIES)}.{nearest(strategy, STRATEGIES)}"
        )
    check_count(block_size, "block_size")
    clock = left.clock.meet(right.clock)
    low, high = predicate.band(clock)
    keys = _keys(by)
    for one, other in keys:
        kinds = (
            field_of(left.schema, one, "the left events").type,
            field_of(right.schema, other, "the right events").type,
        )
        check_comparable(kinds[0], f"by: {one!r}")
        if plain_type(kinds[0]) != plain_type(kinds[1]):
            raise WrongType(f"by: {one!r} is {kinds[0]} and {other!r} is {kinds[1]}; equal keys need one type.")
    for side, role, names in ((left, "left", left_columns), (right, "right", right_columns)):
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise WrongType(f"left_columns and right_columns are lists of names, not {names!r}.")
        taken = {"id"}
        for name in names:
            field_of(side.schema, name, "the events")
            if name in taken:
                raise BadArgument(
                    f"{role}_columns: the result already has a column {role}_{name}. Rename {name!r} first."
                )
            taken.add(name)
    wait = math.inf if every is None else clock.ticks(duration(every, "every"), "every")
    if wait < 0:
        raise BadArgument(f"every must not be negative, but is {every!r}.")
    delays = [0.0 if d is None else clock.ticks(d, "max_delay") for d in (left.max_delay, right.max_delay)]
    return TimingJoin(
        Side("left", left.contract, left.bad_rows == "quarantine", left.clock, tuple(left_columns)),
        Side("right", right.contract, right.bad_rows == "quarantine", right.clock, tuple(right_columns)),
        clock, low, high, float(min_confidence), confidence, keys, strategy, block_size, wait,
        (delays[0], delays[1]),
    )  # fmt: skip


def _stream_join(join: TimingJoin, left: Events, right: Events, stats: Stats | None, side_output: bool) -> Any:
    """Hand over to Spark's streams, with what was declared of either side in ticks."""
    from whenabouts.spark.streaming.timing import static_join, stream_join

    if stats is not None:
        raise BadArgument(
            "stats= is for batches. What a stream does is in its query's progress: "
            'query.lastProgress.observedMetrics["whenabouts"], or wa.watch(query).'
        )
    texts = str(left.max_width), str(right.max_width)
    if left.streaming and right.streaming:
        _warn_of_endless_state(join)
        patience, widths = declarations(join, left, right)
        return stream_join(
            join, left.data, right.data, patience=patience, widths=widths, width_texts=texts, side_output=side_output
        )
    sides = (left, right)
    reach = [_width(side, join) if side.streaming else math.inf for side in sides]
    return static_join(
        join, left.data, right.data, streaming=0 if left.streaming else 1, widths=(reach[0], reach[1]),
        width_texts=texts, side_output=side_output,
    )  # fmt: skip


def declarations(
    join: TimingJoin, left: Events, right: Events
) -> tuple[tuple[Patience, Patience], tuple[float, float]]:
    """How long either stream is waited for and how wide its times are, in ticks; raises for what is not declared."""
    from whenabouts.state.watermark import Patience

    patience, widths = [], []
    for side, role in ((left, "left"), (right, "right")):
        idle = math.inf if side.idle_after is None else join.clock.ticks(side.idle_after, "idle_after")
        patience.append(Patience(_declared(side.max_delay, "max_delay", role, join), idle))
        widths.append(_declared_width(side, role, join))
    return (patience[0], patience[1]), (widths[0], widths[1])


def _warn_of_endless_state(join: TimingJoin) -> None:
    """A predicate without an end on one side keeps the other side's events for ever."""
    endless = "right" if join.low == -math.inf else "left" if join.high == math.inf else None
    if endless is not None:
        warnings.warn(
            f"This predicate has no end: a {endless} event can find partners for ever, so its state grows "
            "for ever. wa.within(d) is bounded.",
            stacklevel=4,
        )


def _declared(limit: Duration | None, role: str, side: str, join: TimingJoin) -> float:
    if limit is None:
        raise BadArgument(
            f"The {side} events are a stream: say how late they may come, wa.events(..., {role}=...). "
            "Without it nothing could ever be forgotten."
        )
    return join.clock.ticks(limit, role)


def _declared_width(side: Events, role: str, join: TimingJoin) -> float:
    """The widest time of a side, which must be known."""
    width = _width(side, join)
    if width == math.inf:
        raise BadArgument(
            f"The {role} events are a stream, and their times may be of any width: say how wide at most, "
            "wa.events(..., max_width=...)."
        )
    return width


def _width(side: Events, join: TimingJoin) -> float:
    """The widest time of a side: what its model says or what was declared, whichever is less."""
    from whenabouts.schema import widest

    known = widest(side.contract.time, join.clock)
    declared = math.inf if side.max_width is None else join.clock.ticks(side.max_width, "max_width")
    return declared if known is None else min(known, declared)


def check_confidence(value: Any, role: str = "min_confidence") -> None:
    """A threshold is a probability above zero."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= 1.0:
        raise BadArgument(f"{role} must be in (0, 1], not {value!r}.")


def _keys(by: By) -> tuple[tuple[str, str], ...]:
    if by is None:
        return ()
    if isinstance(by, str):
        return ((by, by),)
    if isinstance(by, Mapping):
        return tuple(by.items())
    if not isinstance(by, Iterable):
        raise WrongType(f"by= takes a column, several, or a mapping of left to right columns, not {by!r}.")
    return tuple((name, name) for name in by)
