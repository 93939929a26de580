"""What the columns of a table are to the query language."""

from __future__ import annotations

import pyarrow as pa

from whenabouts.model.clock import timestamp_clock
from whenabouts.model.expression import Kind
from whenabouts.schema.arrow import is_text

MICROSECOND = 1_000


def kinds_of(schema: pa.Schema) -> dict[str, Kind | None]:
    """The kind of each column; None for one that the language cannot compare, such as an array."""
    return {one.name: _kind(one.type) for one in schema}


def tick_of(schema: pa.Schema) -> int:
    """Nanoseconds in which moments and lengths of time are counted: the finest unit among the columns, or 1000."""
    units = [timestamp_clock(one.type.unit, None).tick for one in schema if _counts_time(one.type)]
    return min([MICROSECOND, *units])


def _counts_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_duration(kind))


def _kind(kind: pa.DataType) -> Kind | None:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "real"
    if is_text(kind):
        return "text"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_timestamp(kind):
        return "instant" if kind.tz else "local"
    if pa.types.is_date(kind):
        return "local"
    return "duration" if pa.types.is_duration(kind) else None
