"""The public verbs: read the arguments, look at the kind of data, hand over to ops or spark."""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from whenabouts.errors import BadArgument, MixedEngines, WrongType, nearest
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration, duration
from whenabouts.model.histogram import Histogram
from whenabouts.model.predicate import Timing
from whenabouts.model.stats import Stats
from whenabouts.model.times import TimeModel
from whenabouts.schema import Contract, clock_of, field_of

DurationLike = str | dt.timedelta | int | float | Duration
By = str | Sequence[str] | Mapping[str, str] | None


@dataclass(frozen=True)
class Events:
    """Events with uncertain times: data, and what its columns mean. Made by `events`."""

    data: Any
    contract: Contract
    schema: pa.Schema
    clock: Clock
    type: str | None = None
    max_delay: Duration | None = None
    max_width: Duration | None = None
    bad_rows: Literal["raise", "quarantine"] = "raise"
    engine: Literal["arrow", "spark"] = "arrow"
    streaming: bool = False
    table: pa.Table | None = field(default=None, repr=False)

    @property
    def rejected(self) -> Any:
        """The rows that break the contract, with a `reason` each, as a frame of the kind that went in."""
        if self.engine == "spark":
            from whenabouts.spark.door import rejected_rows

            return rejected_rows(self.data, self.contract, self.clock)
        from whenabouts.ops.door import rejected_rows as rejected_table

        assert self.table is not None
        return _like(self.data, rejected_table(self.table, self.contract, self.clock))


def events(
    data: Any,
    *,
    id: str,
    time: TimeModel,
    type: str | None = None,
    max_delay: DurationLike | None = None,
    max_width: DurationLike | None = None,
    bad_rows: Literal["raise", "quarantine"] = "raise",
    unique_ids: bool = False,
) -> Events:
    """Say what the columns of some data mean.

    Parameters
    ----------
    data : Spark DataFrame, or anything that speaks the Arrow C stream interface
        pyarrow, Polars and pandas frames are worked on in this process, without a JVM.
    id : str
        The column that identifies an event in results.
    time : model of time
        `at`, `between`, `around`, `rounded`, `detected`, `histogram` or `pmf`.
    type : str, optional
        The column with the event's type.
    max_delay : duration, optional
        D, the longest transmission delay (paper 000, definition 6).
    max_width : duration, optional
        pi, the widest timestamp (definition 5); a batch is measured and needs none.
    bad_rows : {"raise", "quarantine"}
        Whether a row that breaks the contract is an error, or is set aside in `rejected`.
    unique_ids : bool
        Also look for ids that occur twice.
    """
    if bad_rows not in ("raise", "quarantine"):
        raise BadArgument(f'bad_rows={bad_rows!r}: choose "raise" or "quarantine".')
    if not isinstance(time, TimeModel):
        raise WrongType(f'time={time!r} is not a model of time. For exact times use wa.at("t"), for ranges wa.between.')
    contract = Contract(id, time, unique_ids)
    engine: Literal["arrow", "spark"] = "arrow"
    table, streaming = None, False
    if _is_spark(data):
        from whenabouts.spark.door import arrow_schema

        engine, streaming, schema = "spark", bool(data.isStreaming), arrow_schema(data)
    else:
        table = _as_table(data)
        schema = table.schema
    field_of(schema, id, "events")
    if type is not None:
        field_of(schema, type, "events")
    clock = clock_of(schema, time)
    limits = [
        None if value is None else duration(value, role)
        for value, role in ((max_delay, "max_delay"), (max_width, "max_width"))
    ]
    for limit, role in zip(limits, ("max_delay", "max_width"), strict=True):
        if limit is not None and clock.ticks(limit, role) < 0:
            raise BadArgument(f"{role} must not be negative, but is {limit}.")
    return Events(data, contract, schema, clock, type, limits[0], limits[1], bad_rows, engine, streaming, table)


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
) -> Any:
    """Which pairs satisfy a timing predicate with at least some probability?

    A pair (x, y) is in the result when P(predicate) >= min_confidence, the times being independent.

    Parameters
    ----------
    left, right : Events
        Both Spark DataFrames, or both frames of this process.
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

    Returns
    -------
    frame of the kind that went in
        left_id, right_id, confidence, and what was carried.
    """
    from whenabouts.ops.timing_join import execute, prepare

    join = _plan_join(
        left, right, predicate, min_confidence, by, confidence, left_columns, right_columns, strategy, block_size, every
    )
    if stats is not None:
        stats.clear()
    if left.engine == "spark":
        from whenabouts.spark.timing_join import spark_join

        return spark_join(join, left.data, right.data, stats)
    assert left.table is not None
    assert right.table is not None
    workers = threads or os.cpu_count() or 1
    prepared = prepare(join, left.table, right.table, threads=workers)
    batches = list(execute(prepared, threads=workers))
    result = pa.Table.from_batches(batches, join.output_schema(left.schema, right.schema))
    if stats is not None:
        stats.strategy, stats.slices = strategy, 1
        stats.add(prepared.counts)
    return _like(left.data, result)


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


def explain(verb: Any, left: Events, right: Events, predicate: Timing, **options: Any) -> Explanation:
    """The plan of an operator, before anything runs: `wa.explain(wa.timing_join, left, right, predicate, ...)`.

    Takes the operator and the arguments that it would get. On Spark the sizes of the data are looked at, as
    they are for the operator itself, and nothing else is read.
    """
    from whenabouts.ops.explain import describe_join

    if verb is not timing_join:
        raise BadArgument(f"wa.explain knows wa.timing_join, not {getattr(verb, '__name__', verb)!r}.")
    options = {name: value for name, value in options.items() if name not in ("stats", "threads")}
    join = _plan_join(left, right, predicate, **{**_JOIN_DEFAULTS, **_required(options)})
    if left.engine == "spark":
        from whenabouts.spark.explain import explain_join

        more, physical = explain_join(join, left.data, right.data)
        return Explanation((*describe_join(join, str(predicate), "Spark"), *more), physical)
    assert left.table is not None
    assert right.table is not None
    sizes = f"{len(left.table):,} x {len(right.table):,} rows in one slice"
    return Explanation((*describe_join(join, str(predicate), "this process"), ("slices", sizes)))


_JOIN_DEFAULTS: dict[str, Any] = {
    "by": None, "confidence": True, "left_columns": (), "right_columns": (), "strategy": "auto",
    "block_size": 1000, "every": None,
}  # fmt: skip


def _required(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a join, all of them known and the threshold among them."""
    known = [*_JOIN_DEFAULTS, "min_confidence"]
    for name in options:
        if name not in known:
            raise BadArgument(f"wa.timing_join has no option {name!r}.{nearest(name, known)}")
    if "min_confidence" not in options:
        raise BadArgument("wa.timing_join needs min_confidence=, a probability in (0, 1].")
    return options


def _plan_join(
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
) -> Any:
    """Check the arguments against each other and the schemas; nothing is read."""
    from whenabouts.ops.timing_join import STRATEGIES, Side, TimingJoin

    for side, role in ((left, "left"), (right, "right")):
        if not isinstance(side, Events):
            raise WrongType(f"{role} must be made by wa.events(...), not a bare {type(side).__name__}.")
    if not isinstance(predicate, Timing):
        raise WrongType(f"The predicate must be wa.within(d), wa.deadline(d) or wa.delay(d), not {predicate!r}.")
    if left.engine != right.engine:
        raise MixedEngines("One side is a Spark DataFrame and the other is not. Bring both to the same engine.")
    if left.streaming != right.streaming:
        raise MixedEngines("One side is a stream and the other a batch; both must be of one kind.")
    if left.streaming:
        raise MixedEngines("The timing join of streams is not available; read the data with spark.read as a batch.")
    check_confidence(min_confidence)
    if strategy not in STRATEGIES:
        raise BadArgument(
            f"strategy={strategy!r} is not one of {', '.join(STRATEGIES)}.{nearest(strategy, STRATEGIES)}"
        )
    if block_size < 1:
        raise BadArgument(f"block_size must be at least 1, not {block_size}.")
    clock = left.clock.meet(right.clock)
    low, high = predicate.band(clock)
    keys = _keys(by)
    for one, other in keys:
        kinds = (
            field_of(left.schema, one, "the left events").type,
            field_of(right.schema, other, "the right events").type,
        )
        if kinds[0] != kinds[1] and not all(pa.types.is_string(k) or pa.types.is_large_string(k) for k in kinds):
            raise WrongType(f"by: {one!r} is {kinds[0]} and {other!r} is {kinds[1]}; equal keys need one type.")
    for side, names in ((left, left_columns), (right, right_columns)):
        if isinstance(names, str):
            raise WrongType(f"left_columns and right_columns are lists of names, not the text {names!r}.")
        for name in names:
            field_of(side.schema, name, "the events")
    wait = math.inf if every is None else clock.ticks(duration(every, "every"), "every")
    delays = [0.0 if d is None else clock.ticks(d, "max_delay") for d in (left.max_delay, right.max_delay)]
    return TimingJoin(
        Side("left", left.contract, left.bad_rows == "quarantine", tuple(left_columns)),
        Side("right", right.contract, right.bad_rows == "quarantine", tuple(right_columns)),
        clock, low, high, float(min_confidence), confidence, keys, strategy, block_size, wait,
        (delays[0], delays[1]),
    )  # fmt: skip


def probability(x: Histogram, y: Histogram, predicate: Timing) -> float:
    """P(predicate) for two uncertain times given as histograms of plain numbers.

    >>> import whenabouts as wa
    >>> wa.probability(wa.Histogram([0, 10], [1]), wa.Histogram([10, 20], [1]), wa.within(10))
    0.5
    """
    from whenabouts.ops.single import pair_probability

    low, high = predicate.band(Clock("number", exact=False))
    return pair_probability(x, y, low, high)


def satisfaction_time(x: Histogram, y: Histogram, confidence: float) -> float:
    """Paper 000's stime: the T for which P(x + max(y) - T >= y) = confidence (definition 8).

    While y's latest time is at most T + d, `deadline(d)` holds with the confidence, and beyond it does not.

    >>> import whenabouts as wa
    >>> h2 = wa.Histogram([70, 80, 90, 100, 110], [0.15, 0.3, 0.4, 0.15])
    >>> h3 = wa.Histogram([170, 190, 200, 210], [0.1, 0.3, 0.6])
    >>> round(wa.satisfaction_time(h3, h2, 0.8), 2)
    208.59
    """
    from whenabouts.ops.single import pair_satisfaction_time

    check_confidence(confidence)
    return pair_satisfaction_time(x, y, confidence)


def check_confidence(value: Any) -> None:
    """A threshold is a probability above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= 1.0:
        raise BadArgument(f"min_confidence must be in (0, 1], not {value!r}.")


def _keys(by: By) -> tuple[tuple[str, str], ...]:
    if by is None:
        return ()
    if isinstance(by, str):
        return ((by, by),)
    if isinstance(by, Mapping):
        return tuple(by.items())
    return tuple((name, name) for name in by)


def _is_spark(data: Any) -> bool:
    """Whether this is a Spark DataFrame, classic or Connect, without importing pyspark."""
    return any(
        kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(data).__mro__
    )


def _as_table(data: Any) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        table = pa.table(data)
        keep = [name for name in table.column_names if not name.startswith("__index_level_")]
        return table.select(keep).replace_schema_metadata(None)
    raise WrongType(
        f"Events must be a Spark DataFrame or speak the Arrow C stream interface (pyarrow, Polars, pandas), "
        f"not {type(data).__name__}."
    )


def _like(given: Any, table: pa.Table) -> Any:
    """The result as a frame of the kind that went in."""
    home = type(given).__module__.split(".")[0]
    if home == "polars":
        import polars

        return polars.from_arrow(table)
    if home == "pandas":
        return table.to_pandas()
    return table
