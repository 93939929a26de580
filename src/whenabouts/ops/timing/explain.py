"""What a timing join would do, in words and before it runs."""

from __future__ import annotations

import math

from whenabouts.model.times import describe
from whenabouts.ops.timing.question import TimingJoin

_STRATEGIES = {
    "auto": "range sweep; probes by closed form, table of satisfaction times or exact sums, whichever fits",
    "sweep": "range sweep",
    "simple": "hold every arrival against the whole buffer (paper 001, algorithm 1)",
    "sorted": "the same with buffers sorted by latest time",
    "eager": "cut the buffer by the bounds LH, LL, RL, RH at every arrival (paper 001, algorithms 2 and 3)",
    "lazy": "the same for blocks of arrivals (paper 001, algorithms 4 and 5)",
    "lookup": "blocks, reusing verdicts along the stochastic order (paper 001, algorithms 6 and 7)",
    "partition": "ranges and probes from satisfaction times of template pairs (paper 000, theorems 2 to 4)",
}


def describe_join(join: TimingJoin, predicate: str, engine: str) -> list[tuple[str, str]]:
    """The plan as lines of name and value."""
    lines = [
        ("question", f"P({predicate}) >= {join.min_confidence:g}"),
        ("left time X", describe(join.left.contract.time)),
        ("right time Y", describe(join.right.contract.time)),
        ("band on Y - X", f"[{_number(join.low)}, {_number(join.high)}] {_unit(join)}"),
    ]
    if join.by:
        lines.append(("equal keys", ", ".join(one if one == other else f"{one} = {other}" for one, other in join.by)))
    strategy = _STRATEGIES[join.strategy]
    if join.strategy in ("lazy", "lookup"):
        wait = "" if math.isinf(join.every) else f" or {join.every:g} ticks"
        strategy += f"; a block is {join.block_size} arrivals{wait}"
    lines += [
        ("strategy", f"{join.strategy}: {strategy}"),
        (
            "confidence",
            "computed where it is not certain" if join.measure else "not asked for: sure ranges cost nothing",
        ),
        ("bad rows", f"left {_door(join.left.quarantine)}, right {_door(join.right.quarantine)}"),
        ("engine", engine),
    ]
    return lines


def _door(quarantine: bool) -> str:
    return "set aside" if quarantine else "an error"


def _number(value: float) -> str:
    return f"{value:,.12g}" if math.isfinite(value) else ("-inf" if value < 0 else "inf")


def _unit(join: TimingJoin) -> str:
    if join.clock.kind == "number":
        return "in the unit of the times"
    return {1: "ns", 1_000: "us", 1_000_000: "ms", 1_000_000_000: "s"}[join.clock.tick]
