"""Samples on their way through a shuffle: one array of numbers a row, where points are arrays themselves.

Spark takes about twice as long to move and to hand over an array of arrays as the same numbers in one array.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, NumericType

from whenabouts.schema.objects import ObjectContract
from whenabouts.spark.columns import named
from whenabouts.spark.wire import nothing

_FLAT = "__flat"


def flattened(data: DataFrame, contract: ObjectContract) -> dict[str, Column]:
    """The columns that carry the samples: one array, where it is plain that every point has the contract's dimension.

    Where it is not, the samples stay as they are, and the flat array is empty.
    """
    final = contract.gathered
    name = str(final.samples)
    kind = data.schema[name].dataType
    if final.dimension is None or not _of_points(kind):
        return {}
    samples, flat = named(name), F.flatten(named(name))
    fits = F.coalesce(_alike(samples, final.dimension) & flat.isNotNull(), F.lit(False))
    return {
        name: F.when(fits, nothing(kind)).otherwise(samples),
        _FLAT: F.when(fits, flat).otherwise(nothing(kind.elementType)),
    }


def _of_points(kind: DataType) -> TypeGuard[ArrayType]:
    """Whether samples are arrays of numbers themselves."""
    points = kind.elementType if isinstance(kind, ArrayType) else None
    return isinstance(points, ArrayType) and isinstance(points.elementType, NumericType)


def _alike(samples: Column, dimension: int) -> Column:
    """Whether all points have so many coordinates, none of them zero.

    As truth values such points are all the same, so that the least and the greatest tell. To look at the size of each
    takes a function of its own name in every plan, which Spark would compile anew for every query.
    """
    truths = samples.cast("array<array<boolean>>")
    point = F.array(*[F.lit(True)] * dimension)
    return (F.array_min(truths) == point) & (F.array_max(truths) == point)


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
    size = pc.list_value_length(flat).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(size // dimension)
    samples = pa.LargeListArray.from_arrays(pa.array(np.concatenate([np.zeros(1, dtype=np.int64), ends])), points)
    misfits = pc.fill_null(pc.list_value_length(odd), 1).to_numpy(zero_copy_only=False) > 0
    if misfits.any():
        kind = pa.large_list(odd.type.value_type)
        both = pa.concat_arrays([samples.cast(kind), odd.cast(kind)])
        samples = both.take(pa.array(np.arange(len(rows)) + len(rows) * misfits))
    return rows.set_column(at, name, samples).drop_columns([_FLAT])
