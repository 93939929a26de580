"""Frames of any library: taken in as Arrow, given back as what they were."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from whenabouts.errors import WrongType


def is_spark(data: Any) -> bool:
    """Whether this is a Spark DataFrame, classic or Connect, without importing pyspark."""
    return any(
        kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(data).__mro__
    )


def as_table(data: Any) -> pa.Table:
    if isinstance(data, pa.Table):
        return _without_views(data)
    if isinstance(data, pa.RecordBatch):
        return _without_views(pa.Table.from_batches([data]))
    if hasattr(data, "__arrow_c_stream__"):
        table = pa.table(data)
        keep = [name for name in table.column_names if not name.startswith("__index_level_")]
        return _without_views(table.select(keep).replace_schema_metadata(None))
    raise WrongType(
        f"Events must be a Spark DataFrame or speak the Arrow C stream interface (pyarrow, Polars, pandas), "
        f"not {type(data).__name__}."
    )


def _without_views(table: pa.Table) -> pa.Table:
    """Polars hands text out as views, of which Arrow cannot take rows."""
    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    for at, field in enumerate(table.schema):
        if field.type in plain:
            table = table.set_column(at, field.with_type(plain[field.type]), table.column(at).cast(plain[field.type]))
        elif pa.types.is_dictionary(field.type) and field.type.value_type in plain:
            kind = pa.dictionary(field.type.index_type, plain[field.type.value_type], field.type.ordered)
            chunks = [
                pa.DictionaryArray.from_arrays(
                    chunk.indices, chunk.dictionary.cast(kind.value_type), ordered=kind.ordered
                )
                for chunk in table.column(at).chunks
            ]
            table = table.set_column(at, field.with_type(kind), pa.chunked_array(chunks, kind))
    return table


def like(given: Any, table: pa.Table) -> Any:
    """The result as a frame of the kind that went in."""
    home = type(given).__module__.split(".")[0]
    if home == "polars":
        import polars

        return polars.from_arrow(table)
    if home == "pandas":
        return table.to_pandas()
    return table
