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
        try:
            table = pa.table(data)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise WrongType(
                f"A column cannot be read as Arrow: {error}. Give all its values one type, or leave the column out."
            ) from error
        keep = [name for name in table.column_names if not name.startswith("__index_level_")]
        return _without_views(table.select(keep).replace_schema_metadata(None))
    raise WrongType(
        f"Events must be a Spark DataFrame or speak the Arrow C stream interface (pyarrow, Polars, pandas), "
        f"not {type(data).__name__}."
    )


def _without_views(table: pa.Table) -> pa.Table:
    """Polars hands text out as views, also within lists and categories; Arrow can neither take nor compare them."""
    fields = [field.with_type(_without_view(field.type)) for field in table.schema]
    if fields == list(table.schema):
        return table
    columns = [
        _recategorised(column, field.type) if pa.types.is_dictionary(field.type) else column.cast(field.type)
        for column, field in zip(table.columns, fields, strict=True)
    ]
    return pa.table(columns, pa.schema(fields, table.schema.metadata))


def _without_view(kind: pa.DataType) -> pa.DataType:
    """The type with every view in it replaced by the plain layout."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_view(kind.value_type), kind.ordered)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_without_view(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_without_view(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_without_view(kind.value_type)))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(_without_view(kind.value_type)), kind.list_size)
    return kind


def _recategorised(column: pa.ChunkedArray, kind: pa.DictionaryType) -> pa.ChunkedArray:
    """Categories in another layout: their names are cast, which Arrow does not do by itself."""
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(kind.value_type), ordered=kind.ordered)
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, kind)


def like(given: Any, table: pa.Table) -> Any:
    """The result as a frame of the kind that went in."""
    home = type(given).__module__.split(".")[0]
    if home == "polars":
        import polars

        return polars.from_arrow(table)
    if home == "pandas":
        return _pandas(table)
    return table


def _pandas(table: pa.Table) -> Any:
    """As pandas; integers beside a null stay integers, since as floats they would lose digits."""
    frame = table.to_pandas(integer_object_nulls=True)
    for field in table.schema:
        if pa.types.is_integer(field.type) and table[field.name].null_count:
            frame[field.name] = frame[field.name].astype(str(field.type).replace("int", "Int").replace("u", "U"))
    return frame
