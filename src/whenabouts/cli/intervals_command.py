"""`whenabouts intervals`: an interval query over the segments in one or two files of point events."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.join_command import BadRows
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import names_of, number_or_text
from whenabouts.errors import BadArgument

_QUESTION, _COLUMNS, _OUTPUT, _HOW = "The question", "What the columns mean", "The answer", "How it runs"


def _option(flag: str, panel: str, text: str) -> Any:
    return typer.Option(flag, help=text, rich_help_panel=panel)


def intervals(
    events: Annotated[str, typer.Argument(help="Point events: a .parquet, .csv or .jsonl file, a folder, a pattern.")],
    query: Annotated[str, _option("--query", _QUESTION, 'Such as "AT LEAST 2 a INTERSECTS SOME b".')],
    right: Annotated[
        str | None, _option("--right", _QUESTION, "The events of b; else b are the same events as a, in other keys.")
    ] = None,
    pairs: Annotated[
        str | None, _option("--pairs", _QUESTION, "A file with the pairs to look at: left_key, right_key.")
    ] = None,
    min_confidence: Annotated[
        float | None, _option("--min-confidence", _QUESTION, "The least probability of a pair.")
    ] = None,
    key: Annotated[str, _option("--key", _COLUMNS, "Whose event it is.")] = "key",
    seq: Annotated[str, _option("--seq", _COLUMNS, "Its number; one that lacks is a lost event.")] = "seq",
    time: Annotated[str, _option("--time", _COLUMNS, "Its time: a column, or between(lo, hi) and such.")] = "time",
    role: Annotated[str | None, _option("--role", _COLUMNS, "Its role: start, suspend, resume, end.")] = None,
    expected: Annotated[
        str | None, _option("--expected", _COLUMNS, "How many events a key has: a number or a column.")
    ] = None,
    bounds: Annotated[str | None, _option("--bounds", _COLUMNS, "Columns of earliest and latest: lo,hi.")] = None,
    bad_rows: Annotated[
        BadRows, _option("--bad-rows", _COLUMNS, "Whether a bad key stops the query or is set aside.")
    ] = BadRows.stop,
    out: Annotated[Path | None, _option("--out", _OUTPUT, "Where the pairs go: .parquet, .csv or .jsonl.")] = None,
    rejected: Annotated[Path | None, _option("--rejected", _OUTPUT, "Where rows that were set aside go.")] = None,
    engine: Annotated[Engine, _option("--engine", _HOW, "This process, or local Spark.")] = Engine.process,
    method: Annotated[str, _option("--method", _HOW, "lattice, simpmatch, sase, ignore or static.")] = "lattice",
) -> None:
    """For which pairs of keys does a relation between their segments hold, though events were lost, and how surely?

    whenabouts intervals sectors.csv --key sector --query "AT LEAST 2 a INTERSECTS SOME b" --out pairs.parquet
    """
    if rejected is not None and bad_rows is BadRows.stop:
        raise BadArgument("--rejected needs --bad-rows quarantine: else a bad key stops the query.")
    for path in (out, rejected):
        if path is not None:
            from whenabouts.io import format_of

            format_of(path)

    import whenabouts as wa
    from whenabouts.cli import show

    edges = names_of(bounds)
    if edges and len(edges) != 2:
        raise BadArgument(f"--bounds {bounds!r} must be two columns: earliest,latest.")
    options: dict[str, Any] = {
        "key": key, "seq": seq, "time": parse_time(time) if "(" in time else time, "role": role,
        "expected": None if expected is None else number_or_text(expected),
        "bounds": (edges[0], edges[1]) if edges else None, "bad_rows": bad_rows.value,
    }  # fmt: skip
    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        one = wa.segments(runner.read(events), **options)
        other = one if right is None else wa.segments(runner.read(right), **options)
        wanted = runner.read(pairs) if pairs is not None else ("unordered" if right is None else None)
    with runner.working("Asking"):
        found = wa.interval_query(one, other, query, pairs=wanted, min_confidence=min_confidence, method=method)  # type: ignore[arg-type]
        if out is not None:
            runner.write(found, out)
        table = runner.read_back(found, out)
    if len(table):
        console.print(show.pairs_table(show.first_look(table)))
    console.print(f"{len(table):,} pairs in {runner.seconds:.2f} s", markup=False)
    if out is not None:
        console.print(f"{len(table):,} pairs in {out}", markup=False, soft_wrap=True)
    if rejected is not None:
        refused = runner.rejected(one, other) if right is not None else runner.collect(one.rejected)
        runner.save(refused, rejected)
        console.print(f"{len(refused):,} rejected rows in {rejected}", markup=False, soft_wrap=True)
