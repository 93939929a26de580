"""Run benchmarks: ``python -m benchmarks [name ...] [--scale small|full] [--json out.json]``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.alone import in_own_process
from benchmarks.machine import facts
from benchmarks.measure import Row

BENCHMARKS = ("startup", "inprocess", "templates", "spark_batch", "growth", "hundred_million")
"""The modules that have a ``run(scale)``, in the order in which they run."""

BY_DEFAULT = tuple(name for name in BENCHMARKS if name not in ("growth", "hundred_million"))


def main() -> None:
    """Run what was asked for, show a table and write a report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure whenabouts against other engines."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of: {', '.join(BENCHMARKS)}, all")
    parser.add_argument("--scale", choices=("small", "full"), default="small")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a report that benchmarks.compare can read")
    options = parser.parse_args()

    unknown = set(options.names) - {*BENCHMARKS, "all"}
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    chosen = BENCHMARKS if "all" in options.names else options.names or BY_DEFAULT

    console = Console()
    machine = facts()
    results: list[Row] = []
    for name in chosen:
        with console.status(f"{name}, {options.scale} scale"):
            results += in_own_process(name, options.scale)
    for table in shown(results):
        console.print(table)
    console.print(
        f"{machine['threads']} threads a side on {machine['cpu']}, {machine['memory_gb']} GB, {machine['date']}"
    )
    if options.json:
        report = {"scale": options.scale, "machine": machine, "results": results}
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def shown(results: list[Row]) -> Iterator[Table]:
    """Lay the rows of a report out for reading, a table a case."""
    for (benchmark, case), rows in groupby(results, key=lambda row: (row["benchmark"], row["case"])):
        table = Table(title=f"{benchmark}: {case}", title_justify="left", min_width=78)
        table.add_column("subject")
        for heading in ("figure", "median s", "best s", "pairs", "M pairs/s"):
            table.add_column(heading, justify="right")
        for row in rows:
            table.add_row(row["subject"], *_figures(row))
        yield table


def _figures(row: Row) -> tuple[str, ...]:
    if "skipped" in row:
        return (f"skipped: {row['skipped']}",)
    return (
        f"{row['value']:.2f} {row['unit']}",
        _number(row.get("seconds_median"), ".3f"),
        _number(row.get("seconds_best"), ".3f"),
        _number(row.get("pairs"), ",d"),
        _number(row.get("pairs_per_second"), ".1f", scale=1e-6),
    )


def _number(value: object, shape: str, *, scale: float | None = None) -> str:
    if value is None:
        return ""
    return format(value if scale is None else value * scale, shape)


if __name__ == "__main__":
    main()
