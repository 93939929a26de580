"""The door on Spark: what a DataFrame's columns are in Arrow, and the rows that break the contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import StringType, StructField, StructType

from whenabouts.model.clock import Clock
from whenabouts.ops.door import problems_of
from whenabouts.schema import Contract, Problems
from whenabouts.spark.columns import named, passes, with_occurrences


def arrow_schema(data: DataFrame) -> pa.Schema:
    """The Arrow types in which the columns reach Python."""
    return arrow_schema_of(data.schema)


def arrow_schema_of(schema: StructType) -> pa.Schema:
    """The same for a schema."""
    fields = []
    for one in schema.fields:
        try:
            kind = to_arrow_type(one.dataType, timezone="UTC")
        except TypeError:
            kind = to_arrow_type(one.dataType)
        fields.append(pa.field(one.name, kind, one.nullable))
    return pa.schema(fields)


def rejected_rows(data: DataFrame, contract: Contract, clock: Clock) -> DataFrame:
    """The rows that break the contract, as they are, with a `reason` column; lazily, like any DataFrame."""
    schema = StructType([*data.schema.fields, StructField("reason", StringType())])
    names = data.schema.names

    def reasons(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns(names)
            problems = suspect_problems(table, contract, clock)
            yield from table.append_column("reason", problems.texts()).to_batches()

    counted = with_occurrences(data, contract, data.columns).where(~passes(contract, arrow_schema(data), clock))
    # Spark hands columns to Python by names that it would read as paths, were there a dot in them.
    places = (named(name).alias(f"c{place}") for place, name in enumerate(names))
    return counted.select(*places).mapInArrow(reasons, schema)


def suspect_problems(table: pa.Table, contract: Contract, clock: Clock) -> Problems:
    """What is wrong with rows that `passes` refused; every one gets a reason.

    Only Spark sees all rows, so a row with nothing else wrong was refused because its id occurs again.
    """
    problems = problems_of(table, replace(contract, unique_ids=False), clock)
    reason = "is not unique" if contract.unique_ids else "has a time that is too large to be exact"
    problems.add(problems.good, f"{contract.id!r} {reason}")
    return problems
