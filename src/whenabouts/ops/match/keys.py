"""The keys of a pattern as numbers: attributes that all events of a match share, one for each component."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Ints
from whenabouts.schema.arrow import codes, nulls, plain


def group_codes(table: pa.Table, keys: Sequence[Sequence[str]], components: int) -> tuple[NDArray[np.int64], int]:
    """The group of every row at every component, a row a component, and how many groups there are.

    A key names an attribute for each component. A row whose key is null can stand there in no match: it has -1.
    """
    groups = np.zeros((components, len(table)), dtype=np.int64)
    missing = np.zeros((components, len(table)), dtype=np.bool_)
    size = 1
    for key in keys:
        names = list(dict.fromkeys(key))
        columns = [_plain(table.column(name)) for name in names]
        together = pa.chunked_array([chunk for one in columns for chunk in one.chunks], columns[0].type)
        merged = together.combine_chunks()
        code = codes(merged).reshape(len(names), len(table))
        absent = nulls(merged).reshape(len(names), len(table))
        at = [names.index(name) for name in key]
        wide = groups * (int(code.max(initial=0)) + 1) + code[at]
        missing |= absent[at]
        values, compact = np.unique(wide, return_inverse=True)
        groups, size = compact.reshape(groups.shape).astype(np.int64), max(len(values), 1)
    groups[missing] = -1
    return groups, size


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in the type that it shares with all of its kind; of zeros there is one."""
    column = plain(column)
    if pa.types.is_floating(column.type):
        values = [pa.array(chunk.to_numpy(zero_copy_only=False) + 0.0, from_pandas=True) for chunk in column.chunks]
        return pa.chunked_array(values, pa.float64()) if values else column
    return column


def rows_of(fits: NDArray[np.bool_], groups: NDArray[np.int64]) -> tuple[list[Ints], list[Ints]]:
    """The rows that each component takes, and their groups there."""
    rows = [np.flatnonzero(mask & (group >= 0)).astype(np.int64) for mask, group in zip(fits, groups, strict=True)]
    return rows, [group[row] for row, group in zip(rows, groups, strict=True)]
