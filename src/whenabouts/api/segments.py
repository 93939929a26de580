"""`segments`: point events of segmented intervals, some of them lost."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from whenabouts.api.frames import like
from whenabouts.api.intake import BadRows, DurationLike, leave_room_for_reason, limits, take_in, what_of_bad_rows
from whenabouts.errors import BadArgument, MixedEngines, MixedUnits, WrongType
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration
from whenabouts.model.times import TimeModel, at, describe
from whenabouts.schema import SegmentContract, check_columns, clock_of

Bound = str | int | float | dt.datetime | None


@dataclass(frozen=True, repr=False)
class Segments:
    """Segmented intervals: data, and what its columns mean. Made by `segments`."""

    data: Any
    contract: SegmentContract
    schema: pa.Schema
    clock: Clock
    bad_rows: BadRows = "raise"
    engine: Literal["arrow", "spark"] = "arrow"
    streaming: bool = False
    max_delay: Duration | None = None
    max_width: Duration | None = None
    idle_after: Duration | None = None
    table: pa.Table | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        contract = self.contract
        return (
            f"Segments({type(self.data).__name__}, key={contract.key!r}, seq={contract.seq!r}, "
            f"time={describe(contract.time)!r})"
        )

    @property
    def rejected(self) -> Any:
        """The rows of keys that break the contract, with a `reason` each, as a frame of the kind that went in."""
        if self.streaming:
            raise MixedEngines("Rejected rows are told of a batch; a stream counts them in the query's progress.")
        leave_room_for_reason(self.schema)
        if self.engine == "spark":
            from whenabouts.spark.interval_query import rejected_rows

            return rejected_rows(self.data, self.contract, self.clock)
        from whenabouts.ops.intervals.prepare import rejected_rows as rejected_table

        assert self.table is not None
        return like(self.data, rejected_table(self.table, self.contract, self.clock))


def segments(
    data: Any,
    *,
    key: str,
    seq: str,
    time: str | TimeModel,
    role: str | None = None,
    expected: str | int | None = None,
    bounds: tuple[Bound, Bound] | None = None,
    first: int = 1,
    others: tuple[str, str] | None = None,
    max_delay: DurationLike | None = None,
    max_width: DurationLike | None = None,
    idle_after: DurationLike | None = None,
    bad_rows: BadRows | None = None,
) -> Segments:
    """Say what the columns of point events mean that start and end the segments of a key (paper 004, definition 1).

    The events of a key are start, suspend, resume, suspend, ..., end: the first, third, fifth one starts a segment, and
    the one after it ends it. A number that lacks in `seq`, or a row without a time, is an event that was lost.

    Parameters
    ----------
    data : Spark DataFrame, or anything that speaks the Arrow C stream interface
        One row a point event.
    key : str
        The column that says whose event it is: the sector, the machine, the patient.
    seq : str
        The column with the number of the event within its key.
    time : str or model of time
        The column with its time, null where the event was lost; or a model such as `between(lo, hi)` where recorded
        times are themselves uncertain.
    role : str, optional
        The column with the roles start, suspend, resume and end, which are then checked, and tell the last event.
    expected : int or str, optional
        How many events a key has, or the column that says it. Without it (and without roles) the last row is the last
        event.
    bounds : pair, optional
        The earliest and the latest time of a key: columns, constants, or None. They bound events that are lost before
        the first or after the last recorded one; where there is none, these follow a Poisson process with the rate of
        the key's recorded events (section 3.2).
    first : int
        The number of a key's first event.
    others : pair of str, optional
        Columns that count events of something else within the bounds of a key of which nothing was recorded: how many
        come before its own events, and how many after them. `journeys` makes them.
    max_delay : duration, optional
        Of a stream: how long after its time an event comes in at the latest. What comes later counts as lost.
    max_width : duration, optional
        Of a stream whose rows bring uncertain times of their own width: the widest. A key is open for so long after its
        last event, since an earlier one may still come.
    idle_after : duration, optional
        Of a stream: how far it may fall behind the other one before it is no longer waited for.
    bad_rows : {"raise", "quarantine"}, optional
        Whether a key that breaks the contract is an error, or is set aside in `rejected`. By default a batch raises,
        and a stream, which should outlive a bad key, sets aside.
    """
    model = at(time) if isinstance(time, str) else time
    if not isinstance(model, TimeModel):
        raise WrongType(f'time={time!r} is neither a column nor a model of time such as wa.between("lo", "hi").')
    if isinstance(expected, int) and (isinstance(expected, bool) or expected < 2 or expected % 2):
        raise BadArgument(f"expected={expected!r}: a key has an even number of events, at least a start and an end.")
    if not isinstance(expected, int | str | None):
        raise WrongType(f"expected={expected!r} is neither a number of events nor the name of a column.")
    lo, hi = _pair(bounds, "bounds", "(earliest, latest)")
    ahead, behind = _pair(others, "others", "(before, after)")
    contract = SegmentContract(key, seq, model, role, expected, lo, hi, first, ahead, behind)
    taken = take_in(data)
    aside, schema = what_of_bad_rows(bad_rows, taken.streaming), taken.schema
    check_columns(schema, contract)
    clock = clock_of(schema, model, "segments")
    for bound in (lo, hi):
        clock = clock.meet(_bound_clock(schema, bound, clock))
    declared = limits({"max_delay": max_delay, "max_width": max_width, "idle_after": idle_after}, clock)
    return Segments(data, contract, schema, clock, aside, taken.engine, taken.streaming, table=taken.table, **declared)


def _pair(value: Any, name: str, form: str) -> tuple[Any, Any]:
    if value is None:
        return None, None
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise BadArgument(f"{name}={value!r} must be a pair {form}.")
    return value[0], value[1]


def _bound_clock(schema: pa.Schema, bound: Any, clock: Clock) -> Clock:
    """The clock of a bound; a constant must be of the kind that the times are."""
    if isinstance(bound, str):
        return clock_of(schema, at(bound), "segments")
    if bound is None:
        return clock
    if isinstance(bound, dt.datetime) == (clock.kind == "number") or isinstance(bound, bool):
        wanted = "a number" if clock.kind == "number" else "a datetime"
        raise MixedUnits(f"The bound {bound!r} must be {wanted}, as the times are, or the name of a column.")
    if isinstance(bound, dt.datetime) and (bound.tzinfo is None) == (clock.kind == "instant"):
        raise MixedUnits(f"The bound {bound!r} and the times must both have a time zone, or neither.")
    return clock if not isinstance(bound, float) else Clock(clock.kind, clock.tick, clock.exact and bound.is_integer())
