"""The contract of segmented intervals (paper 004, definition 1): rows of point events in, whole sequences out.

A row breaks the contract by itself, or because its key does: roles out of order, times that do not increase. Then all
rows of the key get the reason.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.errors import WrongType
from whenabouts.kernels.events import Floats, Ints
from whenabouts.model.clock import Clock
from whenabouts.model.times import At, TimeModel
from whenabouts.schema.arrow import codes, is_text, nulls, plain
from whenabouts.schema.contract import Problems, field_of
from whenabouts.schema.read import read_times
from whenabouts.schema.times import Times, to_ticks

ROLES = ("start", "suspend", "resume", "end")
_MOST_EVENTS = 1_000_000
Moment = str | int | float | dt.datetime | None


@dataclass(frozen=True)
class SegmentContract:
    """What the columns of point events mean. `lo` and `hi` are columns, constants or nothing."""

    key: str
    seq: str
    time: TimeModel
    role: str | None = None
    expected: str | int | None = None
    lo: Moment = None
    hi: Moment = None
    first: int = 1
    ahead: str | None = None
    behind: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that an error shows of a bad row."""
        return tuple(dict.fromkeys((self.key, self.seq, *self.time.columns)))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        named = (self.role, self.expected, self.lo, self.hi, self.ahead, self.behind)
        return tuple(dict.fromkeys((self.key, self.seq, *self.time.columns, *(n for n in named if isinstance(n, str)))))

    @property
    def certain(self) -> bool:
        return isinstance(self.time, At)


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


def check_columns(schema: pa.Schema, contract: SegmentContract, where: str = "segments") -> None:
    """Raise where a column is missing or of a type that does not fit its role."""
    field_of(schema, contract.key, where)
    seq = field_of(schema, contract.seq, where).type
    if not pa.types.is_integer(seq):
        raise WrongType(f"{contract.seq!r} must number the events of a key with integers, not {seq}.")
    if contract.role is not None and not is_text(field_of(schema, contract.role, where).type):
        kind = schema.field(contract.role).type
        raise WrongType(f"{contract.role!r} must hold the roles start, suspend, resume and end as text, not {kind}.")
    for name in (contract.expected, contract.ahead, contract.behind):
        if isinstance(name, str) and not pa.types.is_integer(field_of(schema, name, where).type):
            raise WrongType(f"{name!r} must hold numbers of events as integers, not {schema.field(name).type}.")
    for bound in (contract.lo, contract.hi):
        if isinstance(bound, str):
            field_of(schema, bound, where)


def read_segments(table: pa.Table, contract: SegmentContract, clock: Clock) -> tuple[Segmented, Problems]:
    """Read sequences, and say what is wrong with each row."""
    count = len(table)
    lost = _without_time(table, contract.time)
    recorded = np.flatnonzero(~lost)
    times = read_times(table.take(pa.array(recorded)), contract.time, clock)
    problems = Problems(count)
    for number, reason in enumerate(times.problems.reasons[1:], start=1):
        bad = np.zeros(count, dtype=np.bool_)
        bad[recorded[times.problems.code == number]] = True
        problems.add(bad, reason)
    key, keys = _key_codes(table, contract, problems)
    seq = _whole(table, contract.seq, problems) - contract.first + 1
    problems.add(seq < 1, f"{contract.seq!r} is below {contract.first}")
    checks = _Checks(contract, table, problems, key, seq, lost)
    total = checks.totals(len(keys))
    checks.sequence(total)
    bounds = [_bound(table, bound, clock, contract, problems) for bound in (contract.lo, contract.hi)]
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


def _without_time(table: pa.Table, model: TimeModel) -> NDArray[np.bool_]:
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


def _whole(table: pa.Table, name: str, problems: Problems) -> Ints:
    column = table.column(name).combine_chunks()
    problems.add(nulls(column), f"{name!r} is null")
    return column.cast(pa.int64()).fill_null(1).to_numpy(zero_copy_only=False)


Ticks = NDArray[Any]
"""int64 where the clock is exact, else float64."""
Bound = tuple[Ticks, NDArray[np.bool_]]


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


class _Checks:
    """What can be wrong with the sequence of a key, found over all keys at once."""

    def __init__(
        self, contract: SegmentContract, table: pa.Table, problems: Problems, key: Ints, seq: Ints,
        lost: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        self.contract, self.table, self.problems = contract, table, problems
        self.key, self.seq, self.lost = key, seq, lost
        self.order_of_rows = np.lexsort((seq, key))
        sorted_key = key[self.order_of_rows]
        self.same = sorted_key[1:] == sorted_key[:-1]

    def add(self, at: Ints, reason: str) -> None:
        bad = np.zeros(len(self.key), dtype=np.bool_)
        bad[at] = True
        self.problems.add(bad, reason)

    def totals(self, keys: int) -> Ints:
        """How many events each key has: as expected, up to its end, or up to the last row."""
        contract, total = self.contract, np.zeros(keys, dtype=np.int64)
        role = None if contract.role is None else self._roles(contract.role)
        if isinstance(contract.expected, int):
            total[:] = contract.expected
        elif contract.expected is not None:
            expected = _whole(self.table, contract.expected, self.problems)
            np.maximum.at(total, self.key, expected)
            self.problems.add(
                expected != total[self.key], f"{contract.expected!r} is not the same in all rows of a key"
            )
        elif role is not None:
            ends = role == ROLES.index("end")
            np.maximum.at(total, self.key[ends], self.seq[ends])
            self.problems.add(
                total[self.key] == 0, f"{contract.role!r} holds no end, so how many events were lost is not known"
            )
        else:
            np.maximum.at(total, self.key, self.seq)
        self.problems.add(self.seq > total[self.key], f"{contract.seq!r} is beyond the last event of its key")
        self.problems.add(total[self.key] % 2 == 1, "the key has an odd number of events, so a start or an end lacks")
        self.problems.add(total[self.key] < 2, "the key has no segment")
        self.problems.add(total[self.key] > _MOST_EVENTS, "the key has more than a million events")
        total[total > _MOST_EVENTS] = 0
        if role is not None:
            own = np.where(self.seq % 2 == 1, 2, 1)
            own = np.where(self.seq == total[self.key], 3, np.where(self.seq == 1, 0, own))
            self.problems.add(role != own, f"{contract.role!r} is out of order")
        return total

    def _roles(self, name: str) -> Ints:
        texts = pc.utf8_lower(plain(self.table.column(name)).combine_chunks().cast(pa.large_string()))
        self.problems.add(nulls(texts), f"{name!r} is null")
        found = pc.index_in(texts, pa.array(ROLES, pa.large_string()))
        self.problems.add(nulls(found) & ~nulls(texts), f"{name!r} is none of start, suspend, resume, end")
        return found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)

    def sequence(self, total: Ints) -> None:
        """No number may come twice."""
        rows = self.order_of_rows
        twice = self.same & (self.seq[rows[1:]] == self.seq[rows[:-1]])
        self.add(rows[1:][twice], f"{self.contract.seq!r} is there twice in one key")

    def order(
        self, anchor: Ticks, earliest: Floats, latest: Floats, bounds: list[Bound]
    ) -> None:  # fmt: skip
        """Times must increase strictly, or at least be able to, and stay within their bounds."""
        rows = self.order_of_rows[~self.lost[self.order_of_rows]]
        same = self.key[rows[1:]] == self.key[rows[:-1]]
        step = (anchor[rows[1:]] - anchor[rows[:-1]]).astype(np.float64)
        stuck = same & (step + latest[rows[1:]] - earliest[rows[:-1]] <= 0.0)
        self.add(rows[1:][stuck], "its time does not come after that of the event before")
        for (ticks, there), late in zip(bounds, (False, True), strict=True):
            away = (anchor - ticks).astype(np.float64)
            outside = (away + latest > 0.0) if late else (away + earliest < 0.0)
            self.problems.add(there & ~self.lost & outside, "its time lies outside its bounds")

    def rates(self, anchor: Ticks, earliest: Floats, latest: Floats, total: Ints, bounds: list[Bound]) -> Floats:
        """Events a tick, of keys that have lost ends without a bound; those must tell it."""
        keys = len(total)
        rows = self.order_of_rows[~self.lost[self.order_of_rows]]
        first, last = np.full(keys, -1), np.full(keys, -1)
        last[self.key[rows]] = rows
        first[self.key[rows[::-1]]] = rows[::-1]
        known = first >= 0
        span, steps = np.zeros(keys), np.zeros(keys)
        middle = (earliest + latest) / 2
        ends = last[known], first[known]
        span[known] = (anchor[ends[0]] - anchor[ends[1]]).astype(np.float64) + middle[ends[0]] - middle[ends[1]]
        steps[known] = self.seq[ends[0]] - self.seq[ends[1]]
        rate = np.divide(steps, span, out=np.zeros(keys), where=span > 0)
        before = np.where(known, self.seq[first] > 1, True)
        after = np.where(known, self.seq[last] < total, True)
        has_lo, has_hi = (_of_keys(there, self.key, keys) for _, there in bounds)
        open_end = (before & ~has_lo) | (after & ~has_hi)
        bad = open_end & ((rate <= 0.0) | ~known)
        self.problems.add(
            bad[self.key],
            "its first or last event is lost, there is no bound, and fewer than two recorded times tell a rate",
        )
        for (ticks, there), edge, lost in ((bounds[0], first, before), (bounds[1], last, after)):
            touching = known & lost & _of_keys(there, self.key, keys)
            bound = np.zeros(keys, dtype=ticks.dtype)
            bound[self.key[there]] = ticks[there]
            touching[known] &= anchor[edge[known]] == bound[known]
            self.problems.add(touching[self.key], "its bounds leave no room for the events that were lost")
        return rate

    def company(self, earliest: Floats, latest: Floats, shaped: bool, total: Ints) -> None:
        """Lost events beside an uncertain time are refused: their density has no closed form."""
        rows = self.order_of_rows
        unsure = (latest > earliest) & ~self.lost if not shaped else ~self.lost
        gap = np.where(self.same, self.seq[rows[1:]] - self.seq[rows[:-1]] > 1, False)
        beside = np.zeros(len(rows), dtype=np.bool_)
        beside[rows[1:]] |= gap | (self.same & self.lost[rows[:-1]])
        beside[rows[:-1]] |= gap | (self.same & self.lost[rows[1:]])
        first, last = np.append(True, ~self.same), np.append(~self.same, True)
        beside[rows[first]] |= self.seq[rows[first]] > 1
        beside[rows[last]] |= self.seq[rows[last]] < total[self.key[rows[last]]]
        self.problems.add(unsure & beside, "its time is uncertain and an event beside it is lost")

    def others(self, keys: int) -> tuple[Ints, Ints]:
        """Events of something else in the window of a key, which must have recorded nothing then."""
        found = []
        for name in (self.contract.ahead, self.contract.behind):
            count = np.zeros(keys, dtype=np.int64)
            if name is not None:
                values = _whole(self.table, name, self.problems)
                self.problems.add(values < 0, f"{name!r} is negative")
                self.problems.add(
                    (values > 0) & ~self.lost, "a key with other events in its window has a recorded time"
                )
                count[self.key] = np.maximum(values, 0)
            found.append(count)
        return found[0], found[1]

    def spread_to_keys(self, keys: int) -> NDArray[np.bool_]:
        """Give all rows of a bad key the reason of its first bad row."""
        code = self.problems.code
        worst = np.zeros(keys, dtype=np.int64)
        bad = np.flatnonzero(code)[::-1]
        worst[self.key[bad]] = code[bad]
        fresh = code == 0
        code[fresh] = worst[self.key[fresh]]
        return worst > 0


def _of_keys(there: NDArray[np.bool_], key: Ints, keys: int) -> NDArray[np.bool_]:
    found = np.zeros(keys, dtype=np.bool_)
    found[key[there]] = True
    return found


def _lay_out(
    keys: pa.Array, bad: NDArray[np.bool_], checks: _Checks, total: Ints, times: Times, recorded: Ints,
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
        edges.append((of_key[good], _of_keys(there, checks.key, len(bad))[good]))
    (lo, has_lo), (hi, has_hi) = edges
    ahead, behind = (column[good] for column in others)
    return Segmented(keys.take(pa.array(good)), start, row, times, lo, hi, has_lo, has_hi, rate[good], ahead, behind)


def distinct_keys(table: pa.Table, name: str) -> int:
    """How many keys a table has."""
    return int(codes(plain(table.column(name)).combine_chunks()).max(initial=-1)) + 1
