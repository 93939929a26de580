"""`whenabouts intervals`: an interval query over the segments in one or two files of point events."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.options import COLUMNS, HOW, OUTPUT, QUESTION, BadRows, check_files, option
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import moment_or_column, names_of, number_or_text
from whenabouts.errors import BadArgument


def intervals(
    events: Annotated[str, typer.Argument(help="Point events: a .parquet, .csv or .jsonl file, a folder, a pattern.")],
    query: Annotated[str, option("--query", QUESTION, 'Such as "AT LEAST 2 a INTERSECTS SOME b".')],
    right: Annotated[
        str | None, option("--right", QUESTION, "The events of b; else b are the same events as a, in other keys.")
    ] = None,
    pairs: Annotated[
        str | None, option("--pairs", QUESTION, "A file with the pairs to look at: left_key, right_key.")
    ] = None,
    min_confidence: Annotated[
        float | None, option("--min-confidence", QUESTION, "The least probability of a pair.")
    ] = None,
    key: Annotated[str, option("--key", COLUMNS, "Whose event it is.")] = "key",
    seq: Annotated[str, option("--seq", COLUMNS, "Its number; one that lacks is a lost event.")] = "seq",
    time: Annotated[str, option("--time", COLUMNS, "Its time: a column, or between(lo, hi) and such.")] = "time",
    role: Annotated[str | None, option("--role", COLUMNS, "Its role: start, suspend, resume, end.")] = None,
    expected: Annotated[
        str | None, option("--expected", COLUMNS, "How many events a key has: a number or a column.")
    ] = None,
    bounds: Annotated[
        str | None,
        option("--bounds", COLUMNS, "Earliest and latest time of lost ends, lo,hi: columns, numbers or timestamps."),
    ] = None,
    bad_rows: Annotated[
        BadRows, option("--bad-rows", COLUMNS, "Whether a bad key stops the query or is set aside.")
    ] = BadRows.stop,
    out: Annotated[Path | None, option("--out", OUTPUT, "Where the pairs go: .parquet, .csv or .jsonl.")] = None,
    rejected: Annotated[Path | None, option("--rejected", OUTPUT, "Where rows that were set aside go.")] = None,
    engine: Annotated[Engine, option("--engine", HOW, "This process, or local Spark.")] = Engine.process,
    method: Annotated[str, option("--method", HOW, "lattice, simpmatch, sase, ignore or static.")] = "lattice",
    explain: Annotated[bool, option("--explain", HOW, "Show the plan and stop.")] = False,
) -> None:
    """For which pairs of keys does a relation between their segments hold, though events were lost, and how surely?

    whenabouts intervals sectors.csv --key sector --query "AT LEAST 2 a INTERSECTS SOME b" --out pairs.parquet
    """
    check_files(out, rejected, bad_rows, events, right, pairs)

    import whenabouts as wa
    from whenabouts.cli import show

    edges = names_of(bounds)
    if edges and len(edges) != 2:
        raise BadArgument(f"--bounds {bounds!r} must be two columns, numbers or timestamps: earliest,latest.")
    options: dict[str, Any] = {
        "key": key, "seq": seq, "time": parse_time(time) if "(" in time else time, "role": role,
        "expected": None if expected is None else number_or_text(expected),
        "bounds": tuple(map(moment_or_column, edges)) if edges else None, "bad_rows": bad_rows.value,
    }  # fmt: skip
    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        one = wa.segments(runner.read(events), **options)
        other = one if right is None else wa.segments(runner.read(right), **options)
        wanted = runner.read(pairs) if pairs is not None else ("unordered" if right is None else None)
    asked: dict[str, Any] = {"pairs": wanted, "min_confidence": min_confidence, "method": method}
    if explain:
        console.print(str(wa.explain(wa.interval_query, one, other, query, **asked)), markup=False, soft_wrap=True)
        return
    with runner.working("Asking"):
        table = runner.compute(wa.interval_query(one, other, query, **asked), out)
    show.answer(console, show.first_look(table), f"{len(table):,} pairs in {runner.seconds:.2f} s")
    show.written(console, len(table), "pairs", out)
    runner.save_rejected((one,) if right is None else (one, other), rejected, console)
