"""The matches of a prepared pattern as record batches."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.ops.match.evaluate import Prepared
from whenabouts.ops.match.methods import choose_method, matches
from whenabouts.ops.match.stretches import stretches
from whenabouts.ops.match.writer import Writer


def execute(prepared: Prepared) -> Iterator[pa.RecordBatch]:
    """The matches, as record batches; counts gather in `prepared.counts`.

    With `top` they come surest first, ties in the order of their time range and signature, and end after so many.
    """
    asked, table = prepared.asked, prepared.table
    assert asked is not None
    assert table is not None
    batches = (batch for part in stretches(prepared) for batch in _batches(part))
    if not prepared.top:
        yield from batches
        return
    best = surest(pa.Table.from_batches(list(batches), asked.output_schema(table.schema)), prepared.top)
    prepared.counts["emitted"] = len(best)
    yield from best.combine_chunks().to_batches()


def _batches(prepared: Prepared) -> Iterator[pa.RecordBatch]:
    """The matches by the method that was asked for."""
    asked, table = prepared.asked, prepared.table
    assert asked is not None
    assert table is not None
    writer = Writer(asked, table, prepared.origin)
    grain = asked.grain or 1.0
    method, _ = choose_method(prepared, asked.method)
    for found in matches(prepared, method):
        yield writer.batch(found.events, found.earliest * grain, found.latest * grain, found.confidence)


def surest(table: pa.Table, top: int) -> pa.Table:
    """The k surest matches; ties go to the earlier range, then to the lesser signature."""
    count = len(table.column("signature").chunk(0)[0]) if len(table) else 0
    keys = {name: table.column(name) for name in ("confidence", "earliest", "latest")}
    keys |= {f"id{place}": pc.list_element(table.column("signature"), place) for place in range(count)}
    names = [("confidence", "descending"), *((name, "ascending") for name in keys if name != "confidence")]
    order = pc.sort_indices(pa.table(keys), sort_keys=names) if count else pa.array([], pa.int64())
    return table.take(order.slice(0, top))
