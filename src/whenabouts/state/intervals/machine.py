"""The interval query as a state machine (section 3.3, streaming environments).

Events of a key gather until it is closed: its last event is in and no earlier one can still come, or nothing has come
for as long as the timeout. An earlier event begins before the last one is over, so its moment is at most the widest
time later. What has not come by then counts as lost. A pair is answered in the turn in which the later
of its keys is closed. How it is answered is the batch operator's business, which is handed in.

A closed key stays for the keys that are still to come, as long as `keep` says. The watermark alone cannot tell that it
is done: a key that begins now may have lost its first events, which can have been at any time before. Where the pairs
are given, keys that are in none of them never stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats
from whenabouts.model.clock import Clock
from whenabouts.schema import SegmentContract, read_segments
from whenabouts.state.machine import MOMENT, OWNED
from whenabouts.state.snapshot import Label, appended, read_snapshot, write_snapshot

VERSION = 2
CLOSED = "__closed"

_PAIR = ["left_key", "right_key"]

Answer = Callable[[pa.Table, pa.Table, pa.Table, bool, bool], Iterator[pa.RecordBatch]]
"""The confidences of some pairs of keys, given the events of both sides; whether they are final, and whether they are
wanted though they are below the threshold."""


@dataclass(frozen=True)
class Waiting:
    """How long to wait, in ticks: for an event of an open key, for the partners of a closed one, and after the last
    event of a key for earlier ones: the widest time of either side.
    """

    timeout: float = math.inf
    keep: float = math.inf
    widths: tuple[float, float] = (0.0, 0.0)


class IntervalMachine:
    """Two buffers of events; those of closed keys are marked with the moment of closing.

    With updates also the pairs that were told and are not final: they are told of whatever becomes of them.
    """

    def __init__(
        self, settings: dict[str, str], contracts: tuple[SegmentContract, SegmentContract], clock: Clock,
        waiting: Waiting, answer: Answer, updates: bool = False, pairs: pa.Table | None = None,
    ) -> None:  # fmt: skip
        self.label = Label("interval query", VERSION, settings)
        self.contracts = contracts
        self.clock = clock
        self.waiting = waiting
        self.answer = answer
        self.updates = updates
        self.pairs = pairs
        self.buffers: list[pa.Table | None] = [None, None]
        self.told: pa.Table | None = None
        self.changed: list[pa.Array | None] = [None, None]
        self.counts: dict[str, float] = {"after_closing": 0.0, "in_bad_keys": 0.0}

    def on_batch(self, inputs: Sequence[pa.Table]) -> Iterator[pa.RecordBatch]:
        """Gather the events; those of keys that are closed came too late, and count as lost."""
        for side, rows in enumerate(inputs):
            contract = self.contracts[side]
            rows = self._named(rows.select([*contract.columns, MOMENT, OWNED]), side)
            buffer = self.buffers[side]
            if buffer is not None:
                done = buffer.filter(pc.is_finite(buffer.column(CLOSED))).column(contract.key)
                late = pc.is_in(rows.column(contract.key), pc.unique(done))
                self.counts["after_closing"] += float(pc.sum(pc.and_(late, rows.column(OWNED))).as_py() or 0)
                rows = rows.filter(pc.invert(late))
            self.changed[side] = pc.unique(rows.column(contract.key))
            rows = rows.append_column(CLOSED, pa.array(np.full(len(rows), np.nan)))
            self.buffers[side] = appended(buffer, rows)
        return iter(())

    def _named(self, rows: pa.Table, side: int) -> pa.Table:
        """Without the keys that no given pair names: nothing is ever asked of them."""
        if self.pairs is None:
            return rows
        key = rows.column(self.contracts[side].key)
        names = pc.unique(self.pairs.column(("left_key", "right_key")[side]))
        return rows.filter(pc.is_in(key, names.cast(key.type)))

    def on_watermark(self, watermarks: Sequence[float]) -> Iterator[pa.RecordBatch]:
        """Close keys, answer for the pairs that are complete now, and forget keys that have waited long enough."""
        closing = [self._close(side, watermarks[side]) for side in (0, 1)]
        self.counts["in_bad_keys"] += sum(self._broken(side, closing[side]) for side in (0, 1))
        tables = [buffer for buffer in self.buffers if buffer is not None]
        if len(tables) == 2:
            yield from self._final(tables, closing)
            if self.updates:
                yield from self._provisional(tables, closing)
        for side, limit in enumerate((watermarks[1], watermarks[0])):
            buffer = self.buffers[side]
            if buffer is not None and math.isfinite(self.waiting.keep):
                closed = buffer.column(CLOSED).to_numpy()
                self.buffers[side] = buffer.filter(pa.array(~(closed + self.waiting.keep < limit)))
        self._forget_told()
        self.counts["buffered"] = float(sum(len(rows) for rows in self.buffers if rows is not None))

    def _close(self, side: int, watermark: float) -> pa.Array:
        """The keys that are closed now."""
        buffer, contract = self.buffers[side], self.contracts[side]
        if buffer is None:
            return pa.array([])
        moment, closed = (buffer.column(name).to_numpy() for name in (MOMENT, CLOSED))
        encoded = buffer.column(contract.key).combine_chunks().dictionary_encode()
        key = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        count = len(encoded.dictionary)
        last, ended = np.full(count, -np.inf), np.full(count, np.inf)
        np.maximum.at(last, key, moment)
        ends = self._is_end(buffer, contract)
        np.minimum.at(ended, key[ends], moment[ends])
        ended += self.waiting.widths[side]
        until = np.minimum(np.maximum(ended, np.where(np.isinf(ended), ended, last)), last + self.waiting.timeout)
        now = (until <= watermark) & (until < np.inf)
        fresh = now[key] & np.isnan(closed)
        marked = np.where(fresh, until[key], closed)
        place = buffer.column_names.index(CLOSED)
        self.buffers[side] = buffer.set_column(place, CLOSED, pa.array(marked))
        return encoded.dictionary.take(pa.array(np.unique(key[fresh])))

    def _broken(self, side: int, closing: pa.Array) -> int:
        """How many rows this group answers for whose key breaks the contract, as shows now that it is closed."""
        buffer, contract = self.buffers[side], self.contracts[side]
        if buffer is None or not len(closing):
            return 0
        here = pc.and_(buffer.column(OWNED), pc.is_in(buffer.column(contract.key), closing))
        rows = buffer.filter(here)
        return int(np.count_nonzero(~read_segments(rows, contract, self.clock)[1].good)) if len(rows) else 0

    def _is_end(self, rows: pa.Table, contract: SegmentContract) -> np.ndarray:
        """Which rows are the last event of their key."""
        if contract.expected is None:
            role = pc.utf8_lower(rows.column(str(contract.role)).cast(pa.large_string()))
            return pc.equal(role, "end").fill_null(False).to_numpy()
        seq = rows.column(contract.seq).to_numpy()
        total: Floats | int = contract.expected if isinstance(contract.expected, int) else 0
        if isinstance(contract.expected, str):
            total = rows.column(contract.expected).cast(pa.float64()).to_numpy()
        return seq - contract.first + 1 == total

    def _final(self, tables: list[pa.Table], closing: list[pa.Array]) -> Iterator[pa.RecordBatch]:
        """Pairs of closed keys of which at least one was closed now."""
        done = [table.filter(pc.is_finite(table.column(CLOSED))) for table in tables]
        keys = [pc.unique(rows.column(own.key)) for rows, own in zip(done, self.contracts, strict=True)]
        yield from self._ask(done, self._pairs(keys, closing), final=True)

    def _provisional(self, tables: list[pa.Table], closing: list[pa.Array]) -> Iterator[pa.RecordBatch]:
        """Pairs with a key that has changed, unless they are final already."""
        keys = [pc.unique(rows.column(own.key)) for rows, own in zip(tables, self.contracts, strict=True)]
        changed = [some if some is not None else pa.array([]) for some in self.changed]
        pairs = self._pairs(keys, changed)
        still = []
        for table, name, own in zip(tables, ("left_key", "right_key"), self.contracts, strict=True):
            opened = pc.unique(table.filter(pc.invert(pc.is_finite(table.column(CLOSED)))).column(own.key))
            still.append(pc.is_in(pairs.column(name), opened))
        yield from self._ask(tables, pairs.filter(pc.or_(*still)), final=False)

    def _ask(self, tables: list[pa.Table], pairs: pa.Table, final: bool) -> Iterator[pa.RecordBatch]:
        """Have the pairs answered, from the rows of their keys alone."""
        if not len(pairs):
            return
        rows = [
            table.filter(pc.is_in(table.column(own.key), pc.unique(pairs.column(name)))).select(list(own.columns))
            for table, own, name in zip(tables, self.contracts, ("left_key", "right_key"), strict=True)
        ]
        known = np.zeros(len(pairs), dtype=np.bool_) if self.told is None else _among(pairs, self.told)
        again, pairs = pairs.filter(pa.array(known)), pairs.filter(pa.array(~known))
        if len(again):
            yield from self.answer(rows[0], rows[1], again, final, True)
        for batch in self.answer(rows[0], rows[1], pairs, final, False) if len(pairs) else ():
            if not final:
                told = pa.Table.from_batches([batch]).select(_PAIR).cast(pairs.schema)
                self.told = told if self.told is None else pa.concat_tables([self.told, told])
            yield batch

    def _forget_told(self) -> None:
        """Pairs that are final, or of which a key is forgotten, are not told of any more."""
        if self.told is None:
            return
        there, opened = [], []
        for buffer, name, own in zip(self.buffers, _PAIR, self.contracts, strict=True):
            assert buffer is not None
            still = buffer.filter(pc.invert(pc.is_finite(buffer.column(CLOSED))))
            there.append(pc.is_in(self.told.column(name), pc.unique(buffer.column(own.key))))
            opened.append(pc.is_in(self.told.column(name), pc.unique(still.column(own.key))))
        self.told = self.told.filter(pc.and_(pc.and_(*there), pc.or_(*opened)))

    def _pairs(self, keys: list[pa.Array], new: list[pa.Array]) -> pa.Table:
        """The pairs of which at least one key is new, in the order of the keys: arrivals have none."""
        fresh = [
            pc.is_in(own, some.cast(own.type)).to_numpy(zero_copy_only=False)
            for own, some in zip(keys, new, strict=True)
        ]
        new_left, old_left, new_right = np.flatnonzero(fresh[0]), np.flatnonzero(~fresh[0]), np.flatnonzero(fresh[1])
        x = np.concatenate([np.repeat(new_left, len(keys[1])), np.repeat(old_left, len(new_right))])
        y = np.concatenate([np.tile(np.arange(len(keys[1])), len(new_left)), np.tile(new_right, len(old_left))])
        made = pa.table({"left_key": keys[0].take(pa.array(x)), "right_key": keys[1].take(pa.array(y))})
        if self.pairs is not None and len(made):
            made = made.filter(pa.array(_among(made, self.pairs)))
        return made.sort_by([(name, "ascending") for name in _PAIR])

    def snapshot(self) -> bytes:
        """Both buffers and the pairs that were told, as columns."""
        named = zip(("left", "right", "told"), (*self.buffers, self.told), strict=True)
        held = {name: rows for name, rows in named if rows is not None}
        return write_snapshot(self.label, held)

    def restore(self, data: bytes) -> None:
        """Take the buffers back."""
        tables, _ = read_snapshot(data, self.label)
        self.buffers = [tables.get("left"), tables.get("right")]
        self.told = tables.get("told")


def _among(pairs: pa.Table, others: pa.Table) -> NDArray[np.bool_]:
    """Which pairs are among others."""
    others = others.select(_PAIR).cast(pairs.schema)
    values = [pc.unique(others.column(name)) for name in _PAIR]
    places = [
        [pc.index_in(table.column(name), own).fill_null(-1).to_numpy() for name, own in zip(_PAIR, values, strict=True)]
        for table in (pairs, others)
    ]
    codes = [np.where(x < 0, -1, x.astype(np.int64) * len(values[1]) + y) for x, y in places]
    return np.isin(codes[0], codes[1]) & (places[0][0] >= 0) & (places[0][1] >= 0)
