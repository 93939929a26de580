"""From pairs of keys to record batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.timing.streams import Pairs
from whenabouts.ops.timing.prepare import Prepared
from whenabouts.schema.arrow import in_one
from whenabouts.schema.room import gathered, room


def allocate(capacity: int, measure: bool) -> Pairs:
    """Room for pairs."""
    return Pairs(room(capacity, np.int64), room(capacity, np.int64), room(capacity if measure else 0))


class Writer:
    """Turns pairs of keys into record batches.

    Where an id is a plain int64 the kernel writes it itself; else it writes rows, and ids are taken by them.
    """

    def __init__(self, prepared: Prepared) -> None:
        join = prepared.join
        self.measure = join.measure
        self.sides = []
        self.direct = []
        for side, data in ((join.left, prepared.left), (join.right, prepared.right)):
            ids = in_one(data.table.column(side.contract.id))
            direct = pa.types.is_int64(ids.type) and not side.carry
            known = ids.fill_null(0) if direct and ids.null_count else ids
            key = gathered(known.to_numpy(), data.rows) if direct else data.rows
            carried = [in_one(data.table.column(name)) for name in side.carry]
            self.sides.append((key, ids, carried))
            self.direct.append(direct)
        self.schema = join.output_schema(prepared.left.table.schema, prepared.right.table.schema)

    @property
    def left_key(self) -> Ints:
        return self.sides[0][0]

    @property
    def right_key(self) -> Ints:
        return self.sides[1][0]

    def batch(self, left: Ints, right: Ints, confidence: Floats) -> pa.RecordBatch:
        """The batch of some pairs, as the sweep wrote them."""
        ids, carried = [], []
        for keys, direct, (_, column, others) in zip((left, right), self.direct, self.sides, strict=True):
            at = pa.array(keys)
            ids.append(at if direct else column.take(at))
            carried += [other.take(at) for other in others]
        measured = [pa.array(confidence)] if self.measure else []
        return pa.RecordBatch.from_arrays([*ids, *measured, *carried], schema=self.schema)
