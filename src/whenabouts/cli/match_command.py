"""`whenabouts match`: the matches of a pattern in a file of events."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.join_command import BadRows
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import number_or_text
from whenabouts.errors import BadArgument

if TYPE_CHECKING:
    import pyarrow as pa

_QUESTION, _COLUMNS, _OUTPUT, _HOW = "The question", "What the columns mean", "The answer", "How it runs"


def _option(flag: str, panel: str, text: str) -> Any:
    return typer.Option(flag, help=text, rich_help_panel=panel)


def match(
    events: Annotated[str, typer.Argument(help="A .parquet, .csv or .jsonl file, a folder of parts, or a pattern.")],
    query: Annotated[str, typer.Argument(help="A .wq file with the query, or the query itself.")],
    time: Annotated[
        str, _option("--time", _COLUMNS, "When an event happened: at(t), between(lo, hi), around(t, 2s), ...")
    ],
    id: Annotated[str, _option("--id", _COLUMNS, "The column that identifies an event.")] = "id",
    type: Annotated[str | None, _option("--type", _COLUMNS, "The column of event types.")] = None,
    bad_rows: Annotated[
        BadRows, _option("--bad-rows", _COLUMNS, "Whether a bad row stops the search or is set aside.")
    ] = BadRows.stop,
    min_confidence: Annotated[float, _option("--min-confidence", _QUESTION, "The least probability of a match.")] = 0.0,
    top: Annotated[int | None, _option("--top", _QUESTION, "Only the so many surest matches.")] = None,
    tick: Annotated[str | None, _option("--tick", _QUESTION, "Count time in ticks of this length: 100ms.")] = None,
    out: Annotated[Path | None, _option("--out", _OUTPUT, "Where the matches go: .parquet or .jsonl.")] = None,
    rejected: Annotated[Path | None, _option("--rejected", _OUTPUT, "Where rows that were set aside go.")] = None,
    engine: Annotated[Engine, _option("--engine", _HOW, "This process, or local Spark.")] = Engine.process,
    method: Annotated[str, _option("--method", _HOW, "auto, or one of the paper's methods.")] = "auto",
    explain: Annotated[bool, _option("--explain", _HOW, "Show the plan and stop.")] = False,
) -> None:
    """Which event sequences in a file match a pattern, when, and how surely?

    whenabouts match log.parquet overload.wq --time "rounded(t, 15s)" --type kind --out matches.parquet
    """
    if rejected is not None and bad_rows is BadRows.stop:
        raise BadArgument("--rejected needs --bad-rows quarantine: else a bad row stops the search.")
    _check_suffix(out)
    text = read_query(query)

    import whenabouts as wa
    from whenabouts.cli import show

    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        data = wa.events(runner.read(events), id=id, time=parse_time(time), type=type, bad_rows=bad_rows.value)
    options: dict[str, Any] = {
        "min_confidence": min_confidence, "top": top, "method": method,
        "tick": None if tick is None else number_or_text(tick),
    }  # fmt: skip
    if explain:
        console.print(str(wa.explain(wa.match, data, text, **options)), markup=False, soft_wrap=True)
        return
    stats = wa.Stats()
    with runner.working("Matching"):
        found = wa.match(data, text, stats=stats, **options)
        if out is not None:
            runner.write(found, out)
        table = runner.read_back(found, out)
    if len(table):
        console.print(show.pairs_table(_first_look(table)))
    console.print(show.match_summary(stats, runner.seconds))
    if out is not None:
        console.print(f"{len(table):,} matches in {out}", markup=False, soft_wrap=True)
    if rejected is not None:
        refused = runner.collect(data.rejected)
        runner.save(refused, rejected)
        console.print(f"{len(refused):,} rejected rows in {rejected}", markup=False, soft_wrap=True)


def read_query(query: str) -> str:
    """The text of a query: what a file holds, or what was given itself."""
    if query.strip().upper().startswith("PATTERN"):
        return query
    try:
        return Path(query).read_text(encoding="utf-8")
    except OSError as error:
        raise BadArgument(
            f"The query {query!r} is neither a readable file ({error.strerror}) nor a text that begins with PATTERN."
        ) from error


def _first_look(table: pa.Table, count: int = 6) -> pa.Table:
    """The surest matches, without the events themselves, which are wide."""
    import pyarrow as pa
    import pyarrow.compute as pc

    shown = [one.name for one in table.schema if not pa.types.is_struct(one.type)]
    keys = [("confidence", "descending"), ("earliest", "ascending"), ("latest", "ascending")]
    return table.take(pc.select_k_unstable(table, min(count, len(table)), keys)).select(shown)


def _check_suffix(path: Path | None) -> None:
    """Complain about a file that cannot be written before the work is done, not after."""
    if path is not None:
        from whenabouts.io import format_of

        if format_of(path) == "csv":
            raise BadArgument(
                f"CSV cannot hold the ids of a match. Write {path.with_suffix('.parquet').name!r} instead."
            )
