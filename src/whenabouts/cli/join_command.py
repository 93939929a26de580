"""`whenabouts join`: the timing join of two files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.streams import Waiting, run_stream
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import keys_of, names_of, predicate_of
from whenabouts.errors import BadArgument

_QUESTION, _LEFT_RIGHT, _OUTPUT, _HOW = "The question", "What the columns mean", "The answer", "How it runs"
_STREAM = "As a stream"
_MODELS = (
    "When an event happened: at(t), between(lo, hi), around(t, 2s), rounded(t, 15s, down), histogram(edges, mass), "
    "pmf(points, mass) or detected(t, latency.json, by=sensor)."
)


class BadRows(StrEnum):
    """What happens to a row that breaks the contract."""

    stop = "raise"
    quarantine = "quarantine"


def _option(flag: str, panel: str, text: str) -> Any:
    return typer.Option(flag, help=text, rich_help_panel=panel)


def join(
    left: Annotated[str, typer.Argument(help="A .parquet, .csv or .jsonl file, a folder of parts, or a pattern.")],
    right: Annotated[str, typer.Argument(help="The other side, likewise.")],
    min_confidence: Annotated[float, _option("--min-confidence", _QUESTION, "The least probability of a pair.")],
    within: Annotated[str | None, _option("--within", _QUESTION, "|X - Y| <= this: 2s, or a number.")] = None,
    deadline: Annotated[str | None, _option("--deadline", _QUESTION, "X + this >= Y.")] = None,
    delay: Annotated[str | None, _option("--delay", _QUESTION, "X + this <= Y.")] = None,
    by: Annotated[str | None, _option("--by", _QUESTION, "Equal keys: a,b or left_name=right_name.")] = None,
    time: Annotated[str | None, _option("--time", _LEFT_RIGHT, _MODELS)] = None,
    left_time: Annotated[str | None, _option("--left-time", _LEFT_RIGHT, "The same, for the left side alone.")] = None,
    right_time: Annotated[str | None, _option("--right-time", _LEFT_RIGHT, "And for the right side.")] = None,
    id: Annotated[str, _option("--id", _LEFT_RIGHT, "The column that identifies an event.")] = "id",
    left_id: Annotated[str | None, _option("--left-id", _LEFT_RIGHT, "The same, for the left side alone.")] = None,
    right_id: Annotated[str | None, _option("--right-id", _LEFT_RIGHT, "And for the right side.")] = None,
    bad_rows: Annotated[
        BadRows | None,
        _option("--bad-rows", _LEFT_RIGHT, "Whether a bad row stops the join (so of files) or is set aside (streams)."),
    ] = None,
    out: Annotated[Path | None, _option("--out", _OUTPUT, "Where the pairs go: .parquet, .csv or .jsonl.")] = None,
    rejected: Annotated[Path | None, _option("--rejected", _OUTPUT, "Where rows that were set aside go.")] = None,
    carry_left: Annotated[str | None, _option("--carry-left", _OUTPUT, "Columns to take along: a,b.")] = None,
    carry_right: Annotated[str | None, _option("--carry-right", _OUTPUT, "The same, of the right side.")] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence/--no-confidence", help="Whether to give it.", rich_help_panel=_OUTPUT)
    ] = True,
    engine: Annotated[Engine, _option("--engine", _HOW, "This process, or local Spark.")] = Engine.process,
    strategy: Annotated[str, _option("--strategy", _HOW, "auto, or one of the papers' algorithms.")] = "auto",
    explain: Annotated[bool, _option("--explain", _HOW, "Show the plan and stop.")] = False,
    stream: Annotated[
        bool, _option("--stream", _STREAM, "Join two folders as files appear in them, on local Spark, until Ctrl-C.")
    ] = False,
    max_delay: Annotated[str | None, _option("--max-delay", _STREAM, "How late a row may come: 10s.")] = None,
    max_width: Annotated[str | None, _option("--max-width", _STREAM, "How wide a time may be.")] = None,
    idle_after: Annotated[
        str | None, _option("--idle-after", _STREAM, "How far a side may fall behind before it is not waited for.")
    ] = None,
    checkpoint: Annotated[Path | None, _option("--checkpoint", _STREAM, "A folder to go on from.")] = None,
    every: Annotated[str, _option("--every", _STREAM, "How often to look for new files.")] = "1 second",
    until_done: Annotated[bool, _option("--until-done", _STREAM, "Stop when all files are used up.")] = False,
    side_output: Annotated[
        bool, _option("--side-output", _STREAM, "Also write rows that are late, too wide or malformed.")
    ] = False,
) -> None:
    """Which pairs of events of two files satisfy a timing predicate, and how surely?

    whenabouts join doors.csv badges.csv --time "between(lo, hi)" --within 2s --min-confidence 0.6 --out pairs.parquet
    """
    predicate = predicate_of(within, deadline, delay)
    models = [_model(own or time, side) for own, side in ((left_time, "left"), (right_time, "right"))]
    if rejected is not None and stream:
        raise BadArgument("--rejected is for files. With --stream say --side-output: one sink keeps all, exactly once.")
    if rejected is not None and bad_rows is not BadRows.quarantine:
        raise BadArgument("--rejected needs --bad-rows quarantine: else a bad row stops the join.")
    chosen = {} if bad_rows is None else {"bad_rows": bad_rows.value}
    sides = [{"id": own or id, "time": model, **chosen} for own, model in zip((left_id, right_id), models, strict=True)]
    options: dict[str, Any] = {
        "min_confidence": min_confidence, "by": keys_of(by), "confidence": confidence, "strategy": strategy,
        "left_columns": names_of(carry_left), "right_columns": names_of(carry_right),
    }  # fmt: skip
    if stream:
        waiting = Waiting(max_delay, max_width, idle_after, checkpoint, every, until_done, side_output)
        run_stream((left, right), (sides[0], sides[1]), predicate, options, waiting, out)
        return
    for path in (out, rejected):
        _check_suffix(path)

    import whenabouts as wa
    from whenabouts.cli import show

    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        one, other = (wa.events(runner.read(path), **side) for path, side in zip((left, right), sides, strict=True))
    if explain:
        console.print(str(wa.explain(wa.timing_join, one, other, predicate, **options)), markup=False, soft_wrap=True)
        return
    stats = wa.Stats()
    with runner.working("Joining"):
        pairs = wa.timing_join(one, other, predicate, stats=stats, **options)
        if out is not None:
            runner.write(pairs, out)
        table = runner.read_back(pairs, out)
    if len(table):
        console.print(show.pairs_table(show.first_look(table)))
    console.print(show.summary(stats, runner.seconds))
    if out is not None:
        console.print(f"{len(table):,} pairs in {out}", markup=False, soft_wrap=True)
    if rejected is not None:
        refused = runner.rejected(one, other)
        runner.save(refused, rejected)
        console.print(f"{len(refused):,} rejected rows in {rejected}", markup=False, soft_wrap=True)


def _model(text: str | None, side: str) -> Any:
    if text is None:
        raise BadArgument(
            f"When did the {side} events happen? Say --time or --{side}-time, as in "
            '--time "between(lo, hi)" or --time "at(t)" for exact times.'
        )
    return parse_time(text)


def _check_suffix(path: Path | None) -> None:
    """Complain about a file that cannot be written before the work is done, not after."""
    if path is not None:
        from whenabouts.io import format_of

        format_of(path)
