"""Small readings of Arrow columns that several checks share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.kernels.events import Ints


def nulls(column: pa.Array) -> NDArray[np.bool_]:
    if column.null_count == 0:
        return np.zeros(len(column), dtype=np.bool_)
    return pc.is_null(column).to_numpy(zero_copy_only=False)


def nothing(column: pa.Array) -> NDArray[np.bool_]:
    """Where there is no value: null, or what some libraries write instead, NaN."""
    return pc.is_null(column, nan_is_null=True).to_numpy(zero_copy_only=False)


def in_one(column: pa.ChunkedArray) -> pa.Array:
    """The column as one array, without a copy where it already is."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The one type that columns share which hold the same kind of value: text of any layout, integers of any size."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if is_text(kind):
        return pa.large_string()
    return pa.int64() if pa.types.is_integer(kind) and kind != pa.uint64() else kind


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column in its plain type."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    return column.cast(plain_type(column.type))


def codes(column: pa.Array) -> Ints:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_float32(column.type) or pa.types.is_float64(column.type):
        column = pc.add(column, pa.scalar(0.0, column.type))  # makes one zero of the two
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def key_codes(left: pa.Table, right: pa.Table, by: Sequence[tuple[str, str]]) -> tuple[Ints, Ints, int]:
    """Equality keys as integers shared by both sides, and how many; -1 where a key is null and joins nothing."""
    count = len(left) + len(right)
    keys, size = np.zeros(count, dtype=np.int64), 1
    missing = np.zeros(count, dtype=np.bool_)
    for one, other in by:
        sides = plain(left.column(one)), plain(right.column(other))
        column = pa.chunked_array([*sides[0].chunks, *sides[1].chunks], sides[0].type).combine_chunks()
        missing |= nulls(column)
        keys, size = _compact(keys, codes(column))
    keys[missing] = -1
    return keys[: len(left)], keys[len(left) :], size


def _compact(keys: Ints, more: Ints) -> tuple[Ints, int]:
    """Pairs of codes as consecutive codes."""
    wide = keys * (int(more.max(initial=0)) + 1) + more
    values, compact = np.unique(wide, return_inverse=True)
    return compact.astype(np.int64), len(values)
