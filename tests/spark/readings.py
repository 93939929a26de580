"""Readings with uncertain times in files, a micro-batch each."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import whenabouts as wa

CLOCK = pa.timestamp("us", "UTC")
MODEL = {"id": "id", "time": wa.between("lo", "hi")}
DECLARED = {"max_delay": "10s", "max_width": "2s"}


def write_parts(folder, tables):
    """Every table as a file of its own, which is a micro-batch of its own; Spark takes files by their age."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        number = len(list(folder.iterdir()))
        path = folder / f"{number:04}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def readings(seed, parts, rows=300, keys=5):
    """Timestamps with uncertain ends, in the order of time but for little, a table a part."""
    draw = np.random.default_rng(seed)
    tables = []
    for part in range(parts):
        start = 1_700_000_000_000_000 + part * 60_000_000
        late = start + np.sort(draw.integers(0, 60_000_000, rows))
        early = late - draw.integers(0, 1_500_000, rows)
        key = pa.array([f"k{k}" for k in draw.integers(0, keys, rows)])
        ids = np.arange(part * rows, (part + 1) * rows)
        tables.append(
            pa.table({"id": ids, "lo": pa.array(early).cast(CLOCK), "hi": pa.array(late).cast(CLOCK), "key": key})
        )
    return tables
