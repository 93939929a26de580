"""`whenabouts join`: the timing join of two files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

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
from whenabouts.cli.words import keys_of, names_of, predicate_of
from whenabouts.errors import BadArgument

_MODELS = (
    "When an event happened: at(t), between(lo, hi), around(t, 2s), rounded(t, 15s, down), histogram(edges, mass), "
    "pmf(points, mass) or detected(t, latency.json, by=sensor)."
)


def join(
    left: Annotated[str, typer.Argument(help="A .parquet, .csv or .jsonl file, a folder of parts, or a pattern.")],
    right: Annotated[str, typer.Argument(help="The other side, likewise.")],
    min_confidence: Annotated[float, option("--min-confidence", QUESTION, "The least probability of a pair.")],
    within: Annotated[str | None, option("--within", QUESTION, "|X - Y| <= this: 2s, or a number.")] = None,
    deadline: Annotated[str | None, option("--deadline", QUESTION, "X + this >= Y.")] = None,
    delay: Annotated[str | None, option("--delay", QUESTION, "X + this <= Y.")] = None,
    by: Annotated[str | None, option("--by", QUESTION, "Equal keys: a,b or left_name=right_name.")] = None,
    time: Annotated[str | None, option("--time", COLUMNS, _MODELS)] = None,
    left_time: Annotated[str | None, option("--left-time", COLUMNS, "The same, for the left side alone.")] = None,
    right_time: Annotated[str | None, option("--right-time", COLUMNS, "And for the right side.")] = None,
    id: Annotated[str, option("--id", COLUMNS, "The column that identifies an event.")] = "id",
    left_id: Annotated[str | None, option("--left-id", COLUMNS, "The same, for the left side alone.")] = None,
    right_id: Annotated[str | None, option("--right-id", COLUMNS, "And for the right side.")] = None,
    bad_rows: Annotated[
        BadRows | None,
        option("--bad-rows", COLUMNS, "Whether a bad row stops the join (so of files) or is set aside (streams)."),
    ] = None,
    out: Annotated[Path | None, option("--out", OUTPUT, "Where the pairs go: .parquet, .csv or .jsonl.")] = None,
    rejected: Annotated[Path | None, option("--rejected", OUTPUT, "Where rows that were set aside go.")] = None,
    carry_left: Annotated[str | None, option("--carry-left", OUTPUT, "Columns to take along: a,b.")] = None,
    carry_right: Annotated[str | None, option("--carry-right", OUTPUT, "The same, of the right side.")] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence/--no-confidence", help="Whether to give it.", rich_help_panel=OUTPUT)
    ] = True,
    engine: Annotated[Engine, option("--engine", HOW, "This process, or local Spark.")] = Engine.process,
    strategy: Annotated[str, option("--strategy", HOW, "auto, or one of the papers' algorithms.")] = "auto",
    explain: Annotated[bool, option("--explain", HOW, "Show the plan and stop.")] = False,
    stream: Annotated[
        bool, option("--stream", STREAM, "Join two folders as files appear in them, on local Spark, until Ctrl-C.")
    ] = False,
    max_delay: MaxDelay = None,
    max_width: MaxWidth = None,
    idle_after: Annotated[
        str | None, option("--idle-after", STREAM, "How far a side may fall behind before it is not waited for.")
    ] = None,
    checkpoint: Checkpoint = None,
    every: Every = "1 second",
    until_done: UntilDone = False,
    side_output: SideOutput = False,
) -> None:
    """Which pairs of events of two files satisfy a timing predicate, and how surely?

    whenabouts join doors.csv badges.csv --time "between(lo, hi)" --within 2s --min-confidence 0.6 --out pairs.parquet
    """
    predicate = predicate_of(within, deadline, delay)
    models = [_model(own or time, side) for own, side in ((left_time, "left"), (right_time, "right"))]
    chosen = {} if bad_rows is None else {"bad_rows": bad_rows.value}
    sides = [{"id": own or id, "time": model, **chosen} for own, model in zip((left_id, right_id), models, strict=True)]
    options: dict[str, Any] = {
        "min_confidence": min_confidence, "by": keys_of(by), "confidence": confidence, "strategy": strategy,
        "left_columns": names_of(carry_left), "right_columns": names_of(carry_right),
    }  # fmt: skip
    import whenabouts as wa

    if stream:
        waiting = Waiting(max_delay, max_width, idle_after, checkpoint, every, until_done, side_output)
        join_folders = partial(wa.timing_join, predicate=predicate, **options)
        run_stream(list(zip((left, right), sides, strict=True)), join_folders, waiting, out, rejected, "pairs")
        return
    check_files(out, rejected, bad_rows, left, right)
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
        table = runner.compute(wa.timing_join(one, other, predicate, stats=stats, **options), out)
    show.answer(console, show.first_look(table), show.summary(stats, runner.seconds))
    show.written(console, len(table), "pairs", out)
    runner.save_rejected((one, other), rejected, console)


def _model(text: str | None, side: str) -> Any:
    if text is None:
        raise BadArgument(
            f"When did the {side} events happen? Say --time or --{side}-time, as in "
            '--time "between(lo, hi)" or --time "at(t)" for exact times.'
        )
    return parse_time(text)
