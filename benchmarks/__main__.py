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

BENCHMARKS = (
    "startup",
    "kernel",
    "inprocess",
    "templates",
    "match",
    "match_peers",
    "match_spark",
    "spark_batch",
    "stream",
    "stream_carriers",
    "stream_long",
    "intervals",
    "intervals_spark",
    "growth",
    "similarity",
    "similarity_spark",
    "similarity_windows",
    "hundred_million",
)
"""The modules that have a ``run(scale)``, in the order in which they run."""

COLUMNS = (
    ("seconds_best", "best s", ".3f", 1),
    ("seconds_median", "median s", ".3f", 1),
    ("pairs_per_second", "M pairs/s", ".3g", 1e-6),
    ("value", "figure", ".2f", 1),
)
"""What is shown of a row: its key, the heading, the format and the factor."""

BY_DEFAULT = tuple(
    name for name in BENCHMARKS if name not in ("stream_carriers", "stream_long", "growth", "hundred_million")
)


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
    if options.json:
        report = {"scale": options.scale, "machine": machine, "results": results}
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    for table in shown(results):
        console.print(table)
    console.print(
        f"{machine['threads']} threads a side on {machine['cpu']}, {machine['memory_gb']} GB, {machine['date']}"
    )


def shown(results: list[Row]) -> Iterator[Table]:
    """Lay the rows of a report out for reading, a table a case."""
    for (benchmark, case), group in groupby(results, key=lambda row: (row["benchmark"], row["case"])):
        rows = list(group)
        columns = [column for column in COLUMNS if any(column[0] in row for row in rows)]
        pairs = f", {rows[0]['pairs']:,} pairs" if "pairs" in rows[0] else ""
        table = Table(title=f"{benchmark}: {case}{pairs}", title_justify="left")
        table.add_column("subject", no_wrap=True)
        for _, heading, _, _ in columns:
            table.add_column(heading, justify="right")
        table.add_column("")
        for row in rows:
            figures = (format(row[key] * scale, shape) if key in row else "" for key, _, shape, scale in columns)
            table.add_row(row["subject"], *figures, row.get("skipped", row.get("unit")))
        yield table


if __name__ == "__main__":
    main()
