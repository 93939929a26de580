"""From two tables of point events to two sets of sequences: past the door, onto one clock and one origin."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from whenabouts.errors import BadArgument
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.sequences import Sequences
from whenabouts.kernels.intervals.uncertain import Pieces
from whenabouts.model.clock import Clock
from whenabouts.ops.intervals.question import IntervalQuestion, SegmentSide
from whenabouts.schema import Problems, Refusals, SegmentContract, Segmented, read_segments


@dataclass
class Prepared:
    """Both sides past the door, in ticks from an `origin`. `pieces` are there where a recorded time is uncertain."""

    question: IntervalQuestion
    keys: tuple[pa.Array, pa.Array]
    sequences: tuple[Sequences, Sequences]
    pieces: tuple[Pieces, Pieces] | None
    counts: dict[str, int]
    origin: int


def prepare(question: IntervalQuestion, left: pa.Table, right: pa.Table, threads: int = 1) -> Prepared:
    """Check the rows of both sides and lay their events out in order."""
    with ThreadPoolExecutor(min(threads, 2)) as pool:
        read = list(pool.map(partial(_read, question.clock), question.sides, (left, right)))
    sides = [side for side, _ in read]
    origin = _origin(question.clock, sides)
    if question.clock.exact:
        _refuse_what_floats_cannot_tell_apart(sides, origin)
    sequences = to_sequences(sides[0], origin), to_sequences(sides[1], origin)
    pieces = None
    if not all(side.contract.certain for side in question.sides):
        _refuse_what_has_no_pieces(question, sequences)
        pieces = to_pieces(sides[0], sequences[0], origin), to_pieces(sides[1], sequences[1], origin)
    counts = {"left_rows": len(left), "right_rows": len(right), "rejected": sum(rejected for _, rejected in read)}
    return Prepared(question, (sides[0].keys, sides[1].keys), sequences, pieces, counts, origin)


def _read(clock: Clock, side: SegmentSide, table: pa.Table) -> tuple[Segmented, int]:
    segmented, problems = read_segments(table, side.contract, clock)
    refusals = Refusals(side.contract, f"the {side.name} segments", "segments")
    refusals.add(table, problems)
    if not side.quarantine:
        refusals.raise_if_any()
    return segmented, refusals.count


def problems_of(table: pa.Table, contract: SegmentContract, clock: Clock) -> Problems:
    """What is wrong with each row of a table, if anything."""
    return read_segments(table, contract, clock)[1]


def rejected_rows(table: pa.Table, contract: SegmentContract, clock: Clock) -> pa.Table:
    """The rows that break the contract, by themselves or with their key, with a `reason` column."""
    problems = problems_of(table, contract, clock)
    return table.append_column("reason", problems.texts()).filter(pa.array(~problems.good))


def _origin(clock: Clock, sides: Sequence[Segmented]) -> int:
    """The first recorded tick, from which exact ticks are counted; floats already are differences of close numbers."""
    if not clock.exact:
        return 0
    firsts = [int(side.times.anchor[side.row[side.row >= 0]].min()) for side in sides if (side.row >= 0).any()]
    firsts += [int(side.lo[side.has_lo].min()) for side in sides if side.has_lo.any()]
    return min(firsts, default=0)


def _refuse_what_floats_cannot_tell_apart(sides: Sequence[Segmented], origin: int) -> None:
    """Times are compared as floats from the origin on: two that differ must not become one, which would be a tie."""
    known = [side.times.anchor[side.row[side.row >= 0]] for side in sides]
    last = max((int(ticks.max()) for ticks in known if len(ticks)), default=origin)
    if last - origin <= 2**53:
        return
    ticks: Ints = np.unique(np.concatenate(known)).astype(np.int64)
    if last - origin >= 2**63 or (np.diff(_offset(ticks, origin)) <= 0).any():
        raise BadArgument(
            "Times lie more than 2^53 ticks apart, and some of them too close to be told apart. Cast them to a "
            "coarser unit, such as microseconds."
        )


def to_sequences(side: Segmented, origin: int) -> Sequences:
    """The kernels' view: NaN for a lost event; for an uncertain one its earliest moment, which serves as a mark."""
    time = np.full(len(side.row), np.nan)
    known = side.row >= 0
    time[known] = _offset(side.times.anchor[side.row[known]], origin) + side.times.lo[side.row[known]]
    lo = np.where(side.has_lo, _offset(side.lo, origin), -np.inf)
    hi = np.where(side.has_hi, _offset(side.hi, origin), np.inf)
    return Sequences(side.start, time, lo, hi, np.where(side.rate > 0, side.rate, 1.0), side.ahead, side.behind)


def _offset(ticks: Ints | Floats, origin: int) -> Floats:
    return (ticks - origin).astype(np.float64) if origin else ticks.astype(np.float64)


def to_pieces(side: Segmented, sequences: Sequences, origin: int) -> Pieces:
    """Every event as the pieces of its distribution; the a-th lost event of a gap weighs a (see `Pieces`)."""
    count = len(side.row)
    known = side.row >= 0
    rows = side.row[known]
    anchor = np.zeros(count)
    anchor[known] = _offset(side.times.anchor[rows], origin)
    lengths = np.ones(count, dtype=np.int64)
    shapes, shape = side.times.shapes, side.times.shape
    if shapes is not None and shape is not None:
        lengths[known] = np.diff(shapes.start)[shape[rows]]
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    lo, hi, mass = np.empty(first[-1]), np.empty(first[-1]), np.ones(first[-1])
    if shapes is not None and shape is not None:
        at = np.flatnonzero(np.repeat(known, lengths))
        event = np.repeat(np.arange(count), lengths)[at]
        piece = shapes.start[shape[side.row[event]]] + at - first[event]
        lo[at], hi[at], mass[at] = (
            shapes.lo[piece] + anchor[event],
            shapes.hi[piece] + anchor[event],
            shapes.mass[piece],
        )
    else:
        at = first[:-1][known]
        lo[at], hi[at] = anchor[known] + side.times.lo[rows], anchor[known] + side.times.hi[rows]
    at = first[:-1][~known]
    lo[at], hi[at], mass[at] = _windows(sequences, ~known)
    return Pieces(side.start, first, lo, hi, mass)


def _windows(sequences: Sequences, lost: np.ndarray) -> tuple[Floats, Floats, Floats]:
    """The bounds of the gap of each lost event, and its number in it."""
    count = len(lost)
    places = np.arange(count)
    key = np.repeat(np.arange(len(sequences.lo)), np.diff(sequences.start))
    begin, end = sequences.start[key], sequences.start[key + 1]
    before = np.maximum.accumulate(np.where(lost, -1, places)) if count else places
    after = _next_known(lost)
    low = np.where(before >= begin, sequences.time[np.maximum(before, 0)], sequences.lo[key])
    high = np.where(after < end, sequences.time[np.minimum(after, count - 1)], sequences.hi[key])
    number = places - np.maximum(before, begin - 1)
    return low[lost], high[lost], number[lost].astype(np.float64)


def _next_known(lost: np.ndarray) -> Ints:
    """The place of the next recorded event, or the number of events where there is none."""
    count = len(lost)
    marks = np.where(lost, count, np.arange(count))
    return np.minimum.accumulate(marks[::-1])[::-1]


def _refuse_what_has_no_pieces(question: IntervalQuestion, sequences: Sequence[Sequences]) -> None:
    """Lost ends without a bound follow a Poisson process, of which no piece ends; and among other events in its window
    a lost one is not uniform.
    """
    for side, some in zip(question.sides, sequences, strict=True):
        first, last = some.start[:-1], some.start[1:] - 1
        open_end = (np.isnan(some.time[first]) & np.isinf(some.lo)) | (np.isnan(some.time[last]) & np.isinf(some.hi))
        if open_end.any():
            raise BadArgument(
                f"The {side.name} segments have a first or last event that is lost and has no bound. That cannot be "
                "combined with uncertain recorded times: say bounds=, or use wa.at for both sides."
            )
        if some.ahead.any() or some.behind.any():
            raise BadArgument(
                f"The {side.name} segments share their windows with other events, as those of wa.journeys do. That "
                "cannot be combined with uncertain recorded times: use wa.at for both sides."
            )
