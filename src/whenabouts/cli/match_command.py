"""`whenabouts match`: the matches of a pattern in a file of events."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.options import (
    COLUMNS,
    HOW,
    OUTPUT,
    QUESTION,
    STREAM,
    BadRows,
    Checkpoint,
    Every,
    MaxDelay,
    MaxWidth,
    SideOutput,
    UntilDone,
    check_files,
    option,
)
from whenabouts.cli.streams import Waiting, run_stream
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import number_or_text
from whenabouts.errors import BadArgument

if TYPE_CHECKING:
    import pyarrow as pa


def match(
    events: Annotated[str, typer.Argument(help="A .parquet, .csv or .jsonl file, a folder of parts, or a pattern.")],
    query: Annotated[str, typer.Argument(help="A .wq file with the query, or the query itself.")],
    time: Annotated[
        str, option("--time", COLUMNS, "When an event happened: at(t), between(lo, hi), around(t, 2s), ...")
    ],
    id: Annotated[str, option("--id", COLUMNS, "The column that identifies an event.")] = "id",
    type: Annotated[str | None, option("--type", COLUMNS, "The column of event types.")] = None,
    bad_rows: Annotated[
        BadRows | None,
        option("--bad-rows", COLUMNS, "Whether a bad row stops the search (so of files) or is set aside (streams)."),
    ] = None,
    min_confidence: Annotated[float, option("--min-confidence", QUESTION, "The least probability of a match.")] = 0.0,
    top: Annotated[int | None, option("--top", QUESTION, "Only the so many surest matches.")] = None,
    tick: Annotated[str | None, option("--tick", QUESTION, "Count time in ticks of this length: 100ms.")] = None,
    out: Annotated[Path | None, option("--out", OUTPUT, "Where the matches go: .parquet or .jsonl.")] = None,
    rejected: Annotated[Path | None, option("--rejected", OUTPUT, "Where rows that were set aside go.")] = None,
    engine: Annotated[Engine, option("--engine", HOW, "This process, or local Spark.")] = Engine.process,
    method: Annotated[str, option("--method", HOW, "auto, or one of the paper's methods.")] = "auto",
    explain: Annotated[bool, option("--explain", HOW, "Show the plan and stop.")] = False,
    stream: Annotated[
        bool, option("--stream", STREAM, "Search a folder as files appear in it, on local Spark, until Ctrl-C.")
    ] = False,
    max_delay: MaxDelay = None,
    max_width: MaxWidth = None,
    checkpoint: Checkpoint = None,
    every: Every = "1 second",
    until_done: UntilDone = False,
    side_output: SideOutput = False,
) -> None:
    """Which event sequences in a file match a pattern, when, and how surely?

    whenabouts match log.parquet overload.wq --time "rounded(t, 15s)" --type kind --out matches.parquet
    """
    import whenabouts as wa

    text = read_query(query)
    columns: dict[str, Any] = {"id": id, "time": parse_time(time), "type": type}
    if bad_rows is not None:
        columns["bad_rows"] = bad_rows.value
    options: dict[str, Any] = {
        "min_confidence": min_confidence, "top": top, "method": method,
        "tick": None if tick is None else number_or_text(tick),
    }  # fmt: skip
    if stream:
        waiting = Waiting(max_delay, max_width, None, checkpoint, every, until_done, side_output)
        run_stream([(events, columns)], partial(wa.match, query=text, **options), waiting, out, rejected, "matches")
        return
    check_files(out, rejected, bad_rows, events)
    _check_not_csv(out)

    from whenabouts.cli import show

    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        data = wa.events(runner.read(events), **columns)
    if explain:
        console.print(str(wa.explain(wa.match, data, text, **options)), markup=False, soft_wrap=True)
        return
    stats = wa.Stats()
    with runner.working("Matching"):
        table = runner.compute(wa.match(data, text, stats=stats, **options), out)
    show.answer(console, _first_look(table), show.match_summary(stats, runner.seconds))
    show.written(console, len(table), "matches", out)
    runner.save_rejected((data,), rejected, console)


def read_query(query: str) -> str:
    """The text of a query: what a file holds, or what was given itself."""
    if re.match(r"\s*PATTERN(?![\w./\\-])", query, re.IGNORECASE):  # patterns.wq is a file
        return query
    try:
        return Path(query).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadArgument(f"The query {query!r} is no text in UTF-8. Save it as such.") from error
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


def _check_not_csv(path: Path | None) -> None:
    """Complain about CSV before the work is done: a match has lists and structs."""
    if path is not None and path.suffix == ".csv":
        raise BadArgument(f"CSV cannot hold the ids of a match. Write {path.with_suffix('.parquet').name!r} instead.")
