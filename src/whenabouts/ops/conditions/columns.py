"""Columns as the numbers that conditions compute with, and which of them are unknown."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.errors import WrongType
from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.expression import Kind

Flags = NDArray[np.bool_]
_UNITS = {1: "ns", 1_000: "us"}


def plain_column(table: pa.Table, name: str) -> pa.Array:
    """A column in one piece, without a dictionary."""
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def unknown_of(column: pa.Array) -> Flags | None:
    """Which values are null, or None where all are known."""
    return None if column.null_count == 0 else pc.is_null(column).to_numpy(zero_copy_only=False)


def read_reals(column: pa.Array) -> tuple[Floats, Flags | None]:
    """Real numbers; NaN is unknown."""
    unknown = unknown_of(column)
    if not pa.types.is_float64(column.type):
        column = column.cast(pa.float64(), safe=False)
    values = column.fill_null(np.nan).to_numpy(zero_copy_only=False) if unknown is not None else column.to_numpy()
    missing = np.isnan(values)
    return values, missing if missing.any() else None


def read_ints(column: pa.Array, kind: Kind, tick: int, name: str) -> tuple[Ints, Flags | None]:
    """Whole numbers, truth values as 0 and 1, moments and lengths of time as ticks of so many nanoseconds."""
    unknown = unknown_of(column)
    if kind in ("instant", "local"):
        column = column.cast(pa.timestamp(_UNITS[tick], column.type.tz if kind == "instant" else None)).view(pa.int64())
    elif kind == "duration":
        column = column.cast(pa.duration(_UNITS[tick])).view(pa.int64())
    elif not pa.types.is_int64(column.type):
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise WrongType(
                f"{name!r} holds numbers that do not fit 64 bits with a sign. Cast it to a double."
            ) from None
    if unknown is not None:
        column = column.fill_null(0)
    return column.to_numpy(zero_copy_only=False), unknown
