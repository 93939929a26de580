"""What the command prints: errors, summaries and a first look at the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whenabouts.errors import BadRows

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from whenabouts.model.stats import Stats

_NUMBER = 8
"""Letters of a number, at the least: seconds do not move the others, be they few or, where kernels compile, many."""


def out() -> Console:
    """Where results go."""
    return Console(highlight=False)


def err() -> Console:
    """Where errors and progress go, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def show_error(error: Exception) -> None:
    """An error of ours in red: what is wrong, where, and what to write instead."""
    if isinstance(error, BadRows):
        error = BadRows(f"{error}\nOn the command line that is --bad-rows quarantine --rejected rejected.parquet.")
    err().print(Text.assemble((f"{type(error).__name__}: ", "bold red"), (str(error), "red")), soft_wrap=True)


def summary(stats: Stats, seconds: float) -> Table:
    """What a join had to do."""
    possible = stats.left_rows * stats.right_rows
    return _facts(
        ("rows", f"{stats.left_rows:,} x {stats.right_rows:,}", f"{possible:.3g} possible pairs"),
        ("surely no", f"{stats.surely_no:,}", "never looked at"),
        ("candidates", f"{stats.candidates:,}", _share(stats.candidates, possible, "of the possible")),
        ("surely yes", f"{stats.surely_yes:,}", _share(stats.surely_yes, stats.candidates, "of the candidates")),
        ("probed", f"{stats.probed:,}", _share(stats.probed, stats.candidates, "of the candidates")),
        ("emitted", f"{stats.emitted:,}", "pairs in the result"),
        ("rejected", f"{stats.rejected:,}", "rows that break the contract"),
        ("seconds", f"{seconds:.2f}", f"{stats.emitted / seconds:,.0f} pairs/s" if seconds > 0 else ""),
    )


def match_summary(stats: Stats, seconds: float) -> Table:
    """What a pattern query had to do."""
    return _facts(
        ("events", f"{stats.left_rows:,}", f"{stats.left_rows / seconds:,.0f} a second" if seconds > 0 else ""),
        ("candidates", f"{stats.candidates:,}", "events that fit a component"),
        ("partial", f"{stats.partial:,}", "partial matches made"),
        ("pruned", f"{stats.pruned:,}", _share(stats.pruned, stats.partial, "of the partial")),
        ("emitted", f"{stats.emitted:,}", "matches in the result"),
        ("rejected", f"{stats.rejected:,}", "rows that break the contract"),
        ("seconds", f"{seconds:.2f}", f"method {stats.strategy}"),
    )


def pruning(stats: Stats, seconds: float) -> Table:
    """What a similarity join had to do: the pairs of its windows, by the stage that settled them."""
    whole = stats.window_pairs
    objects = stats.left_rows + stats.right_rows
    return _facts(
        ("objects", f"{stats.left_rows:,} x {stats.right_rows:,}", f"{whole:,} pairs in the windows"),
        ("pruned by objects", f"{stats.object_pruned:,}", _share(stats.object_pruned, whole, "of these")),
        ("pruned by samples", f"{stats.sample_pruned:,}", _share(stats.sample_pruned, whole, "of these")),
        ("surely yes", f"{stats.surely_yes:,}", "without a distance"),
        ("refined", f"{stats.computed:,}", _share(stats.computed, whole, "of these")),
        ("emitted", f"{stats.emitted:,}", "pairs in the result"),
        ("rejected", f"{stats.rejected:,}", "rows that break the contract"),
        ("seconds", f"{seconds:.2f}", f"{objects / seconds:,.0f} objects/s" if seconds > 0 else ""),
    )


def _facts(*rows: tuple[str, str, str]) -> Table:
    """Name, number and remark, a row each."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right", min_width=_NUMBER)
    table.add_column(style="dim")
    for row in rows:
        table.add_row(*row)
    return table


def answer(console: Console, some: pa.Table, facts: Table | str) -> None:
    """A first look at a result, if it has any rows, and what it took."""
    if len(some):
        console.print(pairs_table(some))
    console.print(facts)


def written(console: Console, count: int, what: str, path: Path | None) -> None:
    """Where a result went, if it went anywhere."""
    if path is not None:
        console.print(f"{count:,} {what} in {path}", markup=False, soft_wrap=True)


def pairs_table(pairs: pa.Table, title: str | None = None) -> Table:
    """Some pairs as they are."""
    table = Table(
        title=title, title_justify="left", title_style="bold", header_style="dim", pad_edge=False, box=box.SIMPLE_HEAD
    )
    for name, column in zip(pairs.column_names, pairs.columns, strict=True):
        table.add_column(name, justify="right" if str(column.type) in ("int64", "int32", "double") else "left")
    for row in pairs.to_pylist():
        table.add_row(*(_say(value) for value in row.values()))
    return table


def first_look(pairs: pa.Table, count: int = 3) -> pa.Table:
    """The surest and the least sure pairs of a result; its first ones where it has no confidence."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "confidence" not in pairs.column_names or len(pairs) <= 2 * count:
        return pairs.slice(0, 2 * count)
    keys = [(name, "ascending") for name in pairs.column_names[:2]]
    surest = pc.select_k_unstable(pairs, count, [("confidence", "descending"), *keys])
    least = pc.select_k_unstable(pairs, count, [("confidence", "ascending"), *keys])
    return pa.concat_tables([pairs.take(surest), pairs.take(least[::-1])])


def _say(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _share(part: int, whole: int, of: str) -> str:
    return f"{part / whole:.3g} {of}" if part < 0.001 * whole else f"{part / whole:.1%} {of}" if whole else ""
