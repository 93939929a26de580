"""The synthetic stream of the paper on patterns: a series of numbers, one a unit of time, known only roughly."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

__all__ = ["number_series"]


def number_series(n: int, *, delta: float = 0.0, keys: int = 1) -> pa.Table:
    """
    Make the stream of appendix C of the paper on patterns: values that rise from 1 to 1000 and start over.

    Event k happens around time k, anywhere between ``k - delta`` and ``k + delta``.

    Parameters
    ----------
    n
        How many events.
    delta
        Half the width of an interval.
    keys
        How many keys the events are dealt out to, in turn; every key has a series of its own, in which time passes as
        it does in a single one.

    Returns
    -------
    pa.Table
        Columns ``id`` (int64, the number of the row), ``key`` (int64), ``value`` (int64), ``lo`` and ``hi`` (float64).

    Examples
    --------
    >>> number_series(3, delta=5)["value"].to_pylist()
    [1, 2, 3]
    """
    if n < 0 or delta < 0 or keys < 1:
        message = f"a series needs n >= 0, delta >= 0 and keys >= 1; got {n=}, {delta=}, {keys=}"
        raise ValueError(message)
    number = np.arange(n, dtype=np.int64)
    place = number // keys
    time = place.astype(np.float64)
    return pa.table(
        {"id": number, "key": number % keys, "value": place % 1000 + 1, "lo": time - delta, "hi": time + delta}
    )
