"""Pairs as record batches: ids, confidence, and the moments at which a pair enters and expires."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints
from whenabouts.ops.similarity.prepare import Prepared
from whenabouts.schema.arrow import plain


class Writer:
    """Writes the pairs of two streams."""

    def __init__(self, prepared: Prepared, left: int, right: int) -> None:
        self.join = prepared.join
        self.schema = prepared.schema
        self.numbers = left, right
        self.sides = prepared.sides[left], prepared.sides[right]
        self.last = prepared.last
        names = [field.name for field in self.schema if field.name.endswith("_id")]
        self.ids = [
            plain(side.table.column(side.stream.contract.id)).cast(self.schema.field(name).type).combine_chunks()
            for side, name in zip(self.sides, names, strict=True)
        ]

    def batch(self, left: Ints, right: Ints, confidence: Floats) -> pa.RecordBatch:
        """The batch of some pairs, given by the kernels' positions."""
        columns: dict[str, pa.Array] = {}
        for name, number, side, at, ids in zip(
            ("left", "right"), self.numbers, self.sides, (left, right), self.ids, strict=True
        ):
            columns[f"{name}_stream"] = pa.array(np.full(len(at), number))
            columns[f"{name}_id"] = ids.take(pa.array(side.rows[at]))
        columns["confidence"] = pa.array(confidence)
        places = self.sides[0].ticks[left], self.sides[1].ticks[right]
        columns["enters"] = self._moments(np.maximum(*places))
        if math.isinf(self.join.window):
            columns["expires"] = pa.nulls(len(left), columns["enters"].type)
        else:
            columns["expires"] = self._moments(np.minimum(*places) + self._window(places[0]))
        if self.join.changes:
            columns = self._changes(columns, np.minimum(*places) + self.join.window)
        return pa.RecordBatch.from_arrays([columns[name] for name in self.schema.names], schema=self.schema)

    def _window(self, places: Ints | Floats) -> int | float:
        whole = float(self.join.window).is_integer()
        return int(self.join.window) if whole and places.dtype == np.int64 else self.join.window

    def _moments(self, ticks: Ints | Floats) -> pa.Array:
        """Moments in the type of the places. Between two ticks it is the later one, the first at which it is so."""
        kind = self.schema.field("at" if self.join.changes else "enters").type
        if pa.types.is_floating(kind):
            return pa.array(ticks.astype(np.float64))
        whole = ticks if ticks.dtype == np.int64 else np.ceil(ticks).astype(np.int64)
        return pa.array(whole).cast(kind)

    def _changes(self, columns: dict[str, pa.Array], ends: Floats) -> dict[str, pa.Array]:
        """The pairs as a changelog: each enters, and expires if that is not after the last moment that was seen."""
        gone = pa.array(np.flatnonzero(ends <= self.last))
        log = {name: pa.concat_arrays([column, column.take(gone)]) for name, column in columns.items()}
        entering, expiring = len(columns["enters"]), len(gone)
        log["change"] = pa.array(["enters"] * entering + ["expires"] * expiring, pa.string())
        log["at"] = pa.concat_arrays([columns["enters"], columns["expires"].take(gone)])
        return log
