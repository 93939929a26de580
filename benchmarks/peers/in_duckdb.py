"""The join in DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.machine import THREADS
from benchmarks.peers.question import Question
from benchmarks.peers.sql import confident_sql, middles_sql

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


def duckdb_connection() -> duckdb.DuckDBPyConnection:
    """Open a database in memory, with as many threads as our side has and no order of rows to keep."""
    import duckdb

    return duckdb.connect(config={"threads": THREADS, "preserve_insertion_order": False})


def duckdb_inequality_sql(question: Question, left: str, right: str) -> str:
    """
    Join on two inequalities, which DuckDB answers with its IEJoin.

    `left` and `right` are what stands after FROM: a name, or ``read_parquet('...')``.
    """
    pairs = f"""
        SELECT a.id AS left_id, b.id AS right_id, abs(a.m - b.m) AS m, a.s AS s, b.s AS t
        FROM ({middles_sql(left)}) AS a JOIN ({middles_sql(right)}) AS b
        ON b.m <= a.m + {question.reach!r} AND b.m >= a.m - {question.reach!r}
    """
    return confident_sql(question, pairs)


def duckdb_buckets_sql(question: Question, left: str, right: str, *, bucket: float) -> str:
    """Hash-join on buckets of time: a left event is in its own, a right event in all that it can reach."""
    pairs = f"""
        SELECT a.id AS left_id, b.id AS right_id, abs(a.m - b.m) AS m, a.s AS s, b.s AS t
        FROM (SELECT *, floor(m / {bucket!r})::BIGINT AS bucket FROM ({middles_sql(left)})) AS a
        JOIN (
            SELECT *, unnest(range(
                floor((m - {question.reach!r}) / {bucket!r})::BIGINT,
                floor((m + {question.reach!r}) / {bucket!r})::BIGINT + 1
            )) AS bucket FROM ({middles_sql(right)})
        ) AS b
        ON a.bucket = b.bucket AND abs(a.m - b.m) <= {question.reach!r}
    """
    return confident_sql(question, pairs)


def duckdb_table(connection: duckdb.DuckDBPyConnection, sql: str, left: pa.Table, right: pa.Table) -> pa.Table:
    """Run one of the two on Arrow tables, which it calls ``left_events`` and ``right_events``."""
    connection.register("left_events", left)
    connection.register("right_events", right)
    return connection.sql(sql).to_arrow_table()


def duckdb_drained(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[int, float]:
    """
    Compute all three columns of every pair and keep none, like Spark's ``noop`` sink; give the count and the sum.

    Adding the columns up materialises nothing, and was found to be faster than reading the answer as Arrow batches.
    """
    totals = "SELECT count(*), sum(confidence), sum(left_id), sum(right_id)"
    pairs, confidence, *_ = connection.sql(f"{totals} FROM ({sql})").fetchall()[0]
    return pairs, confidence
