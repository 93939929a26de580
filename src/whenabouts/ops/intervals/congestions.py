"""A measure below or above a threshold, as the segments in which it is so (section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.clock import Clock
from whenabouts.schema import ROLES
from whenabouts.schema.arrow import codes, nothing, plain
from whenabouts.schema.times import to_ticks


@dataclass(frozen=True)
class Congestions:
    """What to threshold: a mean over windows of `every` ticks, or over rows at the same time where that is zero."""

    key: str
    time: str
    value: str
    threshold: float
    below: bool
    clock: Clock
    every: float = 0.0

    def schema(self, data: pa.Schema) -> pa.Schema:
        """Key, seq, time and role."""
        return pa.schema(
            [
                pa.field(self.key, data.field(self.key).type),
                pa.field("seq", pa.int64()),
                pa.field(self.time, data.field(self.time).type),
                pa.field("role", pa.string()),
            ]
        )

    def __call__(self, table: pa.Table) -> pa.Table:
        """The starts and ends of all stretches of a key, numbered; a key that has none gives no row.

        A stretch ends with the first mean that is not in it, or with the last one of the key; where that is its only
        one, it has no length and is left out.
        """
        table = table.select([self.key, self.time, self.value])
        missing = np.logical_or.reduce([nothing(table.column(name).combine_chunks()) for name in table.column_names])
        table = table.filter(pa.array(~missing))
        keys = table.column(self.key).combine_chunks()
        key = codes(plain(table.column(self.key)).combine_chunks())
        ticks, _ = to_ticks(table.column(self.time).combine_chunks(), self.clock)
        value = table.column(self.value).combine_chunks().cast(pa.float64()).to_numpy(zero_copy_only=False)
        window = np.floor(ticks / self.every) if self.every else ticks
        key, window, mean, row = _means(key, window, value)
        inside = mean < self.threshold if self.below else mean > self.threshold
        places, ends = _stretches(key, inside)
        moment = window * self.every if self.every else window
        begin = moment[places]
        finish = np.where(ends < len(key), moment[np.minimum(ends, len(key) - 1)], 0)
        last = (ends == len(key)) | (key[np.minimum(ends, len(key) - 1)] != key[places]) if len(places) else ends > 0
        finish = np.where(last, moment[ends - 1] + (self.every or 0), finish)
        long = finish > begin
        return self._rows(table.schema, keys, row[places[long]], key[places[long]], begin[long], finish[long])

    def _rows(
        self,
        schema: pa.Schema,
        keys: pa.Array,
        row: Ints,
        key: Ints,
        begin: NDArray[Any],
        end: NDArray[Any],
    ) -> pa.Table:
        count = len(row)
        times = np.column_stack([begin, end]).ravel()
        first = np.searchsorted(key, key)
        number = np.arange(count) - first
        seq = np.column_stack([2 * number + 1, 2 * number + 2]).ravel()
        final = np.append(key[1:] != key[:-1], True)[: count if count else 0]
        role = np.column_stack([np.where(number == 0, 0, 2), np.where(final, 3, 1)]).ravel()
        kind = schema.field(self.time).type
        whole = np.rint(times).astype(np.int64) if not pa.types.is_floating(kind) else times.astype(np.float64)
        return pa.table(
            [
                keys.take(pa.array(np.repeat(row, 2))),
                pa.array(seq, pa.int64()),
                pa.array(whole).cast(kind),
                pa.array(ROLES, pa.string()).take(pa.array(role)),
            ],
            schema=self.schema(schema),
        )


def _means(key: Ints, window: NDArray[Any], value: Floats) -> tuple[Ints, NDArray[Any], Floats, Ints]:
    """The mean of each key and window, in order, and a row of each."""
    order = np.lexsort((window, key))
    key, window, value = key[order], window[order], value[order]
    new = np.append(True, (key[1:] != key[:-1]) | (window[1:] != window[:-1]))[: len(key)]
    start = np.flatnonzero(new)
    if not len(start):
        return key, window, value, order
    count = np.diff(np.append(start, len(key)))
    return key[start], window[start], np.add.reduceat(value, start) / count, order[start]


def _stretches(key: Ints, inside: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Where runs begin, and the place after each."""
    if not len(key):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    same = np.append(False, key[1:] == key[:-1])
    before = np.append(False, inside[:-1]) & same
    after = np.append(inside[1:], False) & np.append(same[1:], False)
    return np.flatnonzero(inside & ~before), np.flatnonzero(inside & ~after) + 1
