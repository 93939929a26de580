"""A live view of a running query, for people who watch it: rates, buffers, probes, watermarks, response times."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from whenabouts.spark.streaming.metrics import metrics_of

_INTERVAL = 0.25
_SET_ASIDE = (("late", "late"), ("too_wide", "too wide"), ("malformed", "malformed"))


@dataclass
class Told:
    """What the progress events of a query have told so far."""

    batch: int = -1
    latest: Mapping[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)

    def hear(self, progress: Mapping[str, Any]) -> None:
        """Take in a progress event; one that was heard before adds nothing."""
        if progress["batchId"] <= self.batch:
            return
        told = metrics_of(progress)
        if not told:
            return
        self.batch, self.latest, self.metrics = progress["batchId"], progress, told
        for name, value in self.metrics.items():
            if isinstance(value, int | float):
                self.totals[name] = self.totals.get(name, 0.0) + value

    def table(self) -> Table:
        """The latest micro-batch, and everything since the watching began."""
        now, total = self.metrics, self.totals
        seconds = (dict(self.latest.get("durationMs") or {}).get("triggerExecution") or 0) / 1000
        table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 3, 0, 0))
        for heading, justify in (("", "left"), ("this batch", "right"), ("so far", "right"), ("", "left")):
            table.add_column(heading, justify=justify)  # type: ignore[arg-type]
        table.add_row("batch", f"{self.batch:,}", "", Text(f"{seconds:.2f} s", style="dim"))
        for side in self._sides:
            rate = f"{now[f'{side}_rows'] / seconds:,.0f} events/s" if seconds else ""
            self._row(table, f"{side} events", f"{side}_rows", rate)
        self._row(table, "results", "emitted", f"{now['emitted'] / seconds:,.0f} a second" if seconds else "")
        if "probed" in now:
            self._row(table, "probes", "probed", _share(total["probed"], total.get("candidates", 0), "of candidates"))
            self._row(table, "look-up hits", "lookup_hits", _share(total["lookup_hits"], total["probed"], "of probes"))
        if "buffered" in now:
            table.add_row(
                "buffered", f"{now['buffered']:,.0f}", "", f"[dim]{now['state_bytes'] / 1e6:,.2f} MB of state"
            )
        if now.get("response_total") is not None and now["emitted"]:
            mean = total["response_total"] / total["emitted"]
            table.add_row("response", f"{now['response_total'] / now['emitted']:,.2f} s", f"{mean:,.2f} s", _DIM_LATER)
        for side in self._sides:
            if f"{side}_watermark" in now:
                table.add_row(f"{side} watermark", _moment(now[f"{side}_watermark"]), "", "")
        for name, word in _SET_ASIDE:
            count, ever = (sum(one.get(f"{side}_{name}", 0.0) for side in self._sides) for one in (now, total))
            style = "yellow" if ever else "dim"
            table.add_row(Text(word, style=style), f"{count:,.0f}", Text(f"{ever:,.0f}", style=style), "")
        return table

    @property
    def _sides(self) -> list[str]:
        return [name.removesuffix("_rows") for name in self.metrics if name.endswith("_rows")]

    def _row(self, table: Table, title: str, name: str, more: str) -> None:
        table.add_row(title, f"{self.metrics[name]:,.0f}", f"{self.totals[name]:,.0f}", Text(more, style="dim"))


_DIM_LATER = "[dim]after the later event's latest time"


def watch(
    query: Any,
    *,
    console: Console | None = None,
    seconds: float | None = None,
    below: Callable[[], RenderableType] | None = None,
) -> None:
    """Show what a streaming query does, live, until it ends, `seconds` are over or Ctrl-C is pressed.

    The query itself is left alone: Ctrl-C ends the watching. An error of the query is raised when it ends by one.

    Parameters
    ----------
    query : StreamingQuery
        A running query over a frame that an operator of whenabouts returned.
    console : rich Console, optional
        Where to show it.
    seconds : float, optional
        How long to watch at most, counted from the first micro-batch.
    below : callable, optional
        Makes something to show below the numbers.
    """
    told = Told()
    end = math.inf
    with Live(console=console, auto_refresh=False, transient=False) as live:
        try:
            while True:
                running = query.isActive
                for progress in query.recentProgress:
                    told.hear(progress)
                view = told.table() if told.metrics else Text("waiting for the first micro-batch ...", style="dim")
                live.update(Group(view, below()) if below and told.metrics else view, refresh=True)
                if seconds is not None and end == math.inf and told.metrics:
                    end = time.monotonic() + seconds
                if not running or time.monotonic() >= end:
                    break
                time.sleep(_INTERVAL)
        except KeyboardInterrupt:
            return
    error = query.exception()
    if error is not None:
        raise error


def _share(part: float, whole: float, of: str) -> str:
    return f"{part / whole:.0%} {of}" if whole else ""


def _moment(value: Any) -> str:
    if value is None:
        return "none yet"
    return f"{value:,.2f}" if isinstance(value, float) else str(value).replace("T", " ")[:23]
