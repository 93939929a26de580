"""From tables to sides that the kernels know: past the door, on one clock and one origin, in the order of places."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.errors import BadArgument
from whenabouts.kernels.events import Events, Floats, Ints, uniform_events, with_shapes
from whenabouts.kernels.probability import level_of
from whenabouts.kernels.similarity.clouds import clouds_of
from whenabouts.kernels.similarity.distance import Space, limit_of
from whenabouts.kernels.similarity.objects import OWNED, Objects, Question
from whenabouts.ops.similarity.question import SimilarityJoin, Stream
from whenabouts.schema import Times, read_times, to_events
from whenabouts.schema.arrow import codes, nulls, plain
from whenabouts.schema.clouds import Samples
from whenabouts.schema.contract import Refusals
from whenabouts.schema.objects import gather_rows, read_objects

_SLACK = 1e-13
_NO_TIMES = with_shapes(uniform_events(np.zeros(1), np.zeros(1)))


@dataclass
class Side:
    """One stream past the door: `rows` of its table in the order of their places, and as the kernels see them."""

    stream: Stream
    table: pa.Table
    rows: Ints
    ticks: Ints | Floats
    objects: Objects


@dataclass
class Prepared:
    """All streams, ready to be joined."""

    join: SimilarityJoin
    sides: list[Side]
    space: Space
    question: Question
    groups: int
    schema: pa.Schema
    last: float
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class _Read:
    """One stream as it was read, before all are put on one footing."""

    stream: Stream
    table: pa.Table
    samples: Samples
    dimension: int
    owned: Ints
    times: Times | None
    rows: Ints
    ticks: Ints | Floats
    rejected: int


def prepare(
    join: SimilarityJoin, tables: Sequence[pa.Table], owned: Sequence[Ints] | None = None, threads: int = 1
) -> Prepared:
    """Check the rows of all streams, bring them to one clock and one origin, and arrange their samples.

    `owned` has the bits by which a slice owns rows: a pair is given out where its rows together have both.
    """
    schemas = tuple(table.schema for table in tables)
    with ThreadPoolExecutor(max(min(threads, len(tables)), 1)) as pool:
        bits: Sequence[Ints | None] = owned or [None] * len(tables)
        read = list(pool.map(lambda *one: _read(join, *one), join.streams, tables, bits))
        dimension = _dimension(read)
        weighted = any(one.samples.weights is not None for one in read)
        space = Space(dimension, join.metric, weighted)
        group, groups = _groups(read)
        origin = min((one.ticks[one.rows].min() for one in read if len(one.rows)), default=0)
        time_origin = _time_origin(join, read)
        sides = list(pool.map(lambda one, own: _side(one, space, join.distance, own, origin, time_origin), read, group))
    own = [int(np.count_nonzero(one.owned[one.rows] == OWNED)) for one in read]
    counts = {"rejected": sum(one.rejected for one in read), "left_rows": own[0], "right_rows": sum(own[1:]) or own[0]}
    last = join.last
    if last is None:
        last = max((float(one.ticks[one.rows].max()) for one in read if len(one.rows)), default=-np.inf)
    return Prepared(join, sides, space, _question(join, sides, read), groups, join.output_schema(schemas), last, counts)


def _read(join: SimilarityJoin, stream: Stream, table: pa.Table, owned: Ints | None) -> _Read:
    contract = stream.contract
    gathered = gather_rows(table, contract)
    samples, dimension, problems = read_objects(gathered, contract)
    places = read_times(gathered, stream.place(join.by_seq), join.clock)
    times = None
    if join.time_clock is not None and contract.time is not None:
        times = read_times(gathered, contract.time, join.time_clock)
    for found in (places, times):
        for code, reason in enumerate(found.problems.reasons[1:] if found else (), start=1):
            problems.add(found.problems.code == code, reason)  # type: ignore[union-attr]
    if not stream.quarantine:
        refusals = Refusals(contract, f"the {stream.name} objects", "objects")
        refusals.add(gathered, problems)
        refusals.raise_if_any()
    good = problems.good.copy()
    for name in contract.by:
        good &= ~nulls(gathered.column(name).combine_chunks())
    ticks = _latest(places)
    rows = np.flatnonzero(good)
    rows = rows[np.argsort(ticks[rows], kind="stable")]
    if owned is None:
        owned = np.full(len(gathered), OWNED, dtype=np.int64)
    rejected = int(np.count_nonzero(~problems.good & (owned == OWNED)))
    return _Read(stream, gathered, samples, dimension, owned, times, rows, ticks, rejected)


def _latest(times: Times) -> Ints | Floats:
    """The latest possible moment of every row, in whole ticks where it is one."""
    late = times.hi
    whole = times.anchor.dtype == np.int64 and bool(np.all(late == np.rint(late)))
    return times.anchor + (late.astype(np.int64) if whole else late)


def _dimension(read: Sequence[_Read]) -> int:
    found = {one.stream.name: one.dimension for one in read if len(one.rows)}
    if len(set(found.values())) > 1:
        said = ", ".join(f"the {name} objects have {d}" for name, d in found.items())
        raise BadArgument(f"Objects must have equally many dimensions, but {said}.")
    return next(iter(found.values()), 1)


def _groups(read: Sequence[_Read]) -> tuple[list[Ints], int]:
    """Equality keys of all streams as shared integers, and how many; -1 where a key is null."""
    lengths = [len(one.table) for one in read]
    total = np.zeros(sum(lengths), dtype=np.int64)
    size = 1
    for place in range(len(read[0].stream.contract.by)):
        columns = [plain(one.table.column(one.stream.contract.by[place])) for one in read]
        together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
        code = codes(together.combine_chunks())
        values, total = np.unique(total * (int(code.max(initial=0)) + 1) + code, return_inverse=True)
        size = max(len(values), 1)
    return list(np.split(total.astype(np.int64), np.cumsum(lengths)[:-1])), size


def _time_origin(join: SimilarityJoin, read: Sequence[_Read]) -> int:
    if join.time_clock is None or not join.time_clock.exact:
        return 0
    firsts = [int(one.times.anchor[one.rows].min()) for one in read if one.times is not None and len(one.rows)]
    return min(firsts, default=0)


def _side(one: _Read, space: Space, reach: float, group: Ints, origin: float, time_origin: int) -> Side:
    rows = one.rows
    start, at, weights = _taken(one.samples, rows, space.weighted)
    times: Events = _NO_TIMES
    if one.times is not None:
        events = to_events(one.times, rows, time_origin)
        times = with_shapes(events) if one.times.shapes is None else events
    objects = Objects(
        clouds_of(space, reach, start, at.reshape(-1, space.dimension), weights),
        (one.ticks[rows] - origin).astype(np.float64),
        np.ascontiguousarray(group[rows]), _ranks(one, rows), np.ascontiguousarray(one.owned[rows]), times,
    )  # fmt: skip
    return Side(one.stream, one.table, rows, one.ticks[rows], objects)


def _taken(samples: Samples, rows: Ints, weighted: bool) -> tuple[Ints, Floats, Floats | None]:
    """The samples of some rows, in the order of the rows."""
    size = np.diff(samples.start)[rows]
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(size)])
    if np.array_equal(rows, np.arange(len(samples.start) - 1)):
        at, weights = samples.at, samples.weights
    else:
        places = np.repeat(samples.start[rows] - start[:-1], size) + np.arange(int(start[-1]))
        at, weights = samples.at[places], None if samples.weights is None else samples.weights[places]
    if weighted and weights is None:
        weights = np.repeat(1.0 / np.maximum(size, 1), size)
    return start, at, weights


def _ranks(one: _Read, rows: Ints) -> Ints:
    """The order of objects by place and then by id, which says who is on the left when a stream meets itself."""
    ids = pc.rank(plain(one.table.column(one.stream.contract.id)).combine_chunks(), tiebreaker="dense")
    order = np.lexsort((ids.to_numpy()[rows], one.ticks[rows]))
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[order] = np.arange(len(rows))
    return ranks


def _question(join: SimilarityJoin, sides: Sequence[Side], read: Sequence[_Read]) -> Question:
    size = max((float(np.abs(side.objects.clouds.boxes.lo).max(initial=0.0)) for side in sides), default=0.0)
    size = max([size, *(float(np.abs(side.objects.clouds.boxes.hi).max(initial=0.0)) for side in sides)])
    timed = join.time_clock is not None
    window = join.window
    if timed and not join.by_seq:
        widest = max(float((one.times.hi - one.times.lo)[one.rows].max(initial=0.0)) for one in read if one.times)
        window = min(window, (join.within + widest) * (1.0 + 1e-9) + 1.0)
    return Question(
        limit_of(join.metric, join.distance), join.distance, _SLACK * size, level_of(join.min_confidence),
        float(window), timed, float(join.within) if timed else 0.0, join.measure, join.within_itself,
    )  # fmt: skip
