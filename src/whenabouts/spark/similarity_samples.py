"""Samples on their way through a shuffle: one array of numbers a row, where points are arrays themselves.

Spark takes about twice as long to move and to hand over an array of arrays as the same numbers in one array.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from whenabouts.schema.objects import ObjectContract

_FLAT = "__flat"


def flattened(data: DataFrame, contract: ObjectContract) -> dict[str, Column]:
    """What is sent of each row: its samples as one array, unless some point does not have the contract's dimension."""
    columns = {name: F.col(f"`{name}`") for name in data.columns}
    final = contract.gathered
    name = str(final.samples)
    kind = data.schema[name].dataType
    if final.dimension is None or not (isinstance(kind, ArrayType) and isinstance(kind.elementType, ArrayType)):
        return columns
    samples, dimension = columns[name], F.lit(final.dimension)
    fits = F.coalesce(F.forall(samples, lambda point: F.size(point).eqNullSafe(dimension)), F.lit(False))
    return columns | {name: F.when(~fits, samples), _FLAT: F.when(fits, F.flatten(samples))}


def unflattened(rows: pa.Table, contract: ObjectContract) -> pa.Table:
    """The rows as they were: the samples of each are an array of points again."""
    if _FLAT not in rows.column_names:
        return rows
    final = contract.gathered
    name, dimension = str(final.samples), final.dimension
    assert dimension is not None
    at = rows.column_names.index(name)
    flat, odd = rows.column(_FLAT).combine_chunks(), rows.column(name).combine_chunks()
    points = pa.FixedSizeListArray.from_arrays(flat.flatten(), dimension)
    size = pc.fill_null(pc.list_value_length(flat), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(size // dimension)
    samples = pa.LargeListArray.from_arrays(pa.array(np.concatenate([np.zeros(1, dtype=np.int64), ends])), points)
    if flat.null_count:
        kind = pa.large_list(odd.type.value_type)
        misfits = pc.is_null(flat).to_numpy(zero_copy_only=False)
        both = pa.concat_arrays([samples.cast(kind), odd.cast(kind)])
        samples = both.take(pa.array(np.arange(len(rows)) + len(rows) * misfits))
    return rows.set_column(at, name, samples).drop_columns([_FLAT])
