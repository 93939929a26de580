"""From blobs back to rows: results and, where they are wanted, the rows that were set aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.types import StringType, StructField, StructType

from whenabouts.spark.streaming.packets import SENT_REASON
from whenabouts.spark.workers import begin_task
from whenabouts.state.keeper import RESULT
from whenabouts.state.snapshot import from_bytes

DISPOSITION = "disposition"
REASON = "reason"


def output_schema(result: StructType, inputs: dict[str, StructType], keep: bool) -> StructType:
    """The columns of the frame: the result's and, with side output, a disposition and the rows that it is about."""
    if not keep:
        return result
    fields = [(one.name, one.dataType) for one in result]
    events = [(f"{name}_event", rows) for name, rows in inputs.items()]
    everything = [(DISPOSITION, StringType()), *fields, (REASON, StringType()), *events]
    return StructType([StructField(name, kind) for name, kind in everything])


@dataclass(frozen=True)
class Unpacker:
    """What a task does with blobs. `results` are the result's columns; `inputs` the columns of each input."""

    results: pa.Schema
    inputs: dict[str, pa.Schema]
    keep: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows, blob by blob."""
        begin_task()
        for batch in batches:
            kinds, numbers = batch.column("kind").to_pylist(), batch.column("input").to_pylist()
            for at, (kind, number) in enumerate(zip(kinds, numbers, strict=True)):
                table = from_bytes(batch.column("blob")[at].as_buffer())
                for part in table.to_batches():
                    yield self._result(part) if kind == RESULT else self._aside(part, kind, number)

    def _result(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        columns = {name: rows.column(name) for name in self.results.names}
        if self.keep:
            columns[DISPOSITION] = pa.array([RESULT]).take(pa.nulls(len(rows), pa.int64()).fill_null(0))
        return self._rows(columns, len(rows))

    def _aside(self, rows: pa.RecordBatch, kind: str, number: int) -> pa.RecordBatch:
        name = list(self.inputs)[number]
        schema = self.inputs[name]
        fields = [rows.column(one) for one in schema.names]
        reasons = rows.column(SENT_REASON) if SENT_REASON in rows.schema.names else None
        late = pa.array([f"it came after the watermark of the {name} events"] * len(rows), pa.string())
        columns = {
            DISPOSITION: pa.array([kind] * len(rows), pa.string()),
            REASON: late if reasons is None else reasons,
            f"{name}_event": pa.StructArray.from_arrays(fields, fields=list(schema)),
        }
        return self._rows(columns, len(rows))

    def _rows(self, columns: dict[str, pa.Array], count: int) -> pa.RecordBatch:
        """Some columns in the frame's schema, the others null."""
        schema = self._schema
        arrays = [columns[one.name] if one.name in columns else pa.nulls(count, one.type) for one in schema]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    @property
    def _schema(self) -> pa.Schema:
        if not self.keep:
            return self.results
        fields = [pa.field(one.name, one.type) for one in self.results]
        events = [pa.field(f"{name}_event", pa.struct(list(schema))) for name, schema in self.inputs.items()]
        return pa.schema([pa.field(DISPOSITION, pa.string()), *fields, pa.field(REASON, pa.string()), *events])
