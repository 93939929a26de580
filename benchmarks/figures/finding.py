"""What comes out of a figure: a chart, numbers, a table, and what became of the paper's claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Scale = Literal["small", "full"]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what was measured about it, and whether the two agree."""

    text: str
    measured: str
    holds: bool


@dataclass(frozen=True)
class Finding:
    """One figure. `name` is that of its files and of its place in the page."""

    name: str
    chart: Any
    setting: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    claims: list[Claim]
    numbers: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """The generated part of a section of the page."""
        said = [(claim.text, claim.measured, "yes" if claim.holds else "**no**") for claim in self.claims]
        lines = [self.setting, "", *_table(self.headings, self.rows), ""]
        lines += _table(("the paper says", "here", "agrees"), said, numeric=False)
        return "\n".join(lines + [line for note in self.notes for line in ("", note)])


def _table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, numeric: bool = True) -> list[str]:
    rule = ["---", *("--:" if numeric else "---" for _ in headings[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows)]
