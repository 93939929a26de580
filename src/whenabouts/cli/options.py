"""What the options of all commands have in common: their panels, bad rows, and files that must be writable."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from whenabouts.errors import BadArgument

QUESTION, COLUMNS, OUTPUT, HOW = "The question", "What the columns mean", "The answer", "How it runs"
STREAM = "As a stream"


class BadRows(StrEnum):
    """What happens to a row that breaks the contract."""

    stop = "raise"
    quarantine = "quarantine"


def option(flag: str, panel: str, text: str) -> Any:
    """An option of a command, in its panel of the help."""
    return typer.Option(flag, help=text, rich_help_panel=panel)


def check_files(out: Path | None, rejected: Path | None, bad_rows: BadRows | None) -> None:
    """Complain about files that would not be written before the work is done, not after."""
    from whenabouts.io import format_of

    for path in (out, rejected):
        if path is not None:
            format_of(path)
    if rejected is not None and bad_rows is not BadRows.quarantine:
        raise BadArgument("--rejected needs --bad-rows quarantine: else the first bad row stops the work.")
