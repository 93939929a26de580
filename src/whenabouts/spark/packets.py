"""Packets: rows that go from one task to another, as one blob of Arrow columns.

A shuffle costs by the row: Spark makes an object of each, of a hundred bytes and more, and takes it apart again. So a
task reads its rows once, column by column, cuts them, and sends a few packets to each of the tasks that come after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from whenabouts.kernels.events import Ints

TASK = "task"
SCHEMA = StructType([
    StructField(TASK, IntegerType(), nullable=False),
    StructField("kind", IntegerType(), nullable=False),
    StructField("rows", BinaryType(), nullable=False),
])  # fmt: skip
_ARROW = pa.schema([
    pa.field(TASK, pa.int32(), False), pa.field("kind", pa.int32(), False), pa.field("rows", pa.binary(), False)
])  # fmt: skip
_CHUNK = 1 << 19
"""So many rows are cut at once,"""
_CHUNK_BYTES = 32 << 20
"""or so many bytes."""
_PACKET = 128 << 10
"""Bytes of a packet, but for one that is a single row. Spark hands over up to 10,000 at once, within Arrow's 2 GB."""


class Packet(NamedTuple):
    """Rows of one kind for one task."""

    task: int
    kind: int
    rows: pa.Table


def chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The rows of a partition, many at a time, each column in one piece."""
    waiting: list[pa.RecordBatch] = []
    count = size = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch)
        size += batch.nbytes
        if count >= _CHUNK or size >= _CHUNK_BYTES:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, count, size = [], 0, 0
    if count:
        yield pa.Table.from_batches(waiting).combine_chunks()


def packed(rows: pa.Table, starts: Sequence[int] | Ints, kind: int) -> pa.RecordBatch:
    """Packets of rows that stand task by task: those of task k from `starts[k]` on."""
    sink = pa.BufferOutputStream()
    tasks, ends = [], [0]
    most = max(_PACKET * len(rows) // max(rows.nbytes, 1), 1)
    for task in np.flatnonzero(np.diff(starts)).tolist():
        for begin in range(starts[task], starts[task + 1], most):
            with pa.ipc.new_stream(sink, rows.schema) as writer:
                writer.write_table(rows.slice(begin, min(most, starts[task + 1] - begin)))
            tasks.append(task)
            ends.append(sink.tell())
    offsets = pa.py_buffer(np.array(ends, dtype=np.int32))
    blobs = pa.Array.from_buffers(pa.binary(), len(tasks), [None, offsets, sink.getvalue()])
    columns = [pa.array(tasks, pa.int32()), pa.array([kind] * len(tasks), pa.int32()), blobs]
    return pa.RecordBatch.from_arrays(columns, schema=_ARROW)


def unpacked(batch: pa.RecordBatch) -> Iterator[Packet]:
    """The packets of a batch; their columns are read where they are."""
    tasks, kinds, blobs = batch.columns
    for task, kind, blob in zip(tasks.to_pylist(), kinds.to_pylist(), blobs, strict=True):
        yield Packet(task, kind, pa.ipc.open_stream(blob.as_buffer()).read_all())
