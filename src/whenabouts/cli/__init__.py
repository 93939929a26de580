"""The command `whenabouts`: join files, match patterns, relate intervals, look at one pair, or see a demo of it all."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from whenabouts.cli.demo_command import demo
from whenabouts.cli.demo_stream_command import demo_stream
from whenabouts.cli.intervals_command import intervals
from whenabouts.cli.join_command import join
from whenabouts.cli.match_command import match
from whenabouts.cli.near_command import near
from whenabouts.cli.pair_command import pair
from whenabouts.errors import WhenaboutsError


class Commands(TyperGroup):
    """Commands whose mistakes are told in words, not in tracebacks."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except WhenaboutsError as error:
            from whenabouts.cli.show import show_error

            show_error(error)
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Queries over events whose times are uncertain, with the probability that each answer holds.",
)
app.command()(join)
app.command()(match)
app.command()(intervals)
app.command()(near)
app.command()(pair)
app.command()(demo)
app.command()(demo_stream)


def _show_version(wanted: bool) -> None:
    if wanted:
        from whenabouts import __version__

        typer.echo(f"whenabouts {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    pass


def main() -> None:
    """Run the command."""
    app()
