"""Compare two reports: ``python -m benchmarks.compare before.json after.json [--tolerance 0.15]``.

Ratios of one run carry over from machine to machine as far as anything does; seconds and gigabytes compare only if both
reports come from the same one. Exits with 1 if a figure got worse by more than the tolerance.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Row


@dataclass(frozen=True)
class Change:
    """One figure in both reports."""

    name: tuple[str, str, str]
    unit: str
    before: float
    after: float
    better: str

    @property
    def gain(self) -> float:
        """By which share the figure got better; negative if it got worse."""
        grown = self.after / self.before - 1
        return grown if self.better == "higher" else -grown


def changes(before: list[Row], after: list[Row]) -> list[Change]:
    """Pair up the figures that both reports have."""
    earlier = {_name(row): row for row in before if "value" in row}
    return [
        Change(_name(row), row["unit"], earlier[_name(row)]["value"], row["value"], row["better"])
        for row in after
        if "value" in row and _name(row) in earlier
    ]


def _name(row: Row) -> tuple[str, str, str]:
    return row["benchmark"], row["case"], row["subject"]


def main() -> None:
    """Show what changed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="Compare two benchmark reports.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.15, help="how much worse a figure may get (0.15)")
    options = parser.parse_args()

    reports = [json.loads(path.read_text()) for path in (options.before, options.after)]
    table = Table("benchmark", "case", "subject", "unit")
    for heading in ("before", "after", "gain"):
        table.add_column(heading, justify="right")
    found = changes(*(report["results"] for report in reports))
    for change in found:
        colour = "red" if change.gain < -options.tolerance else "green" if change.gain > options.tolerance else ""
        table.add_row(
            *change.name,
            change.unit,
            f"{change.before:.3g}",
            f"{change.after:.3g}",
            f"{change.gain:+.0%}",
            style=colour,
        )
    console = Console()
    console.print(table)
    if reports[0]["machine"]["cpu"] != reports[1]["machine"]["cpu"]:
        console.print("The reports come from different processors: compare ratios only.")
    sys.exit(any(change.gain < -options.tolerance for change in found))


if __name__ == "__main__":
    main()
