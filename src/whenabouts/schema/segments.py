"""Reading segmented intervals: rows of point events in, whole sequences out.

A row breaks the contract by itself, or because its key does: roles out of order, times that do not increase. Then all
rows of the key get the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.clock import Clock
from whenabouts.model.times import TimeModel
from whenabouts.schema.arrow import nulls, plain
from whenabouts.schema.contract import Problems
from whenabouts.schema.read import read_times
from whenabouts.schema.segment_checks import Bound, Checks, of_keys, whole
from whenabouts.schema.segment_contract import Moment, SegmentContract
from whenabouts.schema.times import Times, to_ticks


@dataclass
class Segmented:
    """Sequences of good keys: every event in order, lost ones included, on the clock's own ticks.

    Event e of a key was recorded in row `row[e]` of `times`, or lost where that is -1.
    """

    keys: pa.Array
    start: Ints
    row: Ints
    times: Times
    lo: NDArray[Any]
    hi: NDArray[Any]
    has_lo: NDArray[np.bool_]
    has_hi: NDArray[np.bool_]
    rate: Floats
    ahead: Ints
    behind: Ints


def read_segments(table: pa.Table, contract: SegmentContract, clock: Clock) -> tuple[Segmented, Problems]:
    """Read sequences, and say what is wrong with each row."""
    count = len(table)
    lost = without_time(table, contract.time)
    recorded = np.flatnonzero(~lost)
    times = read_times(table.take(pa.array(recorded)), contract.time, clock)
    problems = Problems(count)
    for number, reason in enumerate(times.problems.reasons[1:], start=1):
        bad = np.zeros(count, dtype=np.bool_)
        bad[recorded[times.problems.code == number]] = True
        problems.add(bad, reason)
    key, keys = _key_codes(table, contract, problems)
    seq = whole(table, contract.seq, problems) - contract.first + 1
    problems.add(seq < 1, f"{contract.seq!r} is below {contract.first}")
    checks = Checks(contract, table, problems, key, seq, lost)
    total = checks.totals(len(keys))
    checks.sequence(total)
    bounds = [_bound(table, bound, clock, contract, problems) for bound in (contract.lo, contract.hi)]
    bounds = checks.of_whole_keys(bounds, len(keys))
    earliest, latest = np.zeros(count), np.zeros(count)
    anchor = np.zeros(count, dtype=times.anchor.dtype)
    anchor[recorded], earliest[recorded], latest[recorded] = times.anchor, times.lo, times.hi
    checks.order(anchor, earliest, latest, bounds)
    rate = checks.rates(anchor, earliest, latest, total, bounds)
    if not contract.certain:
        checks.company(earliest, latest, times.shapes is not None, total)
    others = checks.others(len(keys))
    bad_keys = checks.spread_to_keys(len(keys))
    return _lay_out(keys, bad_keys, checks, total, times, recorded, bounds, rate, others), problems


def without_time(table: pa.Table, model: TimeModel) -> NDArray[np.bool_]:
    """Rows that say that an event was, but not when: all columns of its time are null."""
    lost = np.ones(len(table), dtype=np.bool_)
    for name in model.columns:
        if name != getattr(model, "by", None):
            lost &= nulls(table.column(name).combine_chunks())
    return lost


def _key_codes(table: pa.Table, contract: SegmentContract, problems: Problems) -> tuple[Ints, pa.Array]:
    column = plain(table.column(contract.key)).combine_chunks()
    problems.add(nulls(column), f"{contract.key!r} is null")
    encoded = column.dictionary_encode(null_encoding="encode")
    values = table.column(contract.key).combine_chunks()
    code = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    _, example = np.unique(code, return_index=True)
    return code, values.take(pa.array(example))


def _bound(table: pa.Table, bound: Moment, clock: Clock, contract: SegmentContract, problems: Problems) -> Bound:
    """A bound of each row in ticks, and whether there is one."""
    count = len(table)
    if bound is None:
        return np.zeros(count, dtype=np.int64 if clock.exact else np.float64), np.zeros(count, dtype=np.bool_)
    if isinstance(bound, str):
        column = table.column(bound).combine_chunks()
    else:
        kind = table.schema.field(contract.time.columns[0]).type
        kind = getattr(kind, "value_type", None) or kind
        column = pa.array([bound], kind if pa.types.is_timestamp(kind) else None)
        column = column.take(pa.array(np.zeros(count, dtype=np.int64)))
    there = ~nulls(column)
    filled = column.fill_null(pa.scalar(0, pa.int64()).cast(column.type)) if not there.all() else column
    ticks, outside = to_ticks(filled, clock)
    name = repr(bound) if isinstance(bound, str) else "a bound"
    problems.add(outside, f"{name} is too large to be exact")
    if ticks.dtype == np.float64:
        there &= ~np.isinf(ticks)
        problems.add(np.isnan(ticks) & there, f"{name} is NaN")
    return ticks, there


def _lay_out(
    keys: pa.Array, bad: NDArray[np.bool_], checks: Checks, total: Ints, times: Times, recorded: Ints,
    bounds: list[Bound], rate: Floats, others: tuple[Ints, Ints],
) -> Segmented:  # fmt: skip
    """All events of good keys in order, with a place for every lost one."""
    good = np.flatnonzero(~bad)
    start = np.concatenate([[0], np.cumsum(total[good])]).astype(np.int64)
    first = np.full(len(bad), -1, dtype=np.int64)
    first[good] = start[:-1]
    row = np.full(int(start[-1]), -1, dtype=np.int64)
    own = first[checks.key[recorded]] >= 0
    at = first[checks.key[recorded[own]]] + checks.seq[recorded[own]] - 1
    row[at] = np.flatnonzero(own)
    edges = []
    for ticks, there in bounds:
        of_key = np.zeros(len(bad), dtype=ticks.dtype)
        of_key[checks.key[there]] = ticks[there]
        edges.append((of_key[good], of_keys(there, checks.key, len(bad))[good]))
    (lo, has_lo), (hi, has_hi) = edges
    ahead, behind = (column[good] for column in others)
    return Segmented(keys.take(pa.array(good)), start, row, times, lo, hi, has_lo, has_hi, rate[good], ahead, behind)
