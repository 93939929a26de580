"""The timing join of two Arrow tables: pairs whose times satisfy a band with enough confidence.

The join runs on any two tables that hold all partners of each other, the whole data in this process or one
slice of it in a Spark task: read and check the rows, sort both sides by key and latest time, cut by bounds,
sweep, and hand out the pairs as record batches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from threading import Lock
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels import probing as probes
from whenabouts.kernels import sweep as sweeping
from whenabouts.kernels.bounds import Bounds, shaped_bounds, support_bounds, uniform_bounds
from whenabouts.kernels.events import Events, Floats, Ints, Shapes, take, with_shapes
from whenabouts.kernels.partition import partition_bounds
from whenabouts.kernels.satisfaction import satisfaction_shift_rows
from whenabouts.kernels.streams import Pairs
from whenabouts.model.clock import Clock
from whenabouts.model.stats import merge_counts
from whenabouts.schema import Contract, Refusals, Times, check_ids, key_codes, read_times, to_events

Strategy = Literal["auto", "sweep", "simple", "sorted", "eager", "lazy", "lookup", "partition"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)

CHUNK = 1 << 20
_ROWS_A_TASK = 1 << 14
_COUNTING = Lock()
"""Held while a task adds its counts to those of the others."""


@dataclass(frozen=True)
class Side:
    """What the join needs to know of one side."""

    name: Literal["left", "right"]
    contract: Contract
    quarantine: bool
    carry: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads, besides the equality keys."""
        return tuple(dict.fromkeys((self.contract.id, *self.contract.time.columns, *self.carry)))


@dataclass(frozen=True)
class TimingJoin:
    """The whole question, as a value that travels to wherever the data is."""

    left: Side
    right: Side
    clock: Clock
    low: float
    high: float
    min_confidence: float
    measure: bool = True
    by: tuple[tuple[str, str], ...] = ()
    strategy: str = "auto"
    block_size: int = 1000
    every: float = math.inf
    delays: tuple[float, float] = (0.0, 0.0)

    def output_schema(self, left: pa.Schema, right: pa.Schema) -> pa.Schema:
        """left_id, right_id, confidence, then what is carried."""
        fields = [
            pa.field("left_id", left.field(self.left.contract.id).type),
            pa.field("right_id", right.field(self.right.contract.id).type),
        ]
        if self.measure:
            fields.append(pa.field("confidence", pa.float64()))
        for side, schema in ((self.left, left), (self.right, right)):
            fields += [pa.field(f"{side.name}_{name}", schema.field(name).type) for name in side.carry]
        return pa.schema(fields)


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
    groups: sweeping.Groups
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
    if not side.quarantine:
        refusals = Refusals(side.contract, f"the {side.name} events")
        refusals.add(table, times.problems)
        refusals.raise_if_any()
    good = times.problems.good
    return Read(times, good, np.flatnonzero(good & (group >= 0)))


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
    groups = sweeping.Groups(left.group, start.astype(np.int64), end.astype(np.int64))
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


@dataclass
class Probing:
    """How a prepared join decides pairs: ranges from bounds, edges by a kind of probe."""

    bounds: Bounds
    kind: int
    table: probes.Table


_NO_TABLE = probes.Table(np.empty((0, 0)), np.empty((0, 0)))


def choose_probing(prepared: Prepared, threads: int = 1) -> Probing:
    """The cheapest exact way for what the two sides are."""
    join, left, right = prepared.join, prepared.left, prepared.right
    low, high, confidence, measure = join.low, join.high, join.min_confidence, join.measure
    if left.uniform and right.uniform:
        bounds = uniform_bounds(
            left.events.earliest, left.events.latest, left.group, prepared.narrowest, prepared.widest,
            low, high, confidence, measure,
        )  # fmt: skip
        return Probing(bounds, probes.UNIFORM, _NO_TABLE)
    shapes = (len(left.events.shapes.start) - 1, len(right.events.shapes.start) - 1)
    if shapes[0] * shapes[1] <= len(left.rows) + len(right.rows):
        table = shift_table(left.events.shapes, right.events.shapes, low, high, confidence, threads)
        return Probing(partition_bounds(left.events, right.events, table, low, high, measure), probes.TABLE, table)
    if shapes[0] * 16 <= len(left.rows):
        bounds = shaped_bounds(left.events, right.events.shapes, low, high, confidence, measure)
        return Probing(bounds, probes.SHAPED, _NO_TABLE)
    bounds = support_bounds(left.events, left.group, prepared.widest, low, high)
    return Probing(bounds, probes.SHAPED, _NO_TABLE)


def shift_table(xs: Shapes, ys: Shapes, low: float, high: float, confidence: float, threads: int) -> probes.Table:
    """The table of satisfaction shifts of all pairs of shapes, its rows shared among threads."""
    cuts = np.linspace(0, len(xs.start) - 1, threads + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(lambda a, b: satisfaction_shift_rows(xs, ys, low, high, confidence, a, b), cuts[:-1], cuts[1:])
        least, most = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return probes.Table(least, most)


def execute(prepared: Prepared, *, threads: int = 1, reuse: bool = False) -> Iterator[pa.RecordBatch]:
    """The pairs of a prepared join, as record batches; counts gather in `prepared.counts`.

    With `reuse` the memory of a batch is overwritten by the next one: for a consumer that writes each batch
    away before it asks for another. It keeps the pages warm, which is worth an order of magnitude.
    """
    prepared.counts.setdefault("candidates", 0)
    from whenabouts.ops.spans import spans

    for part in chain.from_iterable(map(spans, _owned_parts(prepared))):
        if prepared.join.strategy in ("auto", "sweep"):
            yield from _sweep(part, threads, reuse)
        else:
            from whenabouts.ops.strategies import correlated

            yield from correlated(part, threads)
        merge_counts(prepared.counts, part.counts)


def _owned_parts(prepared: Prepared) -> list[Prepared]:
    """The pairs of a slice as one or two plain joins: owned left with all, then the rest with owned right."""
    left, right = prepared.left, prepared.right
    if left.owned.all() or right.owned.all():
        return [_part(prepared, np.arange(len(left.rows)), np.arange(len(right.rows)))]
    return [
        _part(prepared, np.flatnonzero(left.owned), np.arange(len(right.rows))),
        _part(prepared, np.flatnonzero(~left.owned), np.flatnonzero(right.owned)),
    ]


def _part(prepared: Prepared, left_at: Ints, right_at: Ints) -> Prepared:
    """The join of some rows of either side, which keep their order."""
    sides = [
        side if len(at) == len(side.rows) else some_of(side, at)
        for side, at in ((prepared.left, left_at), (prepared.right, right_at))
    ]
    return grouped(prepared.join, sides[0], sides[1], len(prepared.groups.right_start), {})


def _sweep(prepared: Prepared, threads: int, reuse: bool) -> Iterator[pa.RecordBatch]:
    """Sweep the left rows in tasks of equal size, several at a time where there are threads for it."""
    count = len(prepared.left.rows)
    if not count or not len(prepared.right.rows):
        return
    probing = choose_probing(prepared, threads)
    writer = Writer(prepared)
    if threads <= 1 or count < 2 * _ROWS_A_TASK:
        yield from _sweep_rows(prepared, probing, writer, 0, count, CHUNK if not reuse else CHUNK // 16, reuse)
        return
    cuts = np.linspace(0, count, max(2 * threads, count // (16 * _ROWS_A_TASK)) + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        tasks = [
            pool.submit(lambda a, b: list(_sweep_rows(prepared, probing, writer, a, b, CHUNK, False)), int(a), int(b))
            for a, b in pairwise(cuts)
        ]
        for task in tasks:
            yield from task.result()


def _sweep_rows(
    prepared: Prepared, probing: Probing, writer: Writer, start: int, stop: int, capacity: int, reuse: bool
) -> Iterator[pa.RecordBatch]:
    join, left, right = prepared.join, prepared.left, prepared.right
    cursor = sweeping.Cursor(start, 0, 0, 0, 0, 0)
    buffers: Pairs | None = None
    tally = np.zeros(5, dtype=np.int64)
    while cursor.row < stop:
        if buffers is None or not reuse:
            buffers = _allocate(capacity, join.measure)
        cursor, count = sweeping.sweep(
            left.events, writer.left_key, right.events, writer.right_key, probing.bounds, prepared.groups,
            probing.kind, probing.table, join.low, join.high, join.min_confidence, join.measure, stop, cursor,
            *buffers,
        )  # fmt: skip
        tally += count
        if count.emitted:
            n = count.emitted
            yield writer.batch(buffers.left[:n], buffers.right[:n], buffers.confidence[:n])
    counted = dict(zip(("emitted", "candidates", "surely_yes", "probed", "computed"), tally.tolist(), strict=True))
    with _COUNTING:
        merge_counts(prepared.counts, counted)


def _allocate(capacity: int, measure: bool) -> Pairs:
    """Room for pairs, from Arrow's pool, which hands warm pages out again."""

    def room(size: int) -> pa.Buffer:
        return pa.allocate_buffer(8 * size)

    confidence = np.frombuffer(room(capacity if measure else 0), np.float64)
    return Pairs(np.frombuffer(room(capacity), np.int64), np.frombuffer(room(capacity), np.int64), confidence)


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
            ids = data.table.column(side.contract.id).combine_chunks()
            direct = pa.types.is_int64(ids.type) and not side.carry
            key = ids.fill_null(0).to_numpy()[data.rows] if direct else data.rows
            carried = [data.table.column(name).combine_chunks() for name in side.carry]
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
