"""From matched rows to record batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats
from whenabouts.ops.match.question import PatternMatch


class Writer:
    """Turns matches into record batches: ids in pattern order, the time range, the confidence, and what is returned.

    Rows are places in `table`; times are offsets from `origin`, on the question's clock.
    """

    def __init__(self, question: PatternMatch, table: pa.Table, origin: int | float) -> None:
        self.question, self.origin = question, origin
        self.schema = question.output_schema(table.schema)
        self.ids = table.column(question.contract.id).combine_chunks()
        self.columns = {name: table.column(name).combine_chunks() for name in question.carried}
        self.place = {one.variable: place for place, one in enumerate(question.pattern.present)}

    def batch(self, rows: NDArray[np.int64], earliest: Floats, latest: Floats, confidence: Floats) -> pa.RecordBatch:
        """The batch of some matches: `rows` has a line a match and a column a present component."""
        offsets = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
        flat = self.ids.take(pa.array(np.ascontiguousarray(rows).ravel()))
        arrays = [
            pa.ListArray.from_arrays(pa.array(offsets), flat, type=self.schema.field("signature").type),
            self._moments(earliest, np.floor),
            self._moments(latest, np.ceil),
            pa.array(confidence),
        ]
        for number, one in enumerate(self.question.pattern.returned, start=len(arrays)):
            at = pa.array(np.ascontiguousarray(rows[:, self.place[one.variable]]))
            if one.attribute is not None:
                arrays.append(self.columns[one.attribute].take(at))
                continue
            kind = self.schema.field(number).type
            parts = [self.columns[name].take(at) for name in self.question.data_columns]
            arrays.append(pa.StructArray.from_arrays(parts, fields=list(kind)))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _moments(self, offsets: Floats, towards: np.ufunc) -> pa.Array:
        """Moments in the clock's own type; one between two ticks moves outwards."""
        if self.question.clock.kind == "number":
            return pa.array(offsets + self.origin)
        ticks = towards(offsets).astype(np.int64) + int(self.origin)
        return pa.array(ticks).cast(self.question.moment_type)
