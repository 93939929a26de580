"""The join of two Parquet files on Spark, the pairs thrown away: whenabouts, a bucketed Spark SQL join, and DuckDB.

Both Spark sides run in the same session. DuckDB reads the same files, on as many threads as Spark has cores, and
consumes the pairs without keeping them, as Spark's ``noop`` sink does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from benchmarks import ours, peers
from benchmarks.agreement import Agreement
from benchmarks.data import QUESTION, WINDOW, Case, Scale, cases, sparse
from benchmarks.measure import OURS, Row, against_ours, interleaved
from benchmarks.spark_session import drain, session, totals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPARK_SQL = "Spark SQL buckets"
SPARK_SQL_ANY = "Spark SQL closed form"
DUCKDB = "DuckDB inequality"
DUCKDB_ANY = "DuckDB closed form"


def run(scale: Scale) -> list[Row]:
    """Compare the sides on few partners and on many."""
    spark = session()
    connection = peers.duckdb_connection()

    def contestants(case: Case) -> dict[str, Callable[[], object]]:
        files = [f"read_parquet('{path}')" for path in case.files()]
        return {
            OURS: lambda: drain(spark_join(spark, case)),
            SPARK_SQL: lambda: drain(spark_sql_join(spark, case)),
            SPARK_SQL_ANY: lambda: drain(spark_sql_join(spark, case, peers.spark_closed_form)),
            DUCKDB: partial(peers.duckdb_drained, connection, peers.duckdb_inequality_sql(QUESTION, *files)),
            DUCKDB_ANY: partial(peers.duckdb_drained, connection, peers.closed_form_sql(QUESTION, *files)),
        }

    # The JVM compiles what it has seen often, Spark's planner last: both Spark sides are warmed until it has.
    interleaved(contestants(sparse(20_000)), repetitions=20)

    rows: list[Row] = []
    for case in cases(scale):
        agreement, sides = Agreement(), contestants(case)
        agreement.see_totals(OURS, *totals(spark_join(spark, case)))
        agreement.see_totals(SPARK_SQL, *totals(spark_sql_join(spark, case)))
        agreement.see_totals(SPARK_SQL_ANY, *totals(spark_sql_join(spark, case, peers.spark_closed_form)))
        agreement.see_totals(DUCKDB, *sides[DUCKDB]())
        agreement.see_totals(DUCKDB_ANY, *sides[DUCKDB_ANY]())
        rows += against_ours("spark_batch", case.name, interleaved(sides, repetitions=5), agreement.pairs)
    spark.stop()
    return rows


def spark_join(spark: SparkSession, case: Case, **options: object) -> DataFrame:
    """Our side: two Parquet files, joined."""
    return ours.timing_join(QUESTION, *(spark.read.parquet(path) for path in case.files()), **options)


def spark_sql_join(spark: SparkSession, case: Case, join: Callable[..., DataFrame] = peers.spark_buckets) -> DataFrame:
    """The same in Spark SQL."""
    left, right = (spark.read.parquet(path) for path in case.files())
    return join(QUESTION, left, right, bucket=case.spark_bucket * WINDOW)
