"""What Spark would do: the slices that the data's sizes call for, and the physical plan."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence

from pyspark.sql import DataFrame

from whenabouts.ops.intervals.question import IntervalQuestion
from whenabouts.ops.similarity.question import SimilarityJoin
from whenabouts.ops.timing.question import TimingJoin
from whenabouts.spark.interval_blocks import plan_blocks
from whenabouts.spark.interval_query import blocked_query
from whenabouts.spark.similarity_join import plan_windows, spark_similarity_join
from whenabouts.spark.slices import look_at
from whenabouts.spark.timing_join import sliced_join


def explain_join(join: TimingJoin, left: DataFrame, right: DataFrame) -> tuple[list[tuple[str, str]], str]:
    """Lines about the slices, and Spark's own plan."""
    grid, rows = look_at(join, left, right)
    cuts = f"{grid.slices:,} of time" + (f" and {grid.buckets} buckets of keys" if join.by else "")
    if grid.tasks > grid.slices:
        cuts += f", hot ones dealt out to {grid.tasks:,} tasks"
    words = io.StringIO()
    with contextlib.redirect_stdout(words):
        sliced_join(join, left, right, grid).explain()
    return [
        ("rows", f"about {rows[0]:,} x {rows[1]:,}"),
        ("slices", cuts),
        ("depth", f"{len(grid.levels)} levels of cells; more where the data is dense"),
    ], shortened(words.getvalue())


def explain_blocks(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None
) -> tuple[list[tuple[str, str]], str]:
    """A line about the blocks of keys, and Spark's own plan."""
    blocks = plan_blocks(question, left, right, pairs)
    words = io.StringIO()
    with contextlib.redirect_stdout(words):
        blocked_query(question, left, right, pairs, blocks).explain()
    cut = "{:,} of left keys x {:,} of right keys, a task each".format(*blocks.counts)
    return [("blocks", cut)], shortened(words.getvalue())


def explain_windows(join: SimilarityJoin, frames: Sequence[DataFrame]) -> tuple[list[tuple[str, str]], str]:
    """Lines about the slices of places and the strips of space, and Spark's own plan."""
    slices = plan_windows(join, frames)
    cuts = f"{len(slices.hot):,} of places"
    if any(slices.hot):
        cuts += f", {sum(slices.hot):,} of them cut into {len(slices.strips) + 1:,} strips of space"
    words = io.StringIO()
    with contextlib.redirect_stdout(words):
        spark_similarity_join(join, frames, slices=slices).explain()
    return [("slices", cuts), ("tasks", f"{slices.tasks:,}")], shortened(words.getvalue())


def shortened(plan: str, width: int = 400) -> str:
    """The plan without the long constants of the grid."""
    return "\n".join(line if len(line) <= width else line[: width - 4] + " ..." for line in plan.splitlines())
