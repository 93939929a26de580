"""Small segmented intervals and queries for Hypothesis, and what the kernels need of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from tests import naive_intervals as naive
from whenabouts.kernels.intervals.lattice import most_lost, pair_probability, workspace
from whenabouts.kernels.intervals.phases import Phases, phases_of
from whenabouts.kernels.intervals.sequences import Sequences
from whenabouts.kernels.intervals.uncertain import Pieces
from whenabouts.model.relation import RELATIONS, IntervalQuery, Quantifier
from whenabouts.ops.intervals.automaton import compile_query

MOST_LOST = 6


@st.composite
def sides(draw, most_segments: int = 3, lossy: bool = True) -> naive.Side:
    """Recorded times on a coarse grid, so that the two sides meet often; some events lost, with bounds around."""
    count = 2 * draw(st.integers(1, most_segments))
    times = sorted(draw(st.lists(st.integers(0, 9), min_size=count, max_size=count, unique=True)))
    lost = draw(st.lists(st.booleans(), min_size=count, max_size=count)) if lossy else [False] * count
    while sum(lost) > MOST_LOST // 2:
        lost[lost.index(True)] = False
    kept = tuple(None if gone else time for time, gone in zip(times, lost, strict=True))
    return naive.Side(kept, lo=times[0] - draw(st.sampled_from([1, 2])), hi=times[-1] + draw(st.sampled_from([1, 3])))


quantifiers = st.one_of(st.just(Quantifier("every")), st.builds(Quantifier, st.just("at least"), st.integers(1, 3)))
queries = st.builds(
    IntervalQuery,
    quantifiers,
    st.sampled_from(["a", "b"]),
    st.lists(st.sampled_from(sorted(RELATIONS)), min_size=1, max_size=3, unique=True).map(tuple),
    quantifiers,
)


def plain(query: IntervalQuery) -> tuple:
    """A query as the oracle takes it."""
    outer, inner = ((one.kind, one.count) for one in (query.outer, query.inner))
    return outer, query.subject, query.relations, inner


def sequences(*sides: naive.Side, rate: float = 1.0) -> Sequences:
    """Some sides as the kernels know them."""
    time = [math.nan if t is None else float(t) for side in sides for t in side.times]
    start = np.cumsum([0, *(len(side.times) for side in sides)])
    lo = np.array([-math.inf if side.lo is None else float(side.lo) for side in sides])
    hi = np.array([math.inf if side.hi is None else float(side.hi) for side in sides])
    none = np.zeros(len(sides), dtype=np.int64)
    return Sequences(start.astype(np.int64), np.array(time), lo, hi, np.full(len(sides), rate), none, none)


def walk(left: Phases, right: Phases, query: IntervalQuery, threshold: float = 0.0, decide: bool = False) -> float:
    automaton = compile_query(query)
    room = workspace(int(most_lost(left)[0]), int(most_lost(right)[0]), automaton.step.shape[3])
    return pair_probability(left, 0, right, 0, automaton, threshold, decide, room)


def lattice(left: naive.Side, right: naive.Side, query: IntervalQuery, rate: float = 1.0) -> float:
    """The probability by the lattice."""
    return walk(phases_of(sequences(left, rate=rate)), phases_of(sequences(right, rate=rate)), query)


def pieces(*sides: list[naive.Pieces]) -> Pieces:
    """Some sides with uncertain times as the kernels know them."""
    events = [event for side in sides for event in side]
    flat = np.array([tuple(map(float, piece)) for event in events for piece in event]).reshape(-1, 3)
    return Pieces(
        np.cumsum([0, *map(len, sides)]).astype(np.int64),
        np.cumsum([0, *map(len, events)]).astype(np.int64),
        *(np.ascontiguousarray(column) for column in flat.T),
    )


@st.composite
def distributions(draw) -> naive.Pieces:
    """One uncertain time: a point, a stretch, or two of them with masses in quarters."""
    ends = sorted(draw(st.lists(st.integers(0, 5), min_size=4, max_size=4)))
    share = Fraction(draw(st.integers(1, 4)), 4)
    first, second = (ends[0], ends[1], share), (ends[2], ends[3], 1 - share)
    return [first, second] if share < 1 else [first]
