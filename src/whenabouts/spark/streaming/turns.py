"""A turn on Spark: a group's packets and its snapshot in, blobs of results and the next snapshot out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from whenabouts.spark.streaming.metrics import Metric
from whenabouts.spark.streaming.packets import ROWS
from whenabouts.spark.workers import begin_task
from whenabouts.state.keeper import LATE, Keeper
from whenabouts.state.snapshot import as_bytes, from_bytes

SCHEMA = "kind string, input int, blob binary, counts array<double>"
STATE = "snapshot binary"
ENOUGH = 1 << 26
"""So many bytes of results are let go together."""
_COLUMNS = ("input", "kind", "clock", "rows", "blob")


@dataclass(frozen=True)
class Turns:
    """What `applyInPandasWithState` calls for every group. The frames hold packets, so there are few rows in them."""

    make_keeper: Callable[[], Keeper]
    schemas: tuple[pa.Schema, ...]
    names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    gathered: int
    keep: bool

    def __call__(self, key: Any, frames: Iterable[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        """One turn. Nothing is emitted before the state is known to fit."""
        begin_task()
        keeper = self.make_keeper()
        if state.exists:
            keeper.restore(state.get[0])
        tables: list[list[pa.Table]] = [[] for _ in self.schemas]
        clocks = [-math.inf] * len(self.schemas)
        aside: dict[str, float] = {}
        out = Outlet(self.gathered)
        for frame in frames:
            for number, kind, clock, rows, blob in zip(*(frame[name] for name in _COLUMNS), strict=True):
                clocks[number] = max(clocks[number], clock)
                if kind == ROWS:
                    tables[number] += [from_bytes(blob)] if rows else []
                    continue
                name = f"{self.names[number]}_{kind.replace(' ', '_')}"
                aside[name] = aside.get(name, 0.0) + rows
                if blob:
                    yield from out.send(kind, number, blob)
        inputs = [
            pa.concat_tables(parts).combine_chunks() if parts else schema.empty_table()
            for parts, schema in zip(tables, self.schemas, strict=True)
        ]
        for emission in keeper.turn(inputs, clocks):
            if len(emission.rows) and (self.keep or emission.kind != LATE):
                yield from out.send(emission.kind, emission.input, as_bytes(emission.rows))
        snapshot = keeper.snapshot()
        state.update((snapshot,))
        counts = keeper.counts | aside | {"state_bytes": float(len(snapshot))}
        for name, watermark in zip(self.names, keeper.watermarks.current(), strict=True):
            counts[f"{name}_watermark"] = watermark
            counts[f"{name}_rows"] += sum(aside.get(f"{name}_{kind}", 0.0) for kind in ("malformed", "too_wide"))
        yield out.last([counts.get(metric.name, 0.0) for metric in self.metrics])


class Outlet:
    """Blobs on their way out. A frame costs as much as a small blob, so that many blobs share one.

    Spark gathers frames until they have more than `gathered` rows, whatever their size, and would hold all results of a
    turn, of which there may be more than fit into one Arrow column (2 GB). So that they go on, large results are
    followed by so many empty rows.
    """

    def __init__(self, gathered: int) -> None:
        self.gathered = gathered
        self.kinds: list[str | None] = []
        self.inputs: list[int] = []
        self.blobs: list[bytes | None] = []
        self.size = 0

    def send(self, kind: str, number: int, blob: bytes) -> Iterator[pd.DataFrame]:
        """Take a blob, and let go of those that are enough by now."""
        self._add(kind, number, blob)
        self.size += len(blob)
        if self.size >= ENOUGH:
            empty = self.gathered + 1 - len(self.kinds)
            yield self._frame([*self.kinds, *[None] * empty], [None] * (len(self.kinds) + empty))

    def last(self, counts: list[float]) -> pd.DataFrame:
        """What is left, and the turn's counts."""
        self._add("counts", -1, None)
        return self._frame(self.kinds, [*[None] * (len(self.kinds) - 1), counts])

    def _add(self, kind: str, number: int, blob: bytes | None) -> None:
        self.kinds.append(kind)
        self.inputs.append(number)
        self.blobs.append(blob)

    def _frame(self, kinds: list[str | None], counts: list[list[float] | None]) -> pd.DataFrame:
        empty = len(kinds) - len(self.blobs)
        frame = pd.DataFrame(
            {"kind": kinds, "input": self.inputs + [-1] * empty, "blob": self.blobs + [None] * empty, "counts": counts}
        )
        self.kinds, self.inputs, self.blobs, self.size = [], [], [], 0
        return frame
