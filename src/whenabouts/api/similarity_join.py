"""`similarity_join`: which uncertain objects of sliding windows are close, and how surely."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from whenabouts.api.frames import like
from whenabouts.api.intake import DurationLike, workers_of
from whenabouts.api.objects import Objects
from whenabouts.api.timing_join import check_confidence
from whenabouts.errors import BadArgument, MixedEngines, WrongType, nearest
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration, duration
from whenabouts.model.stats import Stats
from whenabouts.schema import clock_of, plain_type

if TYPE_CHECKING:
    from whenabouts.ops.similarity.question import SimilarityJoin

_NAMES = ("left", "right")


def similarity_join(
    left: Objects,
    right: Objects | None = None,
    *more: Objects,
    distance: float,
    min_confidence: float,
    window: DurationLike | None,
    within: DurationLike | None = None,
    metric: Literal["euclidean", "manhattan", "chebyshev"] = "euclidean",
    method: Literal["auto", "grid", "wop"] = "auto",
    batch: int = 1,
    confidence: bool = True,
    changes: bool = False,
    stats: Stats | None = None,
    threads: int | None = None,
    side_output: bool = False,
) -> Any:
    """Which uncertain objects are close, both being in their windows at some moment, and how surely?

    A pair (x, y) is in the result when P(dist(x, y) <= distance) >= min_confidence (definition 3.1 and equation 2 of
    paper 003) and there is a moment at which both are in the windows of their streams. An object at place p is in a
    window of length w from p until just before p + w.

    Parameters
    ----------
    left, right, more : Objects
        One stream is joined with itself, two with each other, and of more than two all pairs of streams.
    distance : float
        eps: how near two objects must be; zero or more. A distance that equals it counts.
    min_confidence : float
        alpha, the threshold, in (0, 1]. A probability that equals it counts.
    window : int, duration or None
        How many places of the sequence, or how long a time, an object stays; None for ever.
    within : duration, optional
        Also ask that the objects' times are at most so far apart: the confidence is then P(close in space and within
        d in time), the two being independent. Times may be uncertain.
    metric : {"euclidean", "manhattan", "chebyshev"}
        The distance between samples.
    method : {"auto", "grid", "wop"}
        "grid" and "wop" are the paper's, for comparison. All give the same pairs.
    batch : int
        For "grid": how many objects of a stream arrive together (section 6).
    confidence : bool
        Whether the confidence is wanted. Without it a pair is settled as soon as the mass so far decides.
    changes : bool
        Whether to give the answer as a changelog, a row when a pair enters and one when it expires.
    stats : Stats, optional
        Filled when the frame is computed.
    threads : int, optional
        Of this process; all cores where not given. Spark has its own.
    side_output : bool
        Of streams: whether rows that are late, too wide or malformed come out too, beside the pairs.

    Returns
    -------
    frame of the kind that went in
        left_id, right_id, confidence, enters, expires: the standing answer at t are the rows with enters <= t <
        expires. With more than two streams also left_stream and right_stream, their numbers from 0. As a changelog:
        change ("enters" or "expires"), at, and the pair.
    """
    sides = [left, *([] if right is None else [right]), *more]
    join = plan_similarity_join(
        sides, distance, min_confidence, window, within, metric, method, batch, confidence, changes
    )
    if any(side.streaming for side in sides):
        return _stream_join(join, sides, stats, side_output)
    if side_output:
        raise BadArgument("side_output is for streams; of a batch, objects.rejected has the rows that were set aside.")
    if stats is not None:
        stats.clear()
    if left.engine == "spark":
        from whenabouts.spark.similarity_join import spark_similarity_join

        return spark_similarity_join(join, [side.data for side in sides], stats)
    from whenabouts.ops.similarity.join import execute
    from whenabouts.ops.similarity.prepare import prepare

    workers = workers_of(threads)
    prepared = prepare(join, [_table(side) for side in sides], threads=workers)
    result = pa.Table.from_batches(list(execute(prepared, threads=workers)), prepared.schema)
    if stats is not None:
        stats.strategy, stats.slices = method, 1
        stats.add(prepared.counts)
    return like(left.data, result)


def _table(side: Objects) -> pa.Table:
    assert side.table is not None
    return side.table


def plan_similarity_join(
    sides: list[Objects],
    distance: float,
    min_confidence: float,
    window: DurationLike | None,
    within: DurationLike | None,
    metric: str,
    method: str,
    batch: int,
    confidence: bool,
    changes: bool,
) -> SimilarityJoin:
    """Check the arguments against each other and the schemas; nothing is read."""
    from whenabouts.kernels.similarity.distance import METRICS
    from whenabouts.ops.similarity.question import METHODS, SimilarityJoin, Stream

    for side in sides:
        if not isinstance(side, Objects):
            raise WrongType(f"Streams must be made by wa.objects(...), not a bare {type(side).__name__}.")
    if len({side.engine for side in sides}) > 1:
        raise MixedEngines("Some streams are Spark DataFrames and others are not. Bring all to the same engine.")
    if len({side.streaming for side in sides}) > 1:
        raise MixedEngines(
            "Some DataFrames are streaming and others are not: a table has no windows that slide along with a stream. "
            "Read all with spark.readStream, or none."
        )
    check_confidence(min_confidence)
    for value, name, known in ((metric, "metric", tuple(METRICS)), (method, "method", METHODS)):
        if value not in known:
            raise BadArgument(f"{name}={value!r} is not one of {', '.join(known)}.{nearest(str(value), known)}")
    reach: Any = distance.item() if hasattr(distance, "item") else distance
    if isinstance(reach, bool) or not isinstance(reach, int | float) or not 0.0 <= reach < math.inf:
        raise BadArgument(f"distance must be a finite number of zero or more, not {distance!r}.")
    if type(batch) is not int or batch < 1:
        raise BadArgument(f"batch must be a whole number of at least 1, not {batch!r}.")
    _check_keys(sides)
    by_seq, clock, length = _window(sides, window)
    time_clock, apart = _within(sides, within)
    names = _NAMES if len(sides) <= 2 else [f"stream {number}" for number in range(len(sides))]
    streams = tuple(
        Stream(name, side.contract, side.bad_rows == "quarantine") for name, side in zip(names, sides, strict=False)
    )
    return SimilarityJoin(
        streams, float(reach), METRICS[metric], float(min_confidence), by_seq, clock, length, apart, time_clock,
        confidence, method, batch, changes,
    )  # fmt: skip


def _check_keys(sides: list[Objects]) -> None:
    counts = {len(side.contract.by) for side in sides}
    if len(counts) > 1:
        raise BadArgument("by: all streams need equally many keys, or none.")
    for place in range(counts.pop()):
        kinds = [plain_type(side.schema.field(side.contract.by[place]).type) for side in sides]
        if len(set(kinds)) > 1:
            raise WrongType(f"by: equal keys need one type, but these are {', '.join(map(str, kinds))}.")
    if len(sides) > 2:
        ids = [plain_type(side.schema.field(side.contract.id).type) for side in sides]
        if len(set(ids)) > 1:
            raise WrongType(f"With several streams ids need one type, but these are {', '.join(map(str, ids))}.")


def _window(sides: list[Objects], window: DurationLike | None) -> tuple[bool, Clock, float]:
    """Over what windows slide, on which clock, and how long they are in its ticks."""
    length = None if window is None else duration(window, "window")
    counted = all(side.contract.seq is not None for side in sides)
    timed = all(side.contract.time is not None for side in sides)
    by_seq = counted and (length is None or length.plain or not timed)
    if not by_seq and not timed:
        raise BadArgument(
            "Windows slide over the sequence or over time: give every stream a seq=, or every stream a time=."
        )
    clock = _clock(sides, 0 if by_seq else -1)
    if length is None:
        return by_seq, clock, math.inf
    if not by_seq and isinstance(window, dt.timedelta | str) and clock.kind == "number":
        raise BadArgument(f"window={window!r} is a time, but the places are plain numbers. Write it as a number.")
    ticks = clock.ticks(length, "window")
    if ticks <= 0:
        raise BadArgument(f"window must be longer than nothing, not {window!r}.")
    return by_seq, clock, ticks


def _clock(sides: list[Objects], which: int) -> Clock:
    """The finest clock of the streams' places in the sequence (0) or in time (-1)."""
    clocks = [clock_of(side.schema, side.contract.models[which], "the objects") for side in sides]
    clock = clocks[0]
    for other in clocks[1:]:
        clock = clock.meet(other)
    return clock


def _within(sides: list[Objects], within: DurationLike | None) -> tuple[Clock | None, float]:
    if within is None:
        return None, math.inf
    if any(side.contract.time is None for side in sides):
        raise BadArgument("within= asks for times that are near each other: give every stream a time=.")
    clock = _clock(sides, -1)
    ticks = clock.ticks(duration(within, "within"), "within")
    if ticks < 0:
        raise BadArgument(f"within={within!r} can hold for no pair: give a length of zero or more.")
    return clock, ticks


def _stream_join(join: SimilarityJoin, sides: list[Objects], stats: Stats | None, side_output: bool) -> Any:
    """Hand over to Spark's streams, with what was declared of every stream in ticks."""
    from whenabouts.spark.similarity_door import nested
    from whenabouts.spark.streaming.similarity import stream_similarity_join
    from whenabouts.state.watermark import Patience

    if stats is not None:
        raise BadArgument(
            "stats= is for batches. What a stream does is in its query's progress: "
            'query.lastProgress.observedMetrics["whenabouts"], or wa.watch(query).'
        )
    if math.isinf(join.window):
        raise BadArgument("A stream needs window=: without it nothing could ever be forgotten.")
    patience, streams = [], []
    for side, stream in zip(sides, join.streams, strict=True):
        streams.append(replace(stream, contract=nested(stream.contract, side.data)))
        if side.max_delay is None:
            raise BadArgument(
                f"The {stream.name} objects are a stream: say how late they may come, wa.objects(..., max_delay=...). "
                "Without it nothing could ever be forgotten."
            )
        if streams[-1].contract.gathered.dimension is None:
            raise BadArgument(
                f"The {stream.name} objects are a stream: say how many coordinates a point has, "
                "wa.objects(..., dimensions=...), since no batch may decide it for the others."
            )
        patience.append(Patience(_ticks(join, side.max_delay), _ticks(join, side.idle_after)))
    join = replace(join, streams=tuple(streams))
    return stream_similarity_join(
        join, [side.data for side in sides], patience=tuple(patience), side_output=side_output
    )


def _ticks(join: SimilarityJoin, limit: Duration | None) -> float:
    return math.inf if limit is None else join.clock.ticks(limit, "max_delay and idle_after")
