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

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.machine import THREADS

if TYPE_CHECKING:
    import duckdb
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

TOLERANCE = 1e-12
"""A probability that equals the threshold counts."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """
    What is asked of every side: which pairs are within `window`, with a confidence of `threshold` or more?

    `min_width` and `max_width` are the narrowest and the widest interval in either table. Our side finds out by itself;
    the peers are told, and leave out what such data does not need.
    """

    window: float
    threshold: float
    min_width: float
    max_width: float

    @property
    def one_sided(self) -> bool:
        """Whether no interval is wider than the window, so that the second tail is zero."""
        return self.max_width <= self.window

    @property
    def has_points(self) -> bool:
        """Whether an interval may have no width, so that the ramps must not be divided by it."""
        return self.min_width == 0

    @property
    def reach(self) -> float:
        """How far apart the middles of a pair can be."""
        return self.window if self.threshold > 0.5 else self.window + self.max_width

    @property
    def least(self) -> float:
        """The least confidence that counts."""
        return self.threshold - TOLERANCE


# --- SQL that DuckDB and Spark read alike -----------------------------------------------------------------------------


def middles_sql(source: str) -> str:
    """Give each event its middle ``m`` and its half width ``s``."""
    return f"SELECT id, (lo + hi) / 2e0 AS m, (hi - lo) / 2e0 AS s FROM {source}"


def confident_sql(question: Question, pairs: str) -> str:
    """Compute the confidence of `pairs`, columns ``left_id, right_id, m, s, t``, and keep the confident ones."""
    return f"""
        SELECT left_id, right_id, confidence
        FROM (SELECT left_id, right_id, {confidence_sql(question)} AS confidence FROM ({pairs}) AS pairs) AS answers
        WHERE confidence >= {question.least!r}
    """


def confidence_sql(question: Question) -> str:
    """Write the confidence over the columns ``m`` (the distance of the middles), ``s`` and ``t`` (the half widths)."""
    near, far = (_tail_sql(question, f"{sign}m - {question.window!r}") for sign in ("", "-"))
    tails = near if question.one_sided else f"{near} - {far}"
    return f"CASE WHEN m + s + t <= {question.window!r} THEN 1e0 ELSE 1e0 - {tails} END"


def _tail_sql(question: Question, z: str) -> str:
    def squared(ramp: str) -> str:
        return f"greatest({z} {ramp}, 0e0) * greatest({z} {ramp}, 0e0)"

    ramps = f"({squared('+ s + t')} - {squared('+ s - t')} - {squared('- s + t')} + {squared('- s - t')})"
    tail = f"{ramps} / (8e0 * s * t)"
    if not question.has_points:
        return tail
    one_point = f"least(greatest(({z} + s + t) / (2e0 * (s + t)), 0e0), 1e0)"
    two_points = f"CASE WHEN {z} > 0e0 THEN 1e0 ELSE 0e0 END"
    return f"CASE WHEN s * t > 0e0 THEN {tail} WHEN s + t > 0e0 THEN {one_point} ELSE {two_points} END"


def closed_form_sql(question: Question, left: str, right: str) -> str:
    """
    The inequality join as one writes it who knows the formula and nothing of the data.

    Events whose intervals, moved by the window, touch are joined, and their confidence is P(X + d >= Y) less
    P(X - d > Y), each four ramps over both widths; where a width is zero, a hair stands in for it.
    """
    d = question.window

    def ramp(z: str) -> str:
        return f"greatest({z}, 0e0) * greatest({z}, 0e0)"

    def at_most(shift: str) -> str:
        ramps = f"{ramp(f'x2 {shift} - y1')} - {ramp(f'x1 {shift} - y1')} - {ramp(f'x2 {shift} - y2')}"
        return f"({ramps} + {ramp(f'x1 {shift} - y2')}) / (2e0 * (x2 - x1) * (y2 - y1))"

    wide = "SELECT id, lo, CASE WHEN hi > lo THEN hi ELSE lo + 1e-9 END AS hi FROM"
    return f"""
        SELECT left_id, right_id, confidence
        FROM (
            SELECT left_id, right_id, {at_most(f"+ {d!r}")} - {at_most(f"- {d!r}")} AS confidence
            FROM (
                SELECT a.id AS left_id, b.id AS right_id, a.lo AS x1, a.hi AS x2, b.lo AS y1, b.hi AS y2
                FROM ({wide} {left}) AS a JOIN ({wide} {right}) AS b
                ON b.lo <= a.hi + {d!r} AND b.hi >= a.lo - {d!r}
            ) AS pairs
        ) AS answers
        WHERE confidence >= {question.least!r}
    """


# --- DuckDB -----------------------------------------------------------------------------------------------------------


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


# --- Polars -----------------------------------------------------------------------------------------------------------


def polars_join_where(question: Question, left: pa.Table, right: pa.Table) -> pa.Table:
    """Join with ``join_where``, which Polars answers with an inequality join."""
    import polars as pl

    a, b = _polars_middles(left, "left_id", "m", "s"), _polars_middles(right, "right_id", "n", "t")
    pairs = a.join_where(b, pl.col("n") <= pl.col("m") + question.reach, pl.col("n") >= pl.col("m") - question.reach)
    return _polars_confident(question, pairs.with_columns(m=(pl.col("m") - pl.col("n")).abs()))


def polars_closed_form(question: Question, left: pa.Table, right: pa.Table) -> pa.Table:
    """``join_where`` and the closed form, written without knowing anything of the data, like `closed_form_sql`."""
    import polars as pl

    def events(table: pa.Table, name: str, first: str, last: str) -> pl.LazyFrame:
        lo, hi = pl.col("lo"), pl.col("hi")
        latest = pl.when(hi > lo).then(hi).otherwise(lo + 1e-9)
        frame = pl.LazyFrame(pl.from_arrow(table))
        return frame.select(pl.col("id").alias(name), lo.alias(first), latest.alias(last))

    x1, x2, y1, y2, d = pl.col("x1"), pl.col("x2"), pl.col("y1"), pl.col("y2"), question.window

    def squared(z: pl.Expr) -> pl.Expr:
        return z.clip(lower_bound=0.0).pow(2)

    def at_most(shift: float) -> pl.Expr:
        ramps = squared(x2 + shift - y1) - squared(x1 + shift - y1) - squared(x2 + shift - y2)
        return (ramps + squared(x1 + shift - y2)) / (2 * (x2 - x1) * (y2 - y1))

    pairs = events(left, "left_id", "x1", "x2").join_where(
        events(right, "right_id", "y1", "y2"), y1 <= x2 + d, y2 >= x1 - d
    )
    answers = pairs.select("left_id", "right_id", confidence=at_most(d) - at_most(-d))
    return answers.filter(pl.col("confidence") >= question.least).collect(engine="streaming").to_arrow()


def polars_buckets(question: Question, left: pa.Table, right: pa.Table, *, bucket: float) -> pa.Table:
    """Hash-join on buckets of time: a left event is in its own, a right event in all that it can reach."""
    import polars as pl

    def numbered(time: pl.Expr) -> pl.Expr:
        return (time / bucket).floor().cast(pl.Int64)

    m, n = pl.col("m"), pl.col("n")
    a = _polars_middles(left, "left_id", "m", "s").with_columns(bucket=numbered(m))
    b = _polars_middles(right, "right_id", "n", "t").with_columns(
        bucket=pl.int_ranges(numbered(n - question.reach), numbered(n + question.reach) + 1)
    )
    pairs = a.join(b.explode("bucket"), on="bucket").with_columns(m=(m - n).abs())
    return _polars_confident(question, pairs.filter(m <= question.reach))


def _polars_middles(table: pa.Table, name: str, middle: str, half_width: str) -> pl.LazyFrame:
    import polars as pl

    lo, hi = pl.col("lo"), pl.col("hi")
    return pl.LazyFrame(pl.from_arrow(table)).select(
        pl.col("id").alias(name), ((lo + hi) / 2).alias(middle), ((hi - lo) / 2).alias(half_width)
    )


def _polars_confident(question: Question, pairs: pl.LazyFrame) -> pa.Table:
    """
    Compute the confidence of `pairs` and keep the confident ones.

    Polars evaluates all branches of a ``when``, so that setting the sure pairs apart would cost more than it saves.
    """
    import polars as pl

    m, s, t = pl.col("m"), pl.col("s"), pl.col("t")

    def squared(ramp: pl.Expr) -> pl.Expr:
        return ramp.clip(lower_bound=0.0).pow(2)

    def tail(z: pl.Expr) -> pl.Expr:
        ramps = squared(z + s + t) - squared(z + s - t) - squared(z - s + t) + squared(z - s - t)
        exact = ramps / (8 * s * t)
        if not question.has_points:
            return exact
        one_point = ((z + s + t) / (2 * (s + t))).clip(0.0, 1.0)
        two_points = pl.when(z > 0).then(1.0).otherwise(0.0)
        return pl.when(s * t > 0).then(exact).when(s + t > 0).then(one_point).otherwise(two_points)

    tails = tail(m - question.window)
    if not question.one_sided:
        tails = tails + tail(-m - question.window)
    answers = pairs.select("left_id", "right_id", confidence=1 - tails)
    return answers.filter(pl.col("confidence") >= question.least).collect(engine="streaming").to_arrow()


# --- Spark SQL --------------------------------------------------------------------------------------------------------


def spark_buckets(question: Question, left: DataFrame, right: DataFrame, *, bucket: float) -> DataFrame:
    """
    Hash-join on buckets of time: a left event is in its own, a right event in all that it can reach.

    A pair meets in one bucket only, that of its left event, so nothing is to be deduplicated.
    """
    from pyspark.sql import functions as F

    middle, half_width = (F.col("lo") + F.col("hi")) / 2, (F.col("hi") - F.col("lo")) / 2

    def numbered(time: Column) -> Column:
        return F.floor(time / bucket)

    a = left.select(
        F.col("id").alias("left_id"), middle.alias("a"), half_width.alias("s"), numbered(middle).alias("bucket")
    )
    reached = F.sequence(numbered(middle - question.reach), numbered(middle + question.reach))
    b = right.select(
        F.col("id").alias("right_id"), middle.alias("b"), half_width.alias("t"), F.explode(reached).alias("bucket")
    )
    distance = F.abs(F.col("a") - F.col("b"))
    pairs = a.join(b.hint("shuffle_hash"), "bucket").where(distance <= question.reach)
    answers = pairs.select("left_id", "right_id", distance.alias("m"), "s", "t").select(
        "left_id", "right_id", F.expr(confidence_sql(question)).alias("confidence")
    )
    return answers.where(F.col("confidence") >= question.least)


def spark_closed_form(question: Question, left: DataFrame, right: DataFrame, *, bucket: float) -> DataFrame:
    """
    The bucketed join as one writes it who knows the formula and nothing of the data, like `closed_form_sql`.

    Both events are put into every bucket that their interval touches, the right one's moved by the window; the pair
    belongs to the first bucket that they share.
    """
    from pyspark.sql import functions as F

    d, lo = question.window, F.col("lo")
    hi = F.when(F.col("hi") > lo, F.col("hi")).otherwise(lo + 1e-9)

    def numbered(time: Column) -> Column:
        return F.floor(time / bucket)

    def events(frame: DataFrame, prefix: str, name: str, reach: float) -> DataFrame:
        touched = F.sequence(numbered(lo - reach), numbered(hi + reach))
        columns = [F.col("id").alias(name), lo.alias(f"{prefix}1"), hi.alias(f"{prefix}2")]
        return frame.select(*columns, touched[0].alias(f"{prefix}_first"), F.explode(touched).alias("bucket"))

    x1, x2, y1, y2 = (F.col(name) for name in ("x1", "x2", "y1", "y2"))

    def squared(z: Column) -> Column:
        return F.greatest(z, F.lit(0.0)) * F.greatest(z, F.lit(0.0))

    def at_most(shift: float) -> Column:
        ramps = squared(x2 + shift - y1) - squared(x1 + shift - y1) - squared(x2 + shift - y2)
        return (ramps + squared(x1 + shift - y2)) / (2 * (x2 - x1) * (y2 - y1))

    a, b = events(left, "x", "left_id", 0.0), events(right, "y", "right_id", d)
    touching = (y1 <= x2 + d) & (y2 >= x1 - d) & (F.col("bucket") == F.greatest("x_first", "y_first"))
    answers = a.join(b.hint("shuffle_hash"), "bucket").where(touching)
    answers = answers.select("left_id", "right_id", (at_most(d) - at_most(-d)).alias("confidence"))
    return answers.where(F.col("confidence") >= question.least)
