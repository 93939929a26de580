"""A block of new rows against what was there before: the pattern of a turn of a stream.

The tables that it is given have, besides the columns of the data, the components that a row fits (`FITS`), its latest
moment in ticks, and the slice that only rows of one slice share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.match.work import Found
from whenabouts.ops.match.evaluate import Prepared
from whenabouts.ops.match.methods import choose_method, matches
from whenabouts.ops.match.prepare import prepare
from whenabouts.ops.match.question import PatternMatch
from whenabouts.ops.match.writer import Writer
from whenabouts.schema import read_times

_COUNTED = ("partial", "pruned", "computed")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class BlockMatch:
    """Finds the matches of a buffer that are new in a turn.

    `moment` and `slice_` name the columns with a row's latest time and slice, `width` is the widest time of an event,
    and `length` that of a slice of time, or 0 where time is not sliced. A match belongs to the slice in which its
    first event begins.
    """

    question: PatternMatch
    moment: str
    slice_: str
    width: float
    length: float = 0.0

    def fresh(self, table: pa.Table, new: Mask, counts: dict[str, float]) -> Iterator[pa.RecordBatch]:
        """The matches that have a new row: those whose first new one is at component k, for every k."""
        prepared = self._prepared(table, self._begins_here(table))
        for place in range(len(prepared.rows)):
            part = _with_new_at(prepared, place, new)
            if all(map(len, part.rows)):
                yield from self._batches(part, counts)

    def settled(
        self, table: pa.Table, since: float, until: float, counts: dict[str, float]
    ) -> Iterator[pa.RecordBatch]:
        """The matches that became final while the watermark moved from `since` to `until`.

        What can spoil a match lies before its last event, which happens at the latest at m. Rows to come have their
        earliest moment at the watermark less the width or later. So a match is final when m + width lies before
        the watermark.
        """
        moment = table.column(self.moment).to_numpy()
        reach = self.question.window + 2 * self.margin
        may_begin = (moment > since - reach - _rounding(since, reach)) & (moment < until + _rounding(until, reach))
        prepared = self._prepared(table, self._begins_here(table) & may_begin)

        def final(found: Found) -> Mask:
            settles = moment[found.events[:, -1]] + self.margin
            return (settles >= since) & (settles < until)

        if all(len(rows) for rows, absent in zip(prepared.rows, prepared.negated, strict=True) if not absent):
            yield from self._batches(prepared, counts, final)

    @property
    def margin(self) -> float:
        """The widest time of an event, as it is counted: in discrete time ends move to ticks."""
        return self.width + 2 * self.question.grain

    @property
    def _inner(self) -> PatternMatch:
        """The question with slices as one more key; rows were checked when they came in."""
        conditions = self.question.conditions
        here = (self.slice_,) * len(self.question.pattern.components)
        contract = replace(self.question.contract, unique_ids=False)
        return replace(self.question, contract=contract, conditions=replace(conditions, keys=(*conditions.keys, here)))

    def _begins_here(self, table: pa.Table) -> Mask:
        """Which rows begin in the slice that they were copied to."""
        if not self.length:
            return np.ones(len(table), dtype=np.bool_)
        times = read_times(table, self.question.contract.time, self.question.clock)
        earliest = times.anchor.astype(np.float64) + times.lo
        return np.floor(earliest / self.length).astype(np.int64) == table.column(self.slice_).to_numpy()

    def _prepared(self, table: pa.Table, owned: Mask) -> Prepared:
        prepared = prepare(self._inner, table, fits=self.question.unpack_fits(table), owned=owned)
        assert prepared.table is not None
        assert len(prepared.table) == len(table), "every row was checked at the inlet"
        return prepared

    def _batches(self, prepared: Prepared, counts: dict[str, float], wanted: object = None) -> Iterator[pa.RecordBatch]:
        assert prepared.table is not None
        writer = Writer(self.question, prepared.table, prepared.origin)
        grain = self.question.grain or 1.0
        method, _ = choose_method(prepared, self.question.method)
        for found in matches(prepared, method):
            if callable(wanted):
                keep = wanted(found)
                found = Found(*(column[keep] for column in found))
            if len(found.events):
                yield writer.batch(found.events, found.earliest * grain, found.latest * grain, found.confidence)
        for name in _COUNTED:
            counts[name] = counts.get(name, 0.0) + prepared.counts.get(name, 0)


def _with_new_at(prepared: Prepared, place: int, new: Mask) -> Prepared:
    """The same where component `place` takes new rows only, and those before it old ones only."""
    rows, groups = [], []
    for component, (row, group) in enumerate(zip(prepared.rows, prepared.groups, strict=True)):
        fresh = new[row]
        chosen = fresh if component == place else ~fresh if component < place else np.ones(len(row), dtype=np.bool_)
        rows.append(row[chosen])
        groups.append(group[chosen])
    return replace(prepared, rows=rows, groups=groups, counts={})


def _rounding(limit: float, reach: float) -> float:
    """What rounding can do to a sum of times, and more."""
    return 1e-12 * (abs(limit) + reach) if np.isfinite(limit) else 0.0
