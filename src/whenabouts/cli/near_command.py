"""`whenabouts near`: which uncertain objects of two files are close, both being in their windows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.options import COLUMNS, HOW, OUTPUT, QUESTION, BadRows, check_files, option
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import names_of, number_or_text


class Metric(StrEnum):
    """How far two samples are apart."""

    euclidean = "euclidean"
    manhattan = "manhattan"
    chebyshev = "chebyshev"


class Method(StrEnum):
    """How pairs are found; all find the same."""

    auto = "auto"
    grid = "grid"
    wop = "wop"


def near(
    left: Annotated[str, typer.Argument(help="A .parquet or .jsonl file, a folder of parts, or a pattern; .csv too.")],
    right: Annotated[str | None, typer.Argument(help="The other stream; without it the first meets itself.")] = None,
    distance: Annotated[float, option("--distance", QUESTION, "eps: how near objects must be.")] = ...,  # type: ignore[assignment]
    min_confidence: Annotated[float, option("--min-confidence", QUESTION, "The least probability of a pair.")] = ...,  # type: ignore[assignment]
    window: Annotated[
        str | None,
        option("--window", QUESTION, "How many places, or how long (30s), an object stays; for ever where not given."),
    ] = None,
    within: Annotated[str | None, option("--within", QUESTION, "Times at most so far apart, too: 30s.")] = None,
    metric: Annotated[Metric, option("--metric", QUESTION, "The distance between samples.")] = Metric.euclidean,
    samples: Annotated[
        str, option("--samples", COLUMNS, "A column of arrays; or coordinates, one row a sample: x,y or x,")
    ] = "samples",
    dimensions: Annotated[
        int | None,
        option("--dimensions", COLUMNS, "Coordinates of a point, where a row has them in one array, or as bytes."),
    ] = None,
    weights: Annotated[str | None, option("--weights", COLUMNS, "The probabilities of samples.")] = None,
    id: Annotated[str, option("--id", COLUMNS, "The column that identifies an object.")] = "id",
    seq: Annotated[str | None, option("--seq", COLUMNS, "The column that counts the objects of a stream.")] = None,
    time: Annotated[
        str | None, option("--time", COLUMNS, "When it was there: t, or a model such as around(t, 5s).")
    ] = None,
    by: Annotated[str | None, option("--by", COLUMNS, "Equal keys: a,b.")] = None,
    bad_rows: Annotated[
        BadRows, option("--bad-rows", COLUMNS, "Whether a bad row stops the join or is set aside.")
    ] = BadRows.stop,
    out: Annotated[Path | None, option("--out", OUTPUT, "Where the pairs go: .parquet, .csv or .jsonl.")] = None,
    rejected: Annotated[Path | None, option("--rejected", OUTPUT, "Where rows that were set aside go.")] = None,
    changes: Annotated[bool, option("--changes", OUTPUT, "A changelog of pairs that enter and expire.")] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence/--no-confidence", help="Whether to give it.", rich_help_panel=OUTPUT)
    ] = True,
    engine: Annotated[Engine, option("--engine", HOW, "This process, or local Spark.")] = Engine.process,
    method: Annotated[Method, option("--method", HOW, "auto, or one of the paper's.")] = Method.auto,
    explain: Annotated[bool, option("--explain", HOW, "Show the plan and stop.")] = False,
) -> None:
    """Which uncertain objects of two files are close, and how surely?

    whenabouts near taxis.parquet phones.parquet --distance 0.5 --min-confidence 0.7 --window 1000 --out pairs.parquet
    """
    check_files(out, rejected, bad_rows, left, right)

    import whenabouts as wa
    from whenabouts.cli import show

    names = names_of(samples)
    columns: dict[str, Any] = {
        "id": id, "samples": names if "," in samples else samples, "weights": weights, "by": names_of(by) or None,
        "dimensions": dimensions,
        "seq": seq if seq or time else "seq", "bad_rows": bad_rows.value,
        "time": None if time is None else parse_time(time) if "(" in time else time,
    }  # fmt: skip
    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        sides = [wa.objects(runner.read(path), **columns) for path in (left, right) if path is not None]
    options: dict[str, Any] = {
        "distance": distance, "min_confidence": min_confidence, "metric": metric.value, "method": method.value,
        "window": None if window is None else number_or_text(window), "changes": changes, "confidence": confidence,
        "within": None if within is None else number_or_text(within),
    }  # fmt: skip
    if explain:
        console.print(str(wa.explain(wa.similarity_join, *sides, **options)), markup=False, soft_wrap=True)
        return
    stats = wa.Stats()
    with runner.working("Joining"):
        table = runner.compute(wa.similarity_join(*sides, stats=stats, **options), out)
    show.answer(console, show.first_look(table), show.pruning(stats, runner.seconds))
    show.written(console, len(table), "changes" if changes else "pairs", out)
    runner.save_rejected(sides, rejected, console)
