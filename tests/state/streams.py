"""Streams without Spark: rows in batches through inlet and keeper, as an engine would send them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from whenabouts.state.inlet import Arrivals, Inlet
from whenabouts.state.keeper import LATE, Keeper
from whenabouts.state.machine import MOMENT, OWNED, SLICE


def admitted(rows: pa.Table, taken: Arrivals, group: int) -> pa.Table:
    """The copies that one group gets."""
    at = np.flatnonzero(taken.copies.group == group)
    table = rows.take(pa.array(taken.copies.row[at]))
    return (
        table.append_column(MOMENT, pa.array(taken.moment[taken.copies.row[at]]))
        .append_column(OWNED, pa.array(taken.copies.owned[at]))
        .append_column(SLICE, pa.array(taken.copies.slice[at]))
    )


@dataclass
class Stream:
    """Every group's keeper, made anew from its snapshot in every turn."""

    inlets: Sequence[Inlet]
    make_keeper: object
    groups: int = 1
    snapshots: dict[int, bytes] = field(default_factory=dict)
    results: list[pa.Table] = field(default_factory=list)
    late: list[pa.Table] = field(default_factory=list)
    counts: list[dict[str, float]] = field(default_factory=list)

    def turn(self, *inputs: pa.Table) -> None:
        taken = [inlet.take(rows) for inlet, rows in zip(self.inlets, inputs, strict=True)]
        clocks = [float(np.max(one.moment[one.code == 0], initial=-math.inf)) for one in taken]
        for group in range(self.groups):
            keeper: Keeper = self.make_keeper()
            if group in self.snapshots:
                keeper.restore(self.snapshots[group])
            tables = [admitted(rows, one, group) for rows, one in zip(inputs, taken, strict=True)]
            for emission in keeper.turn(tables, clocks):
                copied = pa.ipc.open_stream(_bytes(emission.rows)).read_all()
                (self.late if emission.kind == LATE else self.results).append(copied)
            self.snapshots[group] = keeper.snapshot()
            self.counts.append(keeper.counts)


def _bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
