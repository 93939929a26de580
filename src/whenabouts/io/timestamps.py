"""Timestamps that travel as text, as they do in CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

_ISO_DATE_AND_TIME = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}"


def with_timestamps(table: pa.Table) -> pa.Table:
    """The table, with columns of ISO 8601 text, and of lists of it, as timestamps to the microsecond."""
    for place, name in enumerate(table.column_names):
        column = _as_timestamps(table.column(place))
        if column is not None:
            table = table.set_column(place, name, column)
    return table


def without_timestamps(table: pa.Table) -> pa.Table:
    """The table, with timestamps, and lists of them, as ISO 8601 text."""
    for place, field in enumerate(table.schema):
        as_text = in_place_of(field.type, pa.types.is_timestamp, pa.string())
        if as_text is not None:
            table = table.set_column(place, field.name, table.column(place).cast(as_text))
    return table


def _as_timestamps(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """A column of text as timestamps, or None where some of it is not one."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return _to_microseconds(column)
    if in_place_of(kind, pa.types.is_string, pa.string()) is None:
        return None
    texts = column
    while pa.types.is_list(texts.type):
        texts = pc.list_flatten(texts)
    texts = texts.drop_null()
    if not len(texts) or not pc.all(pc.match_substring_regex(texts, _ISO_DATE_AND_TIME)).as_py():
        return None
    for zone in (None, "UTC"):
        try:
            return column.cast(in_place_of(kind, pa.types.is_string, pa.timestamp("us", zone)))
        except pa.ArrowInvalid:
            continue
    return None


def _to_microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Timestamps to the microsecond, or None where they are finer than that."""
    try:
        return column.cast(pa.timestamp("us", column.type.tz))
    except pa.ArrowInvalid:
        return None


def in_place_of(kind: pa.DataType, is_old: Callable[[pa.DataType], bool], new: pa.DataType) -> pa.DataType | None:
    """A type, or a list of it, with another in its place; None where it is not of that type."""
    if pa.types.is_list(kind):
        inner = in_place_of(kind.value_type, is_old, new)
        return None if inner is None else pa.list_(inner)
    return new if is_old(kind) else None
