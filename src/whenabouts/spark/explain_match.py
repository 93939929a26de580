"""What Spark would do for a pattern: what is pushed down, the slices, and the physical plan."""

from __future__ import annotations

from pyspark.sql import DataFrame

from whenabouts.ops.match.question import PatternMatch
from whenabouts.spark.explain import with_plan
from whenabouts.spark.grid import SMALL
from whenabouts.spark.match import sliced_match
from whenabouts.spark.match_slices import Look, look_at, routing_keys


def explain_match(question: PatternMatch, data: DataFrame) -> tuple[list[tuple[str, str]], str]:
    """Lines about the slices, and Spark's own plan."""
    look = look_at(question, data)
    keys = [" = ".join(dict.fromkeys(key)) for key in routing_keys(question)]
    lines = [
        ("pushed down", "conditions on single events, and that some component fits"),
        ("events", f"{look.rows:,} that fit a component and pass the door"),
        ("slices", described_slices(look, keys)),
        ("method", f"{question.method}: chosen in each slice from how many events fit"),
    ]
    return with_plan(lines, sliced_match(question, data, look))


def described_slices(look: Look, keys: list[str]) -> str:
    """How the work is cut up, or why it is not."""
    if look.grid.slices == 1:
        if look.rows <= SMALL:
            return "one: there are too few events to share out"
        reason = "nothing but time parts the events" if not keys else f"one bucket of {', '.join(keys)} has them all"
        return f"one, so one core does all: {reason}, and the window is about as long as the data"
    cuts = f"{look.grid.slices:,} of time" + (f" and {look.grid.buckets} buckets of {', '.join(keys)}" if keys else "")
    return f"{cuts}; a slice also sees what lies the window and {look.widest:,.6g} ticks beyond it"
