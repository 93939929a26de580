"""`whenabouts pair`: the probability for one pair of uncertain times, and a picture of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whenabouts.cli.words import histogram_of, predicate_of


def pair(
    x: Annotated[str, typer.Argument(help="When x happened: 5, 0,10 or 0,20,30,40:0.1,0.3,0.6 (edges:masses).")],
    y: Annotated[str, typer.Argument(help="When y happened, likewise.")],
    within: Annotated[str | None, typer.Option(help="|X - Y| <= this.")] = None,
    deadline: Annotated[str | None, typer.Option(help="X + this >= Y.")] = None,
    delay: Annotated[str | None, typer.Option(help="X + this <= Y.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Draw it into an .html or .png file.")] = None,
) -> None:
    """How surely do two uncertain times satisfy a timing predicate?

    whenabouts pair 0,10 5,20 --within 3 --chart pair.png

    Times count seconds where the predicate has a unit, as in --within 3s.
    """
    predicate = predicate_of(within, deadline, delay)
    one, other = histogram_of(x), histogram_of(y)

    from whenabouts.api import probability
    from whenabouts.cli.words import in_plain_numbers

    typer.echo(f"P({predicate}) = {probability(one, other, in_plain_numbers(predicate)):.12g}")
    if chart is not None:
        from whenabouts import chart as charts

        typer.echo(charts.save(charts.pair(one, other, predicate), chart))
