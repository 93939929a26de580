"""Draw the figures: ``python -m benchmarks.figures [name ...] [--scale small|full] [--out folder]``.

The numbers go to ``figures.json`` beside the charts, and into the tables of the page of the same name as the folder
(``docs/figures.md`` for ``docs/figures``), so that a page never shows numbers of another run.
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.figures.finding import Finding
from benchmarks.figures.page import refreshed
from benchmarks.figures.workload import warm_up
from benchmarks.machine import facts
from whenabouts import chart

FIGURES = ("rates", "blocks", "thresholds", "ranges", "turns", "patterns", "intervals", "similarity")
"""The modules that have a ``run(scale)``: figures 3 to 5; 6 and 7; 8 and 9; 1, and figure 3 of paper 000;
streams; paper 002, figures 4(a) to 4(e); paper 004, figures 8 to 11;
paper 003, figures 7 to 11."""

OF_A_RUN = ("date", "cpu", "cpus", "python", "versions")
DEFAULT_OUT = {"full": Path("docs/figures"), "small": Path("out/figures")}


def main() -> None:
    """Measure, draw, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description="Draw the papers' figures again.")
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"any of: {', '.join(FIGURES)}; all of them by default"
    )
    parser.add_argument("--scale", choices=("small", "full"), default="full")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="docs/figures at full scale, out/figures at small")
    options = parser.parse_args()
    unknown = set(options.names) - set(FIGURES)
    if unknown:
        parser.error(f"no figures are called {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    out: Path = options.out or DEFAULT_OUT[options.scale]
    console = Console()
    findings: list[Finding] = []
    with console.status("compiling"):
        warm_up()
    for name in options.names or FIGURES:
        with console.status(f"{name}, {options.scale} scale"):
            findings += import_module(f"benchmarks.figures.{name}").run(options.scale)
    for finding in findings:
        console.print(f"{finding.name}: {chart.save(finding.chart, out / f'{finding.name}.png')}")
        for claim in finding.claims:
            console.print(
                f"  {'agrees' if claim.holds else 'DIFFERS'}  {claim.text}: {claim.measured}", highlight=False
            )
    machine = facts()
    _write_numbers(out / "figures.json", findings, {"scale": options.scale} | {key: machine[key] for key in OF_A_RUN})
    page = out.with_suffix(".md")
    if page.exists():
        said = f"Run of {str(machine['date'])[:10]}, {options.scale} scale, {machine['cpu']}."
        blocks = {finding.name: f"{finding.markdown()}\n\n{said}" for finding in findings}
        page.write_text(refreshed(page.read_text(), blocks))
        console.print(f"tables: {page}")


def _write_numbers(path: Path, findings: list[Finding], about: dict[str, Any]) -> None:
    """Put the numbers of these figures into the file, and leave those of others as they are."""
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for finding in findings:
        claims = [{"claim": c.text, "measured": c.measured, "holds": c.holds} for c in finding.claims]
        known[finding.name] = {"run": about, "setting": finding.setting, "claims": claims, "numbers": finding.numbers}
    path.write_text(json.dumps(_short(known), indent=1) + "\n")


def _short(value: Any) -> Any:
    """Numbers to six digits, whatever they came in."""
    if isinstance(value, dict):
        return {str(key): _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    if isinstance(value, str | bool | int) or value is None:
        return value
    return float(f"{float(value):.6g}")


if __name__ == "__main__":
    main()
