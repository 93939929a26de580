"""What Spark would do: the slices that the data's sizes call for, advice on the session, and the physical plan."""

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
from whenabouts.spark.session import is_tuned
from whenabouts.spark.similarity_join import plan_windows, spark_similarity_join
from whenabouts.spark.slices import plan, sides
from whenabouts.spark.timing_join import sliced_join


def explain_join(join: TimingJoin, left: DataFrame, right: DataFrame) -> tuple[list[tuple[str, str]], str]:
    """Lines about the slices, and Spark's own plan."""
    both = sides(join, left, right)
    grid, rows = plan(join, both)
    cuts = f"{grid.slices:,} of time" + (f" and {grid.buckets} buckets of keys" if join.by else "")
    if grid.tasks > grid.slices:
        cuts += f", hot ones dealt out to {grid.tasks:,} tasks"
    lines = [
        ("rows", " x ".join(map(_about, rows))),
        ("slices", cuts),
        ("depth", f"{len(grid.levels)} levels of cells; more where the data is dense"),
    ]
    return with_plan(lines, sliced_join(join, both, grid))


def explain_blocks(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None
) -> tuple[list[tuple[str, str]], str]:
    """A line about the blocks of keys, and Spark's own plan."""
    blocks = plan_blocks(question, left, right, pairs)
    cut = "{:,} of left keys x {:,} of right keys, a task each".format(*blocks.counts)
    return with_plan([("blocks", cut)], blocked_query(question, left, right, pairs, blocks))


def explain_windows(join: SimilarityJoin, frames: Sequence[DataFrame]) -> tuple[list[tuple[str, str]], str]:
    """Lines about the slices of places and the strips of space, and Spark's own plan."""
    slices = plan_windows(join, frames)
    cuts = f"{len(slices.hot):,} of places"
    if any(slices.hot):
        cuts += f", {sum(slices.hot):,} of them cut into {len(slices.strips) + 1:,} strips of space"
    lines = [("slices", cuts), ("tasks", f"{slices.tasks:,}")]
    return with_plan(lines, spark_similarity_join(join, frames, slices=slices))


def with_plan(lines: list[tuple[str, str]], frame: DataFrame) -> tuple[list[tuple[str, str]], str]:
    """Some lines, one of advice where the session could do better, and Spark's own plan of a frame."""
    words = io.StringIO()
    with contextlib.redirect_stdout(words):
        frame.explain()
    advice = [] if is_tuned(frame.sparkSession) else [("advice", "wa.tune(spark) makes Spark hand rows over faster")]
    return lines + advice, _shortened(words.getvalue())


def _about(rows: int) -> str:
    """What a look knows of a size: of a small table it may see a few rows, or none."""
    return f"about {rows:,}" if rows >= 1000 else "some hundred at most"


def _shortened(plan: str, width: int = 400) -> str:
    """The plan without the long constants of the grid."""
    return "\n".join(line if len(line) <= width else line[: width - 4] + " ..." for line in plan.splitlines())
