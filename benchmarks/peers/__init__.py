"""The same join, as one would write it well without whenabouts: in DuckDB, in Polars, in Spark SQL.

All of them compute P(|X - Y| <= d) for X uniform on [a.lo, a.hi] and Y uniform on [b.lo, b.hi]. With m the distance of
the two middles, s and t the half widths and R(z) = max(z, 0)^2 / 2, the probability that the one lies more than d
beyond the other is four ramps,

    tail(m) = [R(m-d+s+t) - R(m-d+s-t) - R(m-d-s+t) + R(m-d-s-t)] / (4 s t)

and the answer is 1 - tail(m) - tail(-m). The second tail is zero unless intervals are wider than the window. A pair
that is surely within the window (m + s + t <= d) is settled before any arithmetic, where the engine evaluates lazily.

Above one half, a threshold needs middles within the window, since |X - Y| is symmetric about their distance: the peers
know this too, and join on it.
"""

from __future__ import annotations

from benchmarks.peers.in_duckdb import (
    duckdb_buckets_sql,
    duckdb_connection,
    duckdb_drained,
    duckdb_inequality_sql,
    duckdb_table,
)
from benchmarks.peers.in_polars import polars_buckets, polars_closed_form, polars_join_where
from benchmarks.peers.in_spark import spark_buckets, spark_closed_form
from benchmarks.peers.question import Question
from benchmarks.peers.sql import closed_form_sql, confidence_sql

__all__ = [
    "Question",
    "closed_form_sql",
    "confidence_sql",
    "duckdb_buckets_sql",
    "duckdb_connection",
    "duckdb_drained",
    "duckdb_inequality_sql",
    "duckdb_table",
    "polars_buckets",
    "polars_closed_form",
    "polars_join_where",
    "spark_buckets",
    "spark_closed_form",
]
