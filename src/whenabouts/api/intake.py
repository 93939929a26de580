"""What `events`, `segments` and `objects` have in common: taking data in, and the declarations of a stream."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from whenabouts.api.frames import as_table, is_spark
from whenabouts.errors import BadArgument
from whenabouts.model.clock import Clock
from whenabouts.model.duration import Duration, duration

DurationLike = str | dt.timedelta | int | float | Duration
BadRows = Literal["raise", "quarantine"]


@dataclass(frozen=True)
class Intake:
    """Some data, whatever library it is of: the engine that will work on it, and its columns."""

    engine: Literal["arrow", "spark"]
    streaming: bool
    schema: pa.Schema
    table: pa.Table | None


def take_in(data: Any) -> Intake:
    """Look at what the data is and at its columns; nothing is read."""
    if is_spark(data):
        from whenabouts.spark.door import arrow_schema

        taken = Intake("spark", bool(data.isStreaming), arrow_schema(data), None)
    else:
        table = as_table(data)
        taken = Intake("arrow", False, table.schema, table)
    names = taken.schema.names
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BadArgument(f"The data has several columns called {', '.join(map(repr, repeated))}. Rename all but one.")
    return taken


def leave_room_for_reason(schema: pa.Schema) -> None:
    """Rejected rows come back with a column of their own, which the data must not have already."""
    if "reason" in schema.names:
        raise BadArgument("Rejected rows come with a column 'reason', and the data has one already. Rename that first.")


def what_of_bad_rows(bad_rows: BadRows | None, streaming: bool) -> BadRows:
    """What was asked for; by default a batch raises, and a stream, which should outlive a bad row, sets aside."""
    if bad_rows not in ("raise", "quarantine", None):
        raise BadArgument(f'bad_rows={bad_rows!r}: choose "raise" or "quarantine".')
    return bad_rows or ("quarantine" if streaming else "raise")


def workers_of(threads: int | None) -> int:
    """How many threads of this process work: all cores where it is not said."""
    if threads is not None:
        check_count(threads, "threads")
    return threads or os.cpu_count() or 1


def check_count(value: Any, role: str) -> None:
    """How many of something there shall be: a whole number, at least one."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(f"{role} must be a whole number, at least 1, not {value!r}.")


def limits(given: dict[str, DurationLike | None], clock: Clock | None = None) -> dict[str, Duration | None]:
    """The declared durations by name, none of them negative; on a clock they must fit it."""
    read = {role: None if value is None else duration(value, role) for role, value in given.items()}
    for role, limit in read.items():
        if limit is not None and (limit.amount if clock is None else clock.ticks(limit, role)) < 0:
            raise BadArgument(f"{role} must not be negative, but is {limit}.")
    return read
