"""Rows that travel as packets arrive as they were, where they belong."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from whenabouts.spark import cutting, packets


def table(count: int) -> pa.Table:
    texts = [None if n % 7 == 0 else "x" * (n % 50) for n in range(count)]
    return pa.table({"n": np.arange(count), "text": texts, "list": [[n, n + 1] for n in range(count)]})


def test_packets__hold_the_rows_of_their_tasks():
    rows, starts = table(1000), [0, 0, 400, 400, 1000]
    found = list(packets.unpacked(packets.packed(rows, starts, kind=3)))
    assert {(packet.task, packet.kind) for packet in found} == {(1, 3), (3, 3)}
    for task in (1, 3):
        own = pa.concat_tables([packet.rows for packet in found if packet.task == task])
        assert own.equals(rows.slice(starts[task], starts[task + 1] - starts[task]))


def test_packets__are_cut_where_they_grow_large(monkeypatch):
    monkeypatch.setattr(packets, "_PACKET", 2000)
    batch = packets.packed(table(1000), [0, 1000], kind=0)
    sizes = [len(blob.as_py()) for blob in batch.column(2)]
    assert len(sizes) > 10
    assert max(sizes) < 6000
    assert sum(len(packet.rows) for packet in packets.unpacked(batch)) == 1000


def test_packets__of_rows_that_are_larger_hold_one_each():
    rows = pa.table({"text": ["x" * 300_000] * 3})
    assert [len(packet.rows) for packet in packets.unpacked(packets.packed(rows, [0, 3], kind=0))] == [1, 1, 1]


def test_packets__of_no_rows_are_none():
    assert len(packets.packed(table(0), [0, 0], kind=0)) == 0


@pytest.mark.parametrize(("rows", "size"), [(100, 1 << 30), (1 << 30, 1000)])
def test_chunks__end_after_many_rows_or_bytes(monkeypatch, rows, size):
    monkeypatch.setattr(packets, "_CHUNK", rows)
    monkeypatch.setattr(packets, "_CHUNK_BYTES", size)
    whole = table(1000)
    found = list(packets.chunks(whole.to_batches(max_chunksize=30)))
    assert len(found) > 5
    assert all(chunk.column(0).num_chunks == 1 for chunk in found)
    assert pa.concat_tables(found).equals(whole)


def test_chunks__of_nothing_are_none():
    assert list(packets.chunks(table(0).to_batches())) == []


def test_parts__have_few_copies_together_and_those_of_one_row_more():
    copies = np.array([1, 3, 7, 20, 25, 1, 1, 9, 90])
    parts = list(cutting._parts(copies))
    assert len(parts) == 3
    assert np.concatenate([copies[part] for part in parts]).tolist() == copies.tolist()
    assert all(copies[part].sum() <= 2 * len(copies) + copies[part].max() for part in parts)
    assert list(cutting._parts(np.empty(0, dtype=np.int64))) == [slice(0, 0)]
