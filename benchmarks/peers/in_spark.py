"""The join in Spark SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peers.question import Question
from benchmarks.peers.sql import confidence_sql

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


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
