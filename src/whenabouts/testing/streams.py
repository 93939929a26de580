"""Streams of interval events: rows in the order in which they arrive, which is not that of their times."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

__all__ = ["arrivals"]


def arrivals(
    rate: float,
    seconds: float,
    *,
    widths: tuple[float, float] = (20, 200),
    delay: tuple[float, float] = (0, 100),
    seed: int,
) -> pa.Table:
    """
    Make a stream of interval events like those of section 5 of the interval timing correlation paper.

    An event happens somewhere between ``lo`` and ``hi``, is reported at ``hi`` and arrives after a transmission delay.
    All times are in milliseconds.

    Parameters
    ----------
    rate
        Events a second; the paper goes from 12 to 1,600.
    seconds
        How long the stream runs: it holds ``round(rate * seconds)`` events.
    widths
        The narrowest and the widest interval, in milliseconds; widths are uniform between the two.
    delay
        The shortest and the longest transmission delay, in milliseconds; delays are uniform between the two. The
        longest is the paper's D, the stream's ``max_delay``.
    seed
        What the random numbers start from.

    Returns
    -------
    pa.Table
        Columns ``id`` (int64, the number of the row), ``lo``, ``hi`` and ``arrival`` (float64, milliseconds), in the
        order of ``arrival``.

    Examples
    --------
    >>> stream = arrivals(500, 10, seed=1)
    >>> stream.num_rows, stream.column_names
    (5000, ['id', 'lo', 'hi', 'arrival'])
    """
    if rate <= 0 or seconds < 0 or not 0 <= widths[0] <= widths[1] or not 0 <= delay[0] <= delay[1]:
        message = (
            "a stream needs rate > 0, seconds >= 0, 0 <= widths[0] <= widths[1] and 0 <= delay[0] <= delay[1]; "
            f"got {rate=}, {seconds=}, {widths=}, {delay=}"
        )
        raise ValueError(message)
    random = np.random.default_rng(seed)
    rows = round(rate * seconds)
    lo = random.uniform(0.0, 1000.0 * seconds, rows)
    hi = lo + random.uniform(*widths, rows)
    arrival = hi + random.uniform(*delay, rows)
    order = np.argsort(arrival)
    ids = np.arange(rows, dtype=np.int64)
    return pa.table({"id": ids, "lo": lo[order], "hi": hi[order], "arrival": arrival[order]})
