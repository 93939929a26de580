"""Charts as files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from whenabouts.errors import BadArgument

_PIXELS_A_POINT = 2


def save(chart: Any, path: str | PathLike[str]) -> Path:
    """Write a chart to an `.html` file that needs no network, or to a `.png` that is sharp on any screen."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".png"):
        raise BadArgument(f"A chart is written as .html or .png, but the path is {str(target)!r}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix.lower() == ".html":
        chart.save(str(target), format="html", inline=True)
    else:
        chart.save(str(target), format="png", scale_factor=_PIXELS_A_POINT)
    return target
