"""What can be wrong with the sequence of a key: found over all keys at once, and told for all of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whenabouts.kernels.events import Floats, Ints
from whenabouts.schema.arrow import nulls, plain
from whenabouts.schema.contract import Problems
from whenabouts.schema.segment_contract import ROLES, SegmentContract

_MOST_EVENTS = 1_000_000
_MOST_LOST = 1_000
_NO_ROOM = "its bounds leave no room for the events that were lost"
Ticks = NDArray[Any]
"""int64 where the clock is exact, else float64."""
Bound = tuple[Ticks, NDArray[np.bool_]]


class Checks:
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
            expected = whole(self.table, contract.expected, self.problems)
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
        """No number may come twice, and no gap may be so long that its orders could not be worked out."""
        rows = self.order_of_rows
        twice = self.same & (self.seq[rows[1:]] == self.seq[rows[:-1]])
        self.add(rows[1:][twice], f"{self.contract.seq!r} is there twice in one key")
        rows = rows[~self.lost[rows]]
        new = np.append(True, self.key[rows[1:]] != self.key[rows[:-1]])[: len(rows)]
        before = np.where(new, 0, np.append(0, self.seq[rows[:-1]])[: len(rows)])
        final = np.append(new[1:], True)[: len(rows)]
        after = np.where(final, total[self.key[rows]] - self.seq[rows], 0)
        long = np.maximum(self.seq[rows] - before - 1, after) > _MOST_LOST
        self.add(rows[long], f"more than {_MOST_LOST:,} events in a row are lost beside it")
        unknown = np.ones(len(total), dtype=np.bool_)
        unknown[self.key[rows]] = False
        self.problems.add(
            (unknown & (total > _MOST_LOST))[self.key], f"all of its more than {_MOST_LOST:,} events are lost"
        )

    def of_whole_keys(self, bounds: list[Bound], keys: int) -> list[Bound]:
        """Bounds are a key's: one that some of its rows have holds for all of them, and those that have it agree."""
        found = []
        for ticks, there in bounds:
            of_key = np.zeros(keys, dtype=ticks.dtype)
            of_key[self.key[there]] = ticks[there]
            self.problems.add(there & (ticks != of_key[self.key]), "its bounds are not the same in all rows of a key")
            found.append((of_key[self.key], of_keys(there, self.key, keys)[self.key]))
        return found

    def order(
        self, anchor: Ticks, earliest: Floats, latest: Floats, bounds: list[Bound]
    ) -> None:  # fmt: skip
        """Times must increase strictly, or at least be able to, and stay within their bounds."""
        rows = self.order_of_rows[~self.lost[self.order_of_rows]]
        same = self.key[rows[1:]] == self.key[rows[:-1]]
        step = (anchor[rows[1:]] - anchor[rows[:-1]]).astype(np.float64)
        stuck = same & (step + latest[rows[1:]] - earliest[rows[:-1]] <= 0.0)
        if not self.contract.certain and len(rows):
            stuck |= same & self._overtaken(self.key[rows], anchor[rows], earliest[rows], latest[rows])
        self.add(rows[1:][stuck], "its time does not come after that of the event before")
        for (ticks, there), late in zip(bounds, (False, True), strict=True):
            away = (anchor - ticks).astype(np.float64)
            outside = (away + latest > 0.0) if late else (away + earliest < 0.0)
            self.problems.add(there & ~self.lost & outside, "its time lies outside its bounds")

    def _overtaken(self, key: Ints, anchor: Ticks, earliest: Floats, latest: Floats) -> NDArray[np.bool_]:
        """Whether each row after the first is over before some earlier one of its key, not only the last, can be.

        Moments are ranked, so that the latest start so far can be told for all keys at once.
        """
        base = (anchor - anchor.min()).astype(np.float64)
        moments, rank = np.unique(np.concatenate([base + earliest, base + latest]), return_inverse=True)
        rank = rank.reshape(2, -1) + key * len(moments)
        return rank[1, 1:] <= np.maximum.accumulate(rank[0])[:-1]

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
        has_lo, has_hi = (of_keys(there, self.key, keys) for _, there in bounds)
        open_end = (before & ~has_lo) | (after & ~has_hi)
        bad = open_end & ((rate <= 0.0) | ~known)
        self.problems.add(
            bad[self.key],
            "its first or last event is lost, there is no bound, and fewer than two recorded times tell a rate",
        )
        for (ticks, there), edge, lost in ((bounds[0], first, before), (bounds[1], last, after)):
            touching = known & lost & of_keys(there, self.key, keys)
            bound = np.zeros(keys, dtype=ticks.dtype)
            bound[self.key[there]] = ticks[there]
            touching[known] &= anchor[edge[known]] == bound[known]
            self.problems.add(touching[self.key], _NO_ROOM)
        (lo, has_lo_row), (hi, has_hi_row) = bounds
        self.problems.add(~known[self.key] & has_lo_row & has_hi_row & (lo >= hi), _NO_ROOM)
        return rate

    def company(self, earliest: Floats, latest: Floats, shaped: bool, total: Ints) -> None:
        """Lost events beside an uncertain time are refused: their density has no closed form."""
        rows = self.order_of_rows
        unsure = (latest > earliest) & ~self.lost if not shaped else ~self.lost
        gap = np.where(self.same, self.seq[rows[1:]] - self.seq[rows[:-1]] > 1, False)
        beside = np.zeros(len(rows), dtype=np.bool_)
        beside[rows[1:]] |= gap | (self.same & self.lost[rows[:-1]])
        beside[rows[:-1]] |= gap | (self.same & self.lost[rows[1:]])
        first, last = (np.append(*ends)[: len(rows)] for ends in ((True, ~self.same), (~self.same, True)))
        beside[rows[first]] |= self.seq[rows[first]] > 1
        beside[rows[last]] |= self.seq[rows[last]] < total[self.key[rows[last]]]
        self.problems.add(unsure & beside, "its time is uncertain and an event beside it is lost")

    def others(self, keys: int) -> tuple[Ints, Ints]:
        """Events of something else in the window of a key, which must have recorded nothing then."""
        found = []
        for name in (self.contract.ahead, self.contract.behind):
            count = np.zeros(keys, dtype=np.int64)
            if name is not None:
                values = whole(self.table, name, self.problems)
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


def whole(table: pa.Table, name: str, problems: Problems) -> Ints:
    column = table.column(name).combine_chunks()
    problems.add(nulls(column), f"{name!r} is null")
    if column.type == pa.uint64():
        large = pc.greater(column, pa.scalar(2**63 - 1, pa.uint64())).fill_null(False)
        problems.add(large.to_numpy(zero_copy_only=False), f"{name!r} is too large to be exact")
        column = pc.if_else(large, pa.scalar(1, pa.uint64()), column)
    return column.cast(pa.int64()).fill_null(1).to_numpy(zero_copy_only=False)


def of_keys(there: NDArray[np.bool_], key: Ints, keys: int) -> NDArray[np.bool_]:
    found = np.zeros(keys, dtype=np.bool_)
    found[key[there]] = True
    return found
