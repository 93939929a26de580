"""What the options of all commands have in common: their panels, bad rows, streams, and files to be written."""

from __future__ import annotations

from enum import StrEnum
from glob import glob
from pathlib import Path
from typing import Annotated, Any

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


MaxDelay = Annotated[str | None, option("--max-delay", STREAM, "How late a row may come: 10s.")]
MaxWidth = Annotated[str | None, option("--max-width", STREAM, "How wide a time may be.")]
Checkpoint = Annotated[Path | None, option("--checkpoint", STREAM, "A folder to go on from.")]
Every = Annotated[str, option("--every", STREAM, "How often to look for new files.")]
UntilDone = Annotated[bool, option("--until-done", STREAM, "Stop when all files are used up.")]
SideOutput = Annotated[bool, option("--side-output", STREAM, "Also write rows that are late, too wide or malformed.")]


def check_files(out: Path | None, rejected: Path | None, bad_rows: BadRows | None, *sources: str | None) -> None:
    """Complain about files that would not be written before the work is done, not after."""
    from whenabouts.io import format_of

    for path in (out, rejected):
        if path is not None:
            format_of(path)
            if path.resolve() in {found.resolve() for source in sources if source for found in _files_of(source)}:
                raise BadArgument(f"{str(path)!r} is read here, and would be overwritten. Choose another name.")
    if out is not None and rejected is not None and out.resolve() == rejected.resolve():
        raise BadArgument(f"--out and --rejected are both {str(out)!r}. Choose another name for one of them.")
    if rejected is not None and bad_rows is not BadRows.quarantine:
        raise BadArgument("--rejected needs --bad-rows quarantine: else the first bad row stops the work.")


def _files_of(source: str) -> list[Path]:
    """A file, the parts in a folder, or what matches a pattern."""
    found = [Path(source), *map(Path, glob(source))]
    return [*found, *(part for folder in found if folder.is_dir() for part in folder.iterdir())]
