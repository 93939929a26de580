"""`events`: what the columns of some data mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from whenabouts.api.frames import like
from whenabouts.api.intake import (
    BadRows,
    DurationLike,
    leave_room_for_reason,
    limits,
    take_in,
    what_of_bad_rows,
)
from whenabouts.errors import BadArgument, WrongType
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration
from whenabouts.model.times import TimeModel, describe
from whenabouts.schema import Contract, check_comparable, clock_of, field_of


@dataclass(frozen=True, repr=False)
class Events:
    """Events with uncertain times: data, and what its columns mean. Made by `events`."""

    data: Any
    contract: Contract
    schema: pa.Schema
    clock: Clock
    type: str | None = None
    max_delay: Duration | None = None
    max_width: Duration | None = None
    bad_rows: BadRows = "raise"
    engine: Literal["arrow", "spark"] = "arrow"
    streaming: bool = False
    idle_after: Duration | None = None
    table: pa.Table | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Events({type(self.data).__name__}, id={self.contract.id!r}, time={describe(self.contract.time)!r})"

    @property
    def rejected(self) -> Any:
        """The rows that break the contract, with a `reason` each, as a frame of the kind that went in."""
        leave_room_for_reason(self.schema)
        if self.engine == "spark":
            from whenabouts.spark.door import rejected_rows

            return rejected_rows(self.data, self.contract, self.clock)
        from whenabouts.ops.door import rejected_rows as rejected_table

        assert self.table is not None
        return like(self.data, rejected_table(self.table, self.contract, self.clock))


def events(
    data: Any,
    *,
    id: str,
    time: TimeModel,
    type: str | None = None,
    max_delay: DurationLike | None = None,
    max_width: DurationLike | None = None,
    idle_after: DurationLike | None = None,
    bad_rows: BadRows | None = None,
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
        D, the longest transmission delay (paper 000, definition 6): a row of a stream comes at the latest so long
        after the latest time that it can have happened. A stream needs it, a batch does not.
    max_width : duration, optional
        pi, the widest timestamp (definition 5). A stream needs it where its model of time does not tell; a batch is
        measured.
    idle_after : duration, optional
        Of a stream: how far it may fall behind the other one before it is taken to be idle, and not waited for.
        Without it, it is waited for as long as it takes.
    bad_rows : {"raise", "quarantine"}, optional
        Whether a row that breaks the contract is an error, or is set aside in `rejected`. By default a batch raises,
        and a stream, which should outlive a bad row, sets aside.
    unique_ids : bool
        Also look for ids that occur twice; not in a stream.
    """
    if not isinstance(time, TimeModel):
        raise WrongType(f'time={time!r} is not a model of time. For exact times use wa.at("t"), for ranges wa.between.')
    contract = Contract(id, time, unique_ids)
    taken = take_in(data)
    aside, schema = what_of_bad_rows(bad_rows, taken.streaming), taken.schema
    kind = field_of(schema, id, "events").type
    if unique_ids:
        check_comparable(kind, f"unique_ids=True, but {id!r}")
    if type is not None:
        field_of(schema, type, "events")
    clock = clock_of(schema, time)
    if taken.streaming and unique_ids:
        raise BadArgument("unique_ids=True needs all rows at once, and a stream never ends. Leave it off.")
    declared = limits({"max_delay": max_delay, "max_width": max_width, "idle_after": idle_after}, clock)
    return Events(
        data, contract, schema, clock, type, bad_rows=aside, engine=taken.engine, streaming=taken.streaming,
        table=taken.table, **declared,
    )  # fmt: skip
