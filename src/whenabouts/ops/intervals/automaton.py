"""A query as a small automaton over the events of both sides, in the order of time.

Everything about a segment of the subject is settled when it ends. Until then it takes a counter of the object's
segments that are known to be in the relation, and whether the open segment of the object, if there is one, began
before, with or after the subject's own. Segments of the object that lie wholly before or after are not read from the
events: their number follows from the position.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels.intervals.sequences import ACCEPT, REJECT, Automaton
from whenabouts.model.relation import BASIC, IntervalQuery

_SUBJECT, _OBJECT, _BOTH = 0, 1, 2
_BEFORE, _WITH, _AFTER = 0, 1, 2

_IF_SUBJECT_ENDS = ("during", "starts", "overlaps")
_IF_OBJECT_ENDS = ("overlapped by", "started by", "contains")
_IF_BOTH_END = ("finishes", "equals", "finished by")
"""The relation of two open segments that is settled by an end, by when the object's one began."""


class _State(NamedTuple):
    """Whether a segment of the subject and of the object is open, and what is known so far."""

    subject_open: bool
    object_open: bool
    satisfied: int
    related: int
    began: int


class _Rules(NamedTuple):
    """The query in terms of counters: an EVERY is no AT LEAST 1 of the opposite."""

    relations: frozenset[str]
    related_least: int
    related_every: bool
    least: int
    every: bool

    def counted(self, state: _State, *names: str, more: int = 0) -> _State:
        related = state.related + more + sum(name in self.relations for name in names)
        return state._replace(related=min(self.related_least, related))

    def settle(self, state: _State) -> _State | int:
        """The subject's segment has ended."""
        good = (state.related >= self.related_least) != self.related_every
        if self.every and not good:
            return REJECT
        satisfied = state.satisfied + (good and not self.every)
        if not self.every and satisfied >= self.least:
            return ACCEPT
        return state._replace(subject_open=False, satisfied=satisfied, related=0, began=_BEFORE)

    def read(self, state: _State, letter: int, extra: int) -> _State | int:
        """The state after a letter."""
        starts = letter != _OBJECT and not state.subject_open
        object_after = state.object_open != (letter != _SUBJECT)
        if starts:
            began = _WITH if letter == _BOTH and not state.object_open else _BEFORE
            begun = state._replace(subject_open=True, object_open=object_after, related=0, began=began)
            touching = ("met by",) if letter == _BOTH and state.object_open else ()
            return _plain(self.counted(begun, *touching, more=extra))
        if letter == _OBJECT:
            if not state.subject_open:
                return state._replace(object_open=object_after)
            if state.object_open:
                return _plain(self.counted(state, _IF_OBJECT_ENDS[state.began])._replace(object_open=False))
            return state._replace(object_open=True, began=_AFTER)
        if letter == _SUBJECT:
            names = (_IF_SUBJECT_ENDS[state.began],) if state.object_open else ()
        else:
            names = (_IF_BOTH_END[state.began],) if state.object_open else ("meets",)
        return self.settle(self.counted(state, *names, more=extra)._replace(object_open=object_after))


def _plain(state: _State) -> _State:
    """Forget when the object's segment began where none is open."""
    return state if state.object_open else state._replace(began=_BEFORE)


@lru_cache(maxsize=256)
def compile_query(query: IntervalQuery) -> Automaton:
    """A small automaton of a query, as tables for the kernels."""
    every = query.inner.kind == "every"
    relations = frozenset(BASIC) - query.relations if every else query.relations
    least = 1 if every else query.inner.count
    rules = _Rules(relations, least, every, query.outer.count, query.outer.kind == "every")
    extras = least + 1 if relations & {"precedes", "preceded by"} else 1
    states, steps = _explore(rules, extras)
    return _tables(states, _merge(states, steps), rules, extras, 0 if query.subject == "a" else 1)


def _explore(rules: _Rules, extras: int) -> tuple[list[_State], NDArray[np.int64]]:
    """All states that can be reached, and the step from each of them with each letter and extra."""
    first = _State(False, False, 0, 0, _BEFORE)
    states, number, rows = [first], {first: 0}, []
    for state in states:
        row = []
        for letter in (_SUBJECT, _OBJECT, _BOTH):
            for extra in range(extras):
                after = rules.read(state, letter, extra)
                if isinstance(after, _State):
                    if after not in number:
                        number[after] = len(states)
                        states.append(after)
                    row.append(number[after])
                else:
                    row.append(after)
        rows.append(row)
    return states, np.array(rows, dtype=np.int64)


def _merge(states: list[_State], steps: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Moore's partition: states that no sequence of letters tells apart become one.

    Those with different numbers of satisfied segments stay apart, so that blocks of states only ever follow each other.
    """
    group = np.array([4 * state.satisfied + 2 * state.subject_open + state.object_open for state in states])
    _, group = np.unique(group, return_inverse=True)
    while True:
        reached = np.where(steps >= 0, group[np.maximum(steps, 0)], steps)
        _, finer = np.unique(np.column_stack([group, reached]), axis=0, return_inverse=True)
        finer = finer.reshape(-1)
        if finer.max() == group.max() and len(np.unique(group)) == len(np.unique(finer)):
            return finer, steps
        group = finer


def _tables(
    states: list[_State], merged: tuple[NDArray[np.int64], NDArray[np.int64]], rules: _Rules, extras: int, subject: int
) -> Automaton:
    """Number the states within their class and lay the steps out by left and right instead of subject and object."""
    group, steps = merged
    ranks: dict[int, tuple[int, int, int]] = {}
    sizes: dict[tuple[int, int], int] = {}
    for state, member in zip(states, group.tolist(), strict=True):
        if member not in ranks:
            opened = (state.subject_open, state.object_open)[:: 1 if subject == 0 else -1]
            kind = 2 * opened[0] + opened[1]
            rank = sizes.get((kind, state.satisfied), 0)
            ranks[member] = kind, state.satisfied, rank
            sizes[kind, state.satisfied] = rank + 1
    block = max(sizes.values())
    local = {member: (kind, satisfied * block + rank) for member, (kind, satisfied, rank) in ranks.items()}
    size = block * (1 + max(satisfied for _, satisfied in sizes))
    step = np.full((4, 3, extras, size), REJECT, dtype=np.int64)
    need = np.zeros((4, size), dtype=np.int64)
    letters = (_SUBJECT, _OBJECT, _BOTH) if subject == 0 else (_OBJECT, _SUBJECT, _BOTH)
    for number, member in enumerate(group.tolist()):
        kind, place = local[member]
        need[kind, place] = 0 if rules.every else rules.least - states[number].satisfied
        for at, letter in enumerate(letters):
            for extra in range(extras):
                after = int(steps[number, letter * extras + extra])
                step[kind, at, extra, place] = after if after < 0 else local[int(group[after])][1]
    before, after_it = "preceded by" in rules.relations, "precedes" in rules.relations
    return Automaton(step, need, subject, before, after_it, extras - 1, rules.every, block)
