"""The join in Polars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peers.question import Question

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


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
