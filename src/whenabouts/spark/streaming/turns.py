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
from whenabouts.state.keeper import LATE, Keeper
from whenabouts.state.snapshot import as_bytes, from_bytes

SCHEMA = "kind string, input int, blob binary, counts array<double>"
STATE = "snapshot binary"


@dataclass(frozen=True)
class Turns:
    """What `applyInPandasWithState` calls for every group. The frames hold packets, so there are few rows in them."""

    make_keeper: Callable[[], Keeper]
    schemas: tuple[pa.Schema, ...]
    names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    keep: bool

    def __call__(self, key: Any, frames: Iterable[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        """One turn. Nothing is emitted before the state is known to fit."""
        keeper = self.make_keeper()
        if state.exists:
            keeper.restore(state.get[0])
        tables: list[list[pa.Table]] = [[] for _ in self.schemas]
        clocks = [-math.inf] * len(self.schemas)
        aside: dict[str, float] = {}
        for frame in frames:
            for number, kind, clock, rows, blob in zip(
                frame["input"], frame["kind"], frame["clock"], frame["rows"], frame["blob"], strict=True
            ):
                clocks[number] = max(clocks[number], clock)
                if kind == ROWS:
                    tables[number] += [from_bytes(blob)] if rows else []
                    continue
                name = f"{self.names[number]}_{kind.replace(' ', '_')}"
                aside[name] = aside.get(name, 0.0) + rows
                if blob:
                    yield _frame(kind, number, blob)
        inputs = [
            pa.concat_tables(parts).combine_chunks() if parts else schema.empty_table()
            for parts, schema in zip(tables, self.schemas, strict=True)
        ]
        for emission in keeper.turn(inputs, clocks):
            if len(emission.rows) and (self.keep or emission.kind != LATE):
                yield _frame(emission.kind, emission.input, as_bytes(emission.rows))
        snapshot = keeper.snapshot()
        state.update((snapshot,))
        counts = keeper.counts | aside | {"state_bytes": float(len(snapshot))}
        for name, watermark in zip(self.names, keeper.watermarks.current(), strict=True):
            counts[f"{name}_watermark"] = watermark
            counts[f"{name}_rows"] += sum(aside.get(f"{name}_{kind}", 0.0) for kind in ("malformed", "too_wide"))
        values = [counts.get(metric.name, 0.0) for metric in self.metrics]
        yield pd.DataFrame({"kind": ["counts"], "input": [-1], "blob": [None], "counts": [values]})


def _frame(kind: str, number: int, blob: bytes) -> pd.DataFrame:
    return pd.DataFrame({"kind": [kind], "input": [number], "blob": [blob], "counts": [None]})
