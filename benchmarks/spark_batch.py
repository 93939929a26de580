"""The join of two Parquet files on Spark, the pairs thrown away: whenabouts, a bucketed Spark SQL join, and DuckDB.

Both Spark sides run in the same session. DuckDB reads the same files, on as many threads as Spark has cores, and
consumes the pairs without keeping them, as Spark's ``noop`` sink does.

A first question opens the files, and has whenabouts look at them to plan its slices. Questions that are asked again of
the same frames are measured, too: those of whenabouts need no look any more. The bucketed join never looks: it is
told how wide its buckets should be.
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

    def anew(case: Case) -> dict[str, Callable[[], object]]:
        files = [f"read_parquet('{path}')" for path in case.files()]
        return {
            OURS: lambda: drain(spark_join(spark, case)),
            SPARK_SQL: lambda: drain(spark_sql_join(spark, case)),
            SPARK_SQL_ANY: lambda: drain(spark_sql_join(spark, case, peers.spark_closed_form)),
            DUCKDB: partial(peers.duckdb_drained, connection, peers.duckdb_inequality_sql(QUESTION, *files)),
            DUCKDB_ANY: partial(peers.duckdb_drained, connection, peers.closed_form_sql(QUESTION, *files)),
        }

    def again(case: Case) -> dict[str, Callable[[], object]]:
        frames, bucket = frames_of(spark, case), case.spark_bucket * WINDOW
        return {
            OURS: lambda: drain(ours.timing_join(QUESTION, *frames)),
            SPARK_SQL: lambda: drain(peers.spark_buckets(QUESTION, *frames, bucket=bucket)),
            SPARK_SQL_ANY: lambda: drain(peers.spark_closed_form(QUESTION, *frames, bucket=bucket)),
        }

    # The JVM compiles what it has seen often: Spark's planner last, and loops by how long they run.
    interleaved(anew(sparse(20_000)), repetitions=20)

    rows: list[Row] = []
    for case in cases(scale):
        agreement, sides, known = Agreement(), anew(case), again(case)
        agreement.see_totals(OURS, *totals(spark_join(spark, case)))
        agreement.see_totals(SPARK_SQL, *totals(spark_sql_join(spark, case)))
        agreement.see_totals(SPARK_SQL_ANY, *totals(spark_sql_join(spark, case, peers.spark_closed_form)))
        agreement.see_totals(DUCKDB, *sides[DUCKDB]())
        agreement.see_totals(DUCKDB_ANY, *sides[DUCKDB_ANY]())
        for _ in range(8):
            interleaved({name: sides[name] for name in known}, repetitions=1)
            interleaved(known, repetitions=1)
        rows += against_ours("spark_batch", case.name, interleaved(sides, repetitions=7), agreement.pairs)
        rows += against_ours(
            "spark_batch", f"{case.name}, asked again", interleaved(known, repetitions=7), agreement.pairs
        )
    spark.stop()
    return rows


def frames_of(spark: SparkSession, case: Case) -> list[DataFrame]:
    """The two Parquet files."""
    return [spark.read.parquet(path) for path in case.files()]


def spark_join(spark: SparkSession, case: Case, **options: object) -> DataFrame:
    """Our side: two Parquet files, joined."""
    return ours.timing_join(QUESTION, *frames_of(spark, case), **options)


def spark_sql_join(spark: SparkSession, case: Case, join: Callable[..., DataFrame] = peers.spark_buckets) -> DataFrame:
    """The same in Spark SQL."""
    return join(QUESTION, *frames_of(spark, case), bucket=case.spark_bucket * WINDOW)
