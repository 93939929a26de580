"""Samples on Spark: how they go through a shuffle, and where they lie.

Spark takes about twice as long to move and to hand over an array of arrays as the same numbers in one array, so that
these are made one array a row. Samples that are one array, or its bytes, already go as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeGuard

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import ArrayType, BinaryType, DataType, NumericType
from pyspark.sql.utils import is_remote

from whenabouts.schema.clouds import first_ends, read_clouds
from whenabouts.schema.contract import Problems
from whenabouts.schema.objects import ObjectContract
from whenabouts.spark.columns import named, unlike
from whenabouts.spark.wire import Carried, nothing


def fitting(data: DataFrame, contract: ObjectContract) -> Column | None:
    """Whether all points of a row have the contract's dimension; None where samples are no arrays of points."""
    final = contract.gathered
    if final.dimension is None or not _of_points(data.schema[str(final.samples)].dataType):
        return None
    return F.coalesce(_alike(str(final.samples), final.dimension, is_remote()), F.lit(False))


def flattened(data: DataFrame, contract: ObjectContract, fits: Column) -> dict[str, Carried]:
    """The samples as one array in the rows that fit; in others they stay as they are, and the flat array is empty.

    Whether a row fits is a column by now: Spark would find it out once for every mention.
    """
    name = str(contract.gathered.samples)
    kind = data.schema[name].dataType
    assert isinstance(kind, ArrayType)
    return {
        name: (kind, F.when(fits, nothing(kind)).otherwise(named(name))),
        flat_of(contract): (
            kind.elementType, F.when(fits, F.flatten(named(name))).otherwise(nothing(kind.elementType))
        ),
    }  # fmt: skip


def flat_of(contract: ObjectContract) -> str:
    """The column of flat samples, beside those of the contract."""
    return f"{unlike(contract.columns)}_flat"


def _of_points(kind: DataType) -> TypeGuard[ArrayType]:
    """Whether samples are arrays of numbers themselves."""
    points = kind.elementType if isinstance(kind, ArrayType) else None
    return isinstance(points, ArrayType) and isinstance(points.elementType, NumericType)


def first_coordinates(data: DataFrame, contract: ObjectContract) -> tuple[Column, Column]:
    """The least and the greatest first coordinate of a row's samples; null or NaN in a row that is bad."""
    final = contract.gathered
    samples, kind = named(str(final.samples)), data.schema[str(final.samples)].dataType
    if isinstance(kind, BinaryType):
        assert final.dimension is not None
        ends = _ends_of_packed(final.dimension)(samples)
        return ends["least"], ends["most"]
    if not _of_points(kind) and final.dimension not in (None, 1):
        samples = F.filter(samples, lambda _, at: at % F.lit(final.dimension) == 0)
    least, most = F.array_min(samples), F.array_max(samples)  # of points, by their first coordinates
    if _of_points(kind):
        least, most = F.get(least, F.lit(0)), F.get(most, F.lit(0))
    return least.cast("double"), most.cast("double")


def _ends_of_packed(dimension: int) -> Callable[[Column], Column]:
    """The same of bytes, which Columns cannot see into."""

    def ends(samples: pd.Series) -> pd.DataFrame:
        column = pa.table({"samples": pa.array(samples, pa.large_binary(), from_pandas=True)})
        clouds, _ = read_clouds(column, "samples", None, dimension, Problems(len(column)))
        return pd.DataFrame(dict(zip(("least", "most"), first_ends(clouds), strict=True)))

    return pandas_udf(ends, "least double, most double")  # type: ignore[call-overload]


@cache
def _alike(samples: str, dimension: int, remote: bool) -> Column:
    """Whether all points have so many coordinates; `remote` tells kinds of Columns apart.

    It is kept because Spark gives the argument of a function a new name whenever it is written down, and compiles a
    query for the names in it.
    """
    return F.forall(named(samples), lambda point: F.size(point) == dimension)


def unflattened(rows: pa.Table, contract: ObjectContract) -> pa.Table:
    """The rows as they were: the samples of each are an array of points again."""
    if flat_of(contract) not in rows.column_names:
        return rows
    final = contract.gathered
    name, dimension = str(final.samples), final.dimension
    assert dimension is not None
    at = rows.column_names.index(name)
    flat, odd = rows.column(flat_of(contract)).combine_chunks(), rows.column(name).combine_chunks()
    points = pa.FixedSizeListArray.from_arrays(flat.flatten(), dimension)
    size = pc.list_value_length(flat).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(size // dimension)
    samples = pa.LargeListArray.from_arrays(pa.array(np.concatenate([np.zeros(1, dtype=np.int64), ends])), points)
    misfits = pc.fill_null(pc.list_value_length(odd), 1).to_numpy(zero_copy_only=False) > 0
    if misfits.any():
        kind = pa.large_list(odd.type.value_type)
        both = pa.concat_arrays([samples.cast(kind), odd.cast(kind)])
        samples = both.take(pa.array(np.arange(len(rows)) + len(rows) * misfits))
    return rows.set_column(at, name, samples).drop_columns([flat_of(contract)])
