"""What a pattern query would do, in words and before it runs."""

from __future__ import annotations

import math

import pyarrow as pa

from whenabouts.model.times import describe
from whenabouts.ops.match.methods import choose_method
from whenabouts.ops.match.prepare import prepare
from whenabouts.ops.match.question import PatternMatch
from whenabouts.query import format_expression, format_pattern

_STRATEGIES = {
    "skip_till_any_match": "every event that fits may be chosen or skipped",
    "skip_till_next_match": "the first event that fits is chosen; a match is spoiled by one that comes before",
}


def describe_match(question: PatternMatch, engine: str) -> list[tuple[str, str]]:
    """The plan as lines of name and value."""
    pattern, conditions = question.pattern, question.conditions
    lines = [("pattern", format_pattern(pattern).splitlines()[0].removeprefix("PATTERN "))]
    lines.append(("selection", f"{pattern.strategy}: {_STRATEGIES[pattern.strategy]}"))
    lines.append(("time", describe(question.contract.time) + _ticks(question)))
    lines.append(("window", "none" if math.isinf(question.window) else f"last - first < {pattern.window}"))
    for one, parts in zip(pattern.components, conditions.single, strict=True):
        said = [f"{question.type} = {one.type!r}"] if one.type is not None else []
        said += [format_expression(part) for part in parts]
        place = f"absent {one.variable}" if one.negated else f"event {one.variable}"
        lines.append((place, " AND ".join(said) or "any event"))
    for key in conditions.keys:
        lines.append(("partition key", " = ".join(map("{}.{}".format, pattern.variables, key))))
    for part in conditions.constant:
        lines.append(("constant", format_expression(part)))
    for part in conditions.rest:
        lines.append(("checked in the kernel", format_expression(part)))
    wanted = "every match that is possible" if question.min_confidence == 0 else f">= {question.min_confidence:g}"
    lines.append(("confidence", wanted if question.top is None else f"{wanted}, the {question.top:,} surest"))
    lines.append(("bad rows", "set aside" if question.quarantine else "an error"))
    lines.append(("engine", engine))
    return lines


def describe_method(question: PatternMatch, table: pa.Table) -> list[tuple[str, str]]:
    """How many events fit each component, and which method that makes the best."""
    prepared = prepare(question, table)
    sizes = [
        f"{one.variable} {len(rows):,}"
        for one, rows in zip(question.pattern.components, prepared.rows, strict=True)
    ]  # fmt: skip
    method, why = choose_method(prepared, question.method)
    return [
        ("events", f"{len(table):,}, of which fit {', '.join(sizes)}"),
        ("method", f"{method}: {why}"),
        ("slices", "1, in one piece"),
    ]


def _ticks(question: PatternMatch) -> str:
    return f", counted in ticks of {question.grain:g}" if question.grain else ", continuous"
