"""From candidate events to matches: the kernels, given room and driven chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from whenabouts.kernels.conditions.program import Program, stack_for
from whenabouts.kernels.events import Events, Ints
from whenabouts.kernels.match.candidates import list_candidates
from whenabouts.kernels.match.desk import Desk
from whenabouts.kernels.match.exclusion import make_rivals
from whenabouts.kernels.match.plain import search_plain
from whenabouts.kernels.match.points import expand, match_points
from whenabouts.kernels.match.runs import run_group
from whenabouts.kernels.match.search import search
from whenabouts.kernels.match.spare import keep_out_rivals
from whenabouts.kernels.match.times import make_grid, most_pieces
from whenabouts.kernels.match.work import Found, Question, make_found, make_work, part_of
from whenabouts.ops.match.question import PatternMatch

ROOM = 1 << 16
"""Matches that a chunk has room for, to begin with."""

_MOST_REMEMBERED = 1 << 24
"""So many surest matches and more are not kept track of during the search: nearly all would be among them."""

COUNTS = ("partial", "pruned", "emitted", "computed")


@dataclass
class Prepared:
    """Events past the door, and which of them may stand where.

    `rows[v]` are the events that component v takes by its own conditions, `groups[v]` the value of the keys that each
    has there. `top` is how many of the surest matches are wanted, or 0 for all.
    """

    events: Events
    rows: list[Ints]
    groups: list[Ints]
    group_count: int
    negated: list[bool]
    program: Program
    question: Question
    top: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    asked: PatternMatch | None = None
    table: pa.Table | None = None
    origin: int = 0

    @property
    def excluding(self) -> bool:
        """Whether other events can spoil a match."""
        return self.question.next_only or any(self.negated)


def lay_desk(prepared: Prepared, *, incremental: bool = True) -> Desk:
    """Everything that a search works with."""
    events = prepared.events
    candidates = list_candidates(events, prepared.rows, prepared.groups, prepared.group_count, prepared.negated)
    length, pieces = len(candidates.present), most_pieces(events)
    most = int(np.diff(candidates.start, axis=1).sum(axis=0).max(initial=0)) if prepared.excluding else 0
    remembered = prepared.top if prepared.top <= _MOST_REMEMBERED else 0
    return Desk(
        events, candidates, prepared.question._replace(incremental=incremental), prepared.program,
        stack_for(prepared.program), make_grid(length, pieces), make_rivals(most, length, pieces),
        make_work(len(prepared.rows), length), np.zeros(remembered + 1 if remembered else 0),
    )  # fmt: skip


def _count(desk: Desk, prepared: Prepared) -> None:
    """Add what was counted to the counts of the query."""
    for name, count in zip(COUNTS, desk.work.counts.tolist(), strict=True):
        prepared.counts[name] = prepared.counts.get(name, 0) + count


def roots_of(prepared: Prepared, component: int) -> tuple[Ints, Ints]:
    """The events of a component by group and earliest moment, and their groups."""
    rows, groups = prepared.rows[component], prepared.groups[component]
    by_time = np.lexsort((prepared.events.earliest[rows], groups))
    return rows[by_time], groups[by_time]


def grown(prepared: Prepared, order: Ints, incremental: bool) -> Iterator[Found]:
    """The matches in chunks, grown from the events of the first component in the given order; a chunk may be kept."""
    desk = lay_desk(prepared, incremental=incremental)
    roots, root_groups = roots_of(prepared, int(desk.candidates.present[order[0]]))
    in_order = bool((np.diff(order) == 1).all())
    if len(prepared.events.shape) == 0 and in_order and incremental and len(order) > 1:
        yield from _grown_plainly(prepared, desk, roots, root_groups)
        _count(desk, prepared)
        return
    cursor, room = 0, ROOM
    while cursor < len(roots):
        found = make_found(room, len(order))
        cursor, written = search(desk, order, roots, root_groups, cursor, found)
        if written:
            yield part_of(found, 0, written)
        elif cursor < len(roots):
            room *= 2
    _count(desk, prepared)


def _grown_plainly(prepared: Prepared, desk: Desk, roots: Ints, root_groups: Ints) -> Iterator[Found]:
    """The same for intervals in pattern order; where rivals must be kept out, that is done chunk by chunk."""
    group_of = np.zeros(len(prepared.events.earliest), dtype=np.int64)
    group_of[roots] = root_groups
    if prepared.excluding:
        desk = desk._replace(best=desk.best[:0])
    cursor, room = 0, ROOM
    while cursor < len(roots):
        found = make_found(room, len(desk.candidates.present))
        cursor, written = search_plain(desk, roots, root_groups, cursor, found)
        if not written and cursor < len(roots):
            room *= 2
        if written and prepared.excluding:
            written = keep_out_rivals(desk, group_of, found, written)
        if written:
            yield part_of(found, 0, written)


def by_runs(prepared: Prepared) -> Iterator[Found]:
    """The matches by any state evaluation, a chunk a few groups; events arrive in the order of their latest moment."""
    desk, events = lay_desk(prepared), prepared.events
    if not len(events.earliest):
        return
    present = desk.candidates.present
    rows = np.concatenate([prepared.rows[component] for component in present])
    groups = np.concatenate([prepared.groups[component] for component in present])
    places = np.repeat(np.arange(len(present)), [len(prepared.rows[component]) for component in present])
    arrival = np.lexsort((places, rows, events.latest[rows], groups))
    rows, groups, places = rows[arrival], groups[arrival], places[arrival].astype(np.int64)
    starts = np.searchsorted(groups, np.arange(prepared.group_count + 1))
    widest = float((events.latest - events.earliest).max())
    found, written = make_found(ROOM, len(desk.candidates.present)), 0
    for group in range(prepared.group_count):
        begin, end = int(starts[group]), int(starts[group + 1])
        found, written = run_group(desk, group, rows[begin:end], places[begin:end], widest, found, written)
        if written > ROOM // 2:
            yield part_of(found, 0, written)
            found, written = make_found(ROOM, len(desk.candidates.present)), 0
    if written:
        yield part_of(found, 0, written)
    _count(desk, prepared)


def by_points(prepared: Prepared) -> Iterator[Found]:
    """The matches by the point-based framework, in chunks."""
    desk = lay_desk(prepared)
    points = expand(prepared.events, desk.candidates, prepared.question.discrete)
    roots, root_groups = roots_of(prepared, int(desk.candidates.present[0]))
    cursor, room = 0, ROOM
    while cursor < len(roots):
        found, slots = make_found(room, len(desk.candidates.present)), np.empty(4 * room, dtype=np.int64)
        cursor, written = match_points(desk, points, roots, root_groups, cursor, slots, found)
        if written:
            yield part_of(found, 0, written)
        elif cursor < len(roots):
            room *= 2
    _count(desk, prepared)
