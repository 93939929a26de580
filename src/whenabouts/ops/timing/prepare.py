"""From two tables to two sorted sides: past the door, onto one clock and one origin, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.events import NO_SHAPES, Events, Floats, Ints, take, uniform_events, with_shapes
from whenabouts.kernels.sorting import order_of
from whenabouts.kernels.timing.sweep import Groups, group_widths
from whenabouts.model.clock import Clock
from whenabouts.ops.timing.question import Side, TimingJoin
from whenabouts.schema import Refusals, Times, check_ids, key_codes, read_times, to_events
from whenabouts.schema.room import gathered, room


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
        read = list(pool.map(partial(_read, join), (join.left, join.right), tables, groups))
        origin = _origin(join.clock, read)
        sort = partial(_sort, origin, group_count)
        one, other = pool.map(sort, tables, read, groups, owners)
    if one.uniform != other.uniform:
        one, other = (replace(side, events=with_shapes(side.events)) if side.uniform else side for side in (one, other))
    counts = {"rejected": sum(door.refused for door in read)}
    counts |= {"left_rows": int(one.owned.sum()), "right_rows": int(other.owned.sum())}
    return grouped(join, one, other, group_count, counts)


@dataclass
class Read:
    """One side past the door: its times, how many rows were refused, and which of the others can join."""

    times: Times
    refused: int
    rows: Ints | slice


def _read(join: TimingJoin, side: Side, table: pa.Table, group: Ints) -> Read:
    times = read_times(table, side.contract.time, join.clock)
    check_ids(table, side.contract, times.problems)
    refusals = Refusals(side.contract, f"the {side.name} events")
    refusals.add(table, times.problems)
    settle(refusals, side, join.clock)
    if times.problems.none and not join.by:
        return Read(times, 0, slice(None))
    good = times.problems.good
    return Read(times, len(table) - int(good.sum()), np.flatnonzero(good & (group >= 0)))


def settle(refusals: Refusals, side: Side, clock: Clock) -> None:
    """Raise for bad rows, unless they are set aside.

    Whole numbers beyond 2**53 are refused only because the other side has fractions, and late timestamps because it
    counts nanoseconds: `events.rejected` cannot know of them, so they are an error even where bad rows are set aside.
    """
    if not side.quarantine:
        refusals.raise_if_any()
    elif side.clock is not None and side.clock != clock:
        refusals.raise_if_any("too large to be exact")


def _origin(clock: Clock, read: Sequence[Read]) -> int:
    """The first anchor, from which exact ticks are counted; floats already are differences of close numbers."""
    anchors = [one.times.anchor[one.rows] for one in read if clock.exact]
    return min((int(anchor.min()) for anchor in anchors if len(anchor)), default=0)


def _sort(
    origin: int, group_count: int, table: pa.Table, read: Read, group: Ints, owned: NDArray[np.bool_] | None
) -> Sorted:
    events, group = to_events(read.times, read.rows, origin), group[read.rows]
    alone = group_count == 1
    at = order_of(events.latest, room(len(group), np.int64)) if alone else np.lexsort((events.latest, group))
    rows = at if isinstance(read.rows, slice) else read.rows[at]
    owner = np.ones(len(at), dtype=np.bool_) if owned is None else owned[rows]
    ordered = group if alone else group[at]
    return Sorted(table, _in_order(events, at), read.times.shapes is None, ordered, rows, owner, read.times)


def _in_order(events: Events, at: Ints) -> Events:
    earliest, latest = gathered(events.earliest, at), gathered(events.latest, at)
    if events.shapes is NO_SHAPES:
        return uniform_events(earliest, latest)
    return Events(earliest, latest, gathered(events.anchor, at), gathered(events.shape, at), events.shapes)


def some_of(side: Sorted, at: Ints) -> Sorted:
    """The rows at the given positions, in their order."""
    return replace(side, events=take(side.events, at), group=side.group[at], rows=side.rows[at], owned=side.owned[at])


def grouped(join: TimingJoin, left: Sorted, right: Sorted, group_count: int, counts: dict[str, int]) -> Prepared:
    """Find the right rows of every group, and how wide they are."""
    codes = np.arange(group_count)
    start = np.searchsorted(right.group, codes)
    end = np.searchsorted(right.group, codes, side="right")
    groups = Groups(left.group, start.astype(np.int64), end.astype(np.int64))
    narrowest, widest = group_widths(right.events, groups)
    return Prepared(join, left, right, groups, narrowest, widest, counts)
