"""From candidate events to matches, grown component by component."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from whenabouts.kernels.conditions.program import Program, stack_for
from whenabouts.kernels.events import Events, Ints
from whenabouts.kernels.match.candidates import Candidates, list_candidates
from whenabouts.kernels.match.exclusion import Rivals, make_rivals
from whenabouts.kernels.match.search import search
from whenabouts.kernels.match.times import make_grid, most_pieces
from whenabouts.kernels.match.work import Found, Question, first_of, make_found, make_work
from whenabouts.ops.match.question import PatternMatch

ROOM = 1 << 16
"""Matches that a chunk has room for, to begin with."""

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


def grown(prepared: Prepared, order: Ints, incremental: bool) -> Iterator[Found]:
    """The matches in chunks, grown from the events of the first component in the given order; a chunk may be kept."""
    candidates = list_candidates(
        prepared.events, prepared.rows, prepared.groups, prepared.group_count, prepared.negated
    )
    events, length = prepared.events, len(order)
    component = int(candidates.present[order[0]])
    rows, groups = prepared.rows[component], prepared.groups[component]
    by_time = np.lexsort((events.earliest[rows], groups))
    roots, root_groups = rows[by_time], groups[by_time]
    pieces = most_pieces(events)
    work = make_work(len(prepared.rows), length)
    grid, stack = make_grid(length, pieces), stack_for(prepared.program)
    rivals = room_for_rivals(prepared, candidates, pieces)
    best = np.zeros(prepared.top + 1 if prepared.top else 0)
    question = prepared.question._replace(incremental=incremental)
    cursor, room = 0, ROOM
    while cursor < len(roots):
        found = make_found(room, length)
        cursor, written = search(
            events, candidates, order, roots, root_groups, cursor, len(roots), question, prepared.program,
            stack, grid, rivals, work, best, found,
        )  # fmt: skip
        if written:
            yield first_of(found, written)
        elif cursor < len(roots):
            room *= 2
    for name, count in zip(COUNTS, work.counts.tolist(), strict=True):
        prepared.counts[name] = prepared.counts.get(name, 0) + count


def room_for_rivals(prepared: Prepared, candidates: Candidates, pieces: int) -> Rivals:
    """Room for as many rivals as one match can have at the very most: all candidates of its group."""
    most = int(np.diff(candidates.start, axis=1).sum(axis=0).max(initial=0)) if prepared.excluding else 0
    return make_rivals(most, len(candidates.present), pieces)
