"""`whenabouts near`: which uncertain objects of two files are close, both being in their windows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner
from whenabouts.cli.join_command import BadRows
from whenabouts.cli.times import parse_time
from whenabouts.cli.words import names_of, number_or_text
from whenabouts.errors import BadArgument

_QUESTION, _COLUMNS, _OUTPUT, _HOW = "The question", "What the columns mean", "The answer", "How it runs"


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


def _option(flag: str, panel: str, text: str) -> Any:
    return typer.Option(flag, help=text, rich_help_panel=panel)


def near(
    left: Annotated[str, typer.Argument(help="A .parquet or .jsonl file, a folder of parts, or a pattern; .csv too.")],
    right: Annotated[str | None, typer.Argument(help="The other stream; without it the first meets itself.")] = None,
    distance: Annotated[float, _option("--distance", _QUESTION, "eps: how near objects must be.")] = ...,  # type: ignore[assignment]
    min_confidence: Annotated[float, _option("--min-confidence", _QUESTION, "The least probability of a pair.")] = ...,  # type: ignore[assignment]
    window: Annotated[
        str | None,
        _option("--window", _QUESTION, "How many places, or how long (30s), an object stays."),
    ] = None,
    within: Annotated[str | None, _option("--within", _QUESTION, "Times at most so far apart, too: 30s.")] = None,
    metric: Annotated[Metric, _option("--metric", _QUESTION, "The distance between samples.")] = Metric.euclidean,
    samples: Annotated[
        str, _option("--samples", _COLUMNS, "A column of arrays, or the coordinates' columns, one row a sample: x,y.")
    ] = "samples",
    weights: Annotated[str | None, _option("--weights", _COLUMNS, "The probabilities of samples.")] = None,
    id: Annotated[str, _option("--id", _COLUMNS, "The column that identifies an object.")] = "id",
    seq: Annotated[str | None, _option("--seq", _COLUMNS, "The column that counts the objects of a stream.")] = None,
    time: Annotated[
        str | None, _option("--time", _COLUMNS, "When it was there: t, or a model such as around(t, 5s).")
    ] = (None),
    by: Annotated[str | None, _option("--by", _COLUMNS, "Equal keys: a,b.")] = None,
    bad_rows: Annotated[
        BadRows, _option("--bad-rows", _COLUMNS, "Whether a bad row stops the join or is set aside.")
    ] = BadRows.stop,
    out: Annotated[Path | None, _option("--out", _OUTPUT, "Where the pairs go: .parquet, .csv or .jsonl.")] = None,
    rejected: Annotated[Path | None, _option("--rejected", _OUTPUT, "Where rows that were set aside go.")] = None,
    changes: Annotated[bool, _option("--changes", _OUTPUT, "A changelog of pairs that enter and expire.")] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence/--no-confidence", help="Whether to give it.", rich_help_panel=_OUTPUT)
    ] = True,
    engine: Annotated[Engine, _option("--engine", _HOW, "This process, or local Spark.")] = Engine.process,
    method: Annotated[Method, _option("--method", _HOW, "auto, or one of the paper's.")] = Method.auto,
) -> None:
    """Which uncertain objects of two files are close, and how surely?

    whenabouts near taxis.parquet phones.parquet --distance 0.5 --min-confidence 0.7 --window 1000 --out pairs.parquet
    """
    from whenabouts.cli.join_command import _check_suffix

    if rejected is not None and bad_rows is BadRows.stop:
        raise BadArgument("--rejected needs --bad-rows quarantine: else a bad row stops the join.")
    for path in (out, rejected):
        _check_suffix(path)

    import whenabouts as wa
    from whenabouts.cli import show

    names = names_of(samples)
    columns: dict[str, Any] = {
        "id": id, "samples": names[0] if len(names) == 1 else names, "weights": weights, "by": names_of(by) or None,
        "seq": seq if seq or time else "seq", "bad_rows": bad_rows.value,
        "time": None if time is None else parse_time(time) if "(" in time else time,
    }  # fmt: skip
    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step("Reading"):
        sides = [wa.objects(runner.read(path), **columns) for path in (left, right) if path is not None]
    stats = wa.Stats()
    with runner.working("Joining"):
        pairs = wa.similarity_join(
            *sides, distance=distance, min_confidence=min_confidence, metric=metric.value, method=method.value,
            window=None if window is None else number_or_text(window), changes=changes, confidence=confidence,
            within=None if within is None else number_or_text(within), stats=stats,
        )  # fmt: skip
        if out is not None:
            runner.write(pairs, out)
        table = runner.read_back(pairs, out)
    if len(table):
        console.print(show.pairs_table(show.first_look(table)))
    console.print(show.pruning(stats, runner.seconds))
    if out is not None:
        console.print(f"{len(table):,} {'changes' if changes else 'pairs'} in {out}", markup=False, soft_wrap=True)
    if rejected is not None:
        refused = runner.rejected(sides[0], sides[-1]) if right is not None else runner.collect(sides[0].rejected)
        runner.save(refused, rejected)
        console.print(f"{len(refused):,} rejected rows in {rejected}", markup=False, soft_wrap=True)
