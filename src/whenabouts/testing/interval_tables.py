"""Tables of interval events: ``id, lo, hi``, the event being anywhere between ``lo`` and ``hi``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["intervals", "write_intervals"]

SCHEMA = pa.schema([("id", pa.int64()), ("lo", pa.float64()), ("hi", pa.float64())])

CHUNK_ROWS = 1 << 20
"""Rows a chunk holds on average. It is part of what a seed means: other chunks are other random numbers."""


def intervals(
    n: int,
    *,
    partners: float,
    window: float,
    widths: tuple[float, float] = (20, 200),
    seed: int,
    disorder: float = 0.0,
) -> pa.Table:
    """
    Make a table of `n` events, each somewhere in an interval.

    Events lie uniformly over ``n * 2 * window / partners`` units of time. Of two such tables, made with two seeds, an
    event of the one therefore has `partners` events of the other within ``+- window`` on average.

    Parameters
    ----------
    n
        How many events.
    partners
        How many events of another such table an event meets within the window, on average.
    window
        The window of the join, in the unit of time.
    widths
        The narrowest and the widest interval; widths are uniform between the two.
    seed
        What the random numbers start from.
    disorder
        Rows stand in the order of ``lo``, save that ``lo`` is put off by a random time of up to `disorder`. Zero is
        sorted; ``math.inf`` is no order at all.

    Returns
    -------
    pa.Table
        Columns ``id`` (int64, the number of the row), ``lo`` and ``hi`` (float64).

    Examples
    --------
    >>> table = intervals(1000, partners=5, window=1000.0, seed=1)
    >>> table.column_names, table.num_rows
    (['id', 'lo', 'hi'], 1000)
    """
    batches = _batches(n, partners=partners, window=window, widths=widths, seed=seed, disorder=disorder)
    return pa.Table.from_batches(batches, SCHEMA)


def write_intervals(
    path: str | PathLike[str],
    n: int,
    *,
    partners: float,
    window: float,
    widths: tuple[float, float] = (20, 200),
    seed: int,
    disorder: float = 0.0,
) -> None:
    """
    Write the table that `intervals` makes to a Parquet file, a row group at a time.

    A chunk of about a million rows is in memory at once, however large `n` is. The rows are those of `intervals` with
    the same arguments, which are explained there.

    Parameters
    ----------
    path
        The file to write. It is replaced if there is one.
    n, partners, window, widths, seed, disorder
        As for `intervals`.
    """
    batches = _batches(n, partners=partners, window=window, widths=widths, seed=seed, disorder=disorder)
    with pq.ParquetWriter(path, SCHEMA, use_dictionary=False) as writer:
        for batch in batches:
            writer.write_batch(batch, row_group_size=batch.num_rows)


def _batches(
    n: int, *, partners: float, window: float, widths: tuple[float, float], seed: int, disorder: float
) -> Iterator[pa.RecordBatch]:
    """
    Yield the events in the order of their rows.

    The time range is cut into equal stretches, and a multinomial draw says how many of the `n` events fall into each:
    together the stretches are `n` independent uniform draws, sorted, though no more than one is ever held.
    """
    if n < 0 or partners <= 0 or window <= 0 or disorder < 0 or not 0 <= widths[0] <= widths[1]:
        message = (
            "a table of intervals needs n >= 0, partners > 0, window > 0, disorder >= 0 and 0 <= widths[0] <= "
            f"widths[1]; got {n=}, {partners=}, {window=}, {disorder=}, {widths=}"
        )
        raise ValueError(message)
    random = np.random.default_rng(seed)
    span = n * 2.0 * window / partners
    stretches = max(1, math.ceil(n / CHUNK_ROWS))
    first_id = 0
    for stretch, rows in enumerate(random.multinomial(n, np.full(stretches, 1.0 / stretches)).tolist()):
        if math.isinf(disorder):
            lo = random.uniform(0.0, span, rows)
        else:
            lo = np.sort(random.random(rows))
            lo = (stretch + lo) * (span / stretches) + disorder * random.random(rows)
        hi = lo + random.uniform(*widths, rows)
        ids = np.arange(first_id, first_id + rows, dtype=np.int64)
        first_id += rows
        yield pa.record_batch([pa.array(ids), pa.array(lo), pa.array(hi)], schema=SCHEMA)
