"""From two tables to two sorted sides: past the door, onto one clock and one origin, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import Events, Floats, Ints, take, with_shapes
from whenabouts.kernels.timing.sweep import Groups
from whenabouts.model.clock import Clock
from whenabouts.ops.timing.question import Side, TimingJoin
from whenabouts.schema import Refusals, Times, check_ids, key_codes, read_times, to_events


@dataclass
class Sorted:
    """One side after the door: good rows, sorted by key and latest time."""

    table: pa.Table
    events: Events
    uniform: bool
    group: Ints
    rows: Ints
    owned: NDArray[np.bool_]
    times: Times


@dataclass
class Prepared:
    """Both sides, sorted, with the groups that meet."""

    join: TimingJoin
    left: Sorted
    right: Sorted
    groups: Groups
    narrowest: Floats
    widest: Floats
    counts: dict[str, int] = field(default_factory=dict)


def prepare(
    join: TimingJoin,
    left: pa.Table,
    right: pa.Table,
    owned: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    threads: int = 1,
) -> Prepared:
    """Check the rows of both sides, put them on one clock and one origin, and sort them.

    `owned` tells which rows a slice owns; a pair belongs to the slice where at least one of its rows does.
    """
    *groups, group_count = key_codes(left, right, join.by)
    tables, owners = (left, right), owned or (None, None)
    with ThreadPoolExecutor(min(threads, 2)) as pool:
        read = list(pool.map(partial(_read, join.clock), (join.left, join.right), tables, groups))
        origin = _origin(join.clock, read)
        sort = partial(_sort, origin, group_count)
        one, other = pool.map(sort, tables, read, groups, owners)
    if one.uniform != other.uniform:
        one, other = (replace(side, events=with_shapes(side.events)) if side.uniform else side for side in (one, other))
    counts = {"rejected": sum(len(table) - int(door.good.sum()) for table, door in zip(tables, read, strict=True))}
    counts |= {"left_rows": int(one.owned.sum()), "right_rows": int(other.owned.sum())}
    return grouped(join, one, other, group_count, counts)


@dataclass
class Read:
    """One side past the door: its times, which rows are good, and which of them can join."""

    times: Times
    good: NDArray[np.bool_]
    rows: Ints


def _read(clock: Clock, side: Side, table: pa.Table, group: Ints) -> Read:
    times = read_times(table, side.contract.time, clock)
    check_ids(table, side.contract, times.problems)
    refusals = Refusals(side.contract, f"the {side.name} events")
    refusals.add(table, times.problems)
    settle(refusals, side, clock)
    good = times.problems.good
    return Read(times, good, np.flatnonzero(good & (group >= 0)))


def settle(refusals: Refusals, side: Side, clock: Clock) -> None:
    """Raise for bad rows, unless they are set aside.

    Whole numbers beyond 2**53 are refused only because the other side has fractions: `events.rejected` cannot
    know of them, so they are an error even where bad rows are set aside.
    """
    if not side.quarantine:
        refusals.raise_if_any()
    elif side.exact and not clock.exact:
        refusals.raise_if_any("too large to be exact")


def _origin(clock: Clock, read: Sequence[Read]) -> int:
    """The first anchor, from which exact ticks are counted; floats already are differences of close numbers."""
    firsts = [int(one.times.anchor[one.rows].min()) for one in read if clock.exact and len(one.rows)]
    return min(firsts, default=0)


def _sort(
    origin: int, group_count: int, table: pa.Table, read: Read, group: Ints, owned: NDArray[np.bool_] | None
) -> Sorted:
    rows = read.rows
    events = to_events(read.times, rows, origin)
    owner = np.ones(len(rows), dtype=np.bool_) if owned is None else owned[rows]
    side = Sorted(table, events, read.times.shapes is None, group[rows], rows, owner, read.times)
    latest = events.latest
    return some_of(side, _order(latest) if group_count == 1 else np.lexsort((latest, side.group)))


def some_of(side: Sorted, at: Ints) -> Sorted:
    """The rows at the given positions, in their order."""
    return replace(side, events=take(side.events, at), group=side.group[at], rows=side.rows[at], owned=side.owned[at])


def _order(times: Floats) -> Ints:
    """The sorting order. Events mostly come about in the order of time, and then merging runs is far faster."""
    sample = times[::256]
    falls = int(np.count_nonzero(sample[1:] < sample[:-1]))
    return np.argsort(times, kind="stable" if 16 * falls < len(sample) else "quicksort")


def grouped(join: TimingJoin, left: Sorted, right: Sorted, group_count: int, counts: dict[str, int]) -> Prepared:
    """Find the right rows of every group, and how wide they are."""
    codes = np.arange(group_count)
    start = np.searchsorted(right.group, codes)
    end = np.searchsorted(right.group, codes, side="right")
    narrowest, widest = _widths(right, start, end)
    groups = Groups(left.group, start.astype(np.int64), end.astype(np.int64))
    return Prepared(join, left, right, groups, narrowest, widest, counts)


def _widths(side: Sorted, start: Ints, end: Ints) -> tuple[Floats, Floats]:
    """The narrowest and the widest event of each group; zero for an empty one."""
    width = side.events.latest - side.events.earliest
    narrowest, widest = np.zeros(len(start)), np.zeros(len(start))
    full = start < end
    if full.any():
        narrowest[full] = np.minimum.reduceat(width, start[full])
        widest[full] = np.maximum.reduceat(width, start[full])
    return narrowest, widest
