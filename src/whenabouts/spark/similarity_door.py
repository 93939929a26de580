"""Uncertain objects at Spark's door: samples gathered into rows, ids that occur again, and rows that do not pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, DoubleType, StringType, StructField, StructType

from whenabouts.model.blur import Blur
from whenabouts.ops.similarity.blur import blurred
from whenabouts.schema.objects import (
    DIFFERS,
    DIMENSION,
    OBJECT,
    REPEATED,
    SAMPLES,
    WEIGHTS,
    ObjectContract,
    read_objects,
)
from whenabouts.spark.columns import named


def gathered(data: DataFrame, contract: ObjectContract) -> DataFrame:
    """One row for each object, with the columns that the contract reads, and whether its id occurs again."""
    if contract.grouped:
        return _grouped(data, contract)
    rows = data.select(*(named(name) for name in contract.columns))
    if not contract.unique_ids:
        return rows
    again = rows.groupBy(named(contract.id)).count().where(F.col("count") > 1)
    again = again.select(named(contract.id).alias(OBJECT), F.lit(True).alias(REPEATED))
    joined = rows.join(F.broadcast(again), rows[contract.id] == again[OBJECT], "left").drop(OBJECT)
    return joined.withColumn(REPEATED, F.coalesce(F.col(REPEATED), F.lit(False)))


def _grouped(data: DataFrame, contract: ObjectContract) -> DataFrame:
    point = F.array(*(named(name).cast("double") for name in contract.samples)).alias("point")
    weight = named(contract.weights).cast("double") if contract.weights else F.lit(1.0)
    fixed = contract.fixed_columns[1:]
    differs = reduce(lambda one, other: one | other, map(_differs, fixed), F.lit(False))
    rows = data.groupBy(named(contract.id)).agg(
        *(F.first(named(name)).alias(name) for name in fixed),
        F.collect_list(F.struct(point, weight.alias("weight"))).alias(SAMPLES),
        F.coalesce(differs, F.lit(False)).alias(DIFFERS),
    )
    names = [named(name) for name in contract.fixed_columns]
    weights = [F.col(f"{SAMPLES}.weight").alias(WEIGHTS)] if contract.weights else []
    return rows.select(*names, F.flatten(F.col(f"{SAMPLES}.point")).alias(SAMPLES), *weights, DIFFERS)


def _differs(name: str) -> Column:
    column = named(name)
    some = F.count(column)
    return (F.min(column) != F.max(column)) | ((some > 0) & (some < F.count(F.lit(1))))


def dimension_of(contract: ObjectContract) -> Column:
    """How many coordinates the first point of a row has; null where it has none."""
    if contract.dimension is not None or contract.grouped:
        return F.lit(contract.gathered.dimension)
    return F.size(F.get(named(str(contract.samples)), F.lit(0)))


def nested(contract: ObjectContract, data: DataFrame) -> ObjectContract:
    """The contract, with its dimension where the type tells it: points that are plain numbers lie on a line."""
    if contract.grouped or contract.dimension is not None:
        return contract
    kind = data.schema[contract.samples].dataType  # type: ignore[index]
    on_a_line = isinstance(kind, ArrayType) and not isinstance(kind.elementType, ArrayType)
    return replace(contract, dimension=1) if on_a_line else contract


def rejected_rows(data: DataFrame, contract: ObjectContract) -> DataFrame:
    """The rows that break the contract, as they are, with a `reason` column; lazily, like any DataFrame."""
    contract = nested(contract, data)
    rows = gathered(data, contract)
    usual = rows.agg(F.mode(F.nullif(dimension_of(contract), F.lit(-1))).alias(DIMENSION))
    known = rows.crossJoin(F.broadcast(usual)).withColumn(OBJECT, named(contract.id))
    schema = StructType([StructField(OBJECT, data.schema[contract.id].dataType), StructField("reason", StringType())])

    def reasons(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            table = pa.Table.from_batches([batch])
            if not len(table):
                continue
            usual = table.column(DIMENSION)[0].as_py()
            settled = replace(contract, unique_ids=False)
            settled = settled if usual is None or usual < 1 else replace(settled, dimension=usual)
            problems = read_objects(table.drop_columns([DIMENSION, OBJECT]), settled)[2]
            refused = table.select([OBJECT]).append_column("reason", problems.texts())
            yield from refused.filter(pa.array(~problems.good)).to_batches()

    refused = known.mapInArrow(reasons, schema).dropDuplicates([OBJECT, "reason"])
    same = named(contract.id).eqNullSafe(refused[OBJECT])
    if contract.grouped or contract.unique_ids:
        return data.join(refused, same).drop(OBJECT)
    return _with_reasons(data, contract)


def _with_reasons(data: DataFrame, contract: ObjectContract) -> DataFrame:
    """The same where ids do not tell rows apart: rows are looked at as they are."""
    usual = data.agg(F.mode(F.nullif(dimension_of(contract), F.lit(-1))).alias(DIMENSION))
    known = data.crossJoin(F.broadcast(usual))
    schema = StructType([*data.schema.fields, StructField("reason", StringType())])

    def reasons(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            table = pa.Table.from_batches([batch])
            if not len(table):
                continue
            usual = table.column(DIMENSION)[0].as_py()
            settled = contract if usual is None or usual < 1 else replace(contract, dimension=usual)
            rows = table.drop_columns([DIMENSION])
            problems = read_objects(rows, settled)[2]
            yield from rows.append_column("reason", problems.texts()).filter(pa.array(~problems.good)).to_batches()

    return known.mapInArrow(reasons, schema)


def blurred_rows(data: DataFrame, blur: Blur) -> DataFrame:
    """The data with a column of samples around each row's point."""
    kinds = {"nested": ArrayType(ArrayType(DoubleType())), "flat": ArrayType(DoubleType()), "packed": BinaryType()}
    schema = StructType([*data.schema.fields, StructField(blur.into, kinds[blur.layout])])

    def clouds(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for begin in range(0, len(batch), 4096):
                yield from blurred(pa.Table.from_batches([batch.slice(begin, 4096)]), blur).to_batches()

    return data.mapInArrow(clouds, schema)
