"""The range sweep: its search, its blocks, and that it goes on where a full buffer stopped it."""

import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.agreement import assert_agrees, events_of
from whenabouts.kernels.events import take, uniform_events
from whenabouts.kernels.search import first_above, first_at_least
from whenabouts.kernels.timing.bounds import support_bounds, uniform_bounds
from whenabouts.kernels.timing.probing import SHAPED, TABLE, UNIFORM, Table
from whenabouts.kernels.timing.satisfaction import satisfaction_shifts
from whenabouts.kernels.timing.sweep import BLOCK, Cursor, Groups, sweep

NO_TABLE = Table(np.empty((0, 0, 2)))
VALUES = st.lists(st.integers(-5, 5).map(float), max_size=40).map(sorted)
BOUNDS = st.integers(-6, 6).map(float) | st.sampled_from([-np.inf, np.inf, 0.5])


@st.composite
def searches(draw):
    values = draw(VALUES)
    start = draw(st.integers(0, len(values)))
    end = draw(st.integers(start, len(values)))
    return np.array(values), start, end, draw(st.integers(-2, len(values) + 2)), draw(BOUNDS)


@given(searches())
def test_first_at_least__equals_bisect_from_any_hint(search):
    values, start, end, _, bound = search
    assert first_at_least(*search) == bisect.bisect_left(values.tolist(), bound, start, end)


@given(searches())
def test_first_above__equals_bisect_from_any_hint(search):
    values, start, end, _, bound = search
    assert first_above(*search) == bisect.bisect_right(values.tolist(), bound, start, end)


def swept(left, right, bounds, kind, low, high, confidence, *, capacity=64, measure=True, table=NO_TABLE, groups=None):
    """Run the sweep through buffers of some capacity until it is over; pairs as positions, and the counts."""
    count = len(left.earliest)
    if groups is None:
        whole = np.array([0]), np.array([len(right.earliest)])
        groups = Groups(np.zeros(count, dtype=np.int64), *whole)
    keys = np.arange(count), np.arange(len(right.earliest))
    cursor, pairs, total, calls = Cursor(0, 0, 0, 0, 0, 0), [], np.zeros(5, dtype=np.int64), 0
    while cursor.row < count:
        out = np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity if measure else 0)
        with np.errstate(all="ignore"):
            cursor, counts = sweep(
                left, keys[0], right, keys[1], bounds, groups, kind, table,
                low, high, confidence, measure, count, cursor, *out,
            )  # fmt: skip
        n = counts.emitted
        assert n <= capacity
        found = out[2][:n].tolist() if measure else [None] * n
        pairs += list(zip(out[0][:n].tolist(), out[1][:n].tolist(), found, strict=True))
        total += counts
        calls += 1
    assert len({(i, j) for i, j, _ in pairs}) == len(pairs), "a pair came out twice"
    return {(i, j): p for i, j, p in pairs}, total, calls


def sorted_intervals(seed: int, count: int, spread: int = 60):
    draw = np.random.default_rng(seed)
    earliest = draw.integers(0, spread, count).astype(float)
    latest = earliest + draw.integers(0, 9, count)
    order = np.argsort(latest, kind="stable")
    return uniform_events(earliest[order], latest[order])


def times_of(events):
    return [naive.interval(a, b) for a, b in zip(events.earliest, events.latest, strict=True)]


def uniform_bounds_of(left, right, low, high, confidence, measure):
    width = right.latest - right.earliest
    group = np.zeros(len(left.earliest), dtype=np.int64)
    ends = np.array([width.min()]), np.array([width.max()])
    return uniform_bounds(left.earliest, left.latest, group, *ends, low, high, confidence, measure)


@pytest.mark.parametrize("capacity", [1, 7, 64, 1000])
@pytest.mark.parametrize("measure", [True, False])
def test_sweep__gives_the_same_pairs_through_a_buffer_of_any_size(capacity, measure):
    left, right = sorted_intervals(1, 30), sorted_intervals(2, 40)
    bounds = uniform_bounds_of(left, right, -6.0, 6.0, 0.4, measure)
    got, total, calls = swept(left, right, bounds, UNIFORM, -6.0, 6.0, 0.4, capacity=capacity, measure=measure)
    assert_agrees(got, naive.probabilities(times_of(left), times_of(right), -6, 6), 0.4)
    emitted, candidates, sure, probed, computed = total
    assert emitted == len(got)
    assert candidates == sure + probed
    assert computed == probed
    assert calls >= len(got) / capacity


@pytest.mark.parametrize("kind", [SHAPED, TABLE])
@pytest.mark.parametrize("measure", [True, False])
def test_sweep__of_shapes_equals_the_oracle(kind, measure):
    draw = np.random.default_rng(3)
    templates = [naive.histogram([0, 2, 3, 9], [1, 0, 2]), naive.pmf([0, 4], [1, 1]), naive.interval(0, 5)]
    sides, times = [], []
    for count in (25, 35):
        which, at = draw.integers(0, 3, count), draw.integers(0, 60, count).astype(float)
        events = events_of(templates, np.zeros(3))
        events = take(events, which)._replace(anchor=at)
        events = events._replace(earliest=events.earliest + at, latest=events.latest + at)
        events = take(events, np.argsort(events.latest, kind="stable"))
        sides.append(events)
        times.append([naive.shifted(templates[s], a) for s, a in zip(events.shape, events.anchor, strict=True)])
    left, right = sides
    table = Table.of(*satisfaction_shifts(left.shapes, right.shapes, -8.0, 8.0, 0.3))
    bounds = support_bounds(left, np.zeros(25, dtype=np.int64), np.array([9.0]), -8.0, 8.0)
    got, total, _ = swept(left, right, bounds, kind, -8.0, 8.0, 0.3, measure=measure, table=table)
    assert_agrees(got, naive.probabilities(*times, -8, 8), 0.3)
    assert (total[4] < total[3]) if kind == TABLE else (total[4] == total[3])


def test_sweep__probes_more_partners_than_a_block_holds():
    left = uniform_events(np.array([0.0]), np.array([4000.0]))
    count = 2 * BLOCK + 77
    ends = np.arange(count) + 1.0
    right = uniform_events(ends - 1.0, ends)
    got, total, _ = swept(
        left, right, uniform_bounds_of(left, right, -9.0, 9.0, 1e-3, True), UNIFORM, -9.0, 9.0, 1e-3, capacity=count
    )
    assert total[3] == count
    assert_agrees(got, naive.probabilities(times_of(left), times_of(right), -9, 9), 1e-3)


def test_sweep__meets_only_its_own_group():
    left, right = sorted_intervals(4, 12), sorted_intervals(5, 20)
    left_group = np.repeat([0, 1, 2], 4)
    groups = Groups(left_group, np.array([0, 8, 20]), np.array([8, 20, 20]))
    right_group = np.repeat([0, 1], [8, 12])
    bounds = support_bounds(left, np.zeros(12, dtype=np.int64), np.array([9.0]), -np.inf, np.inf)
    got, _, _ = swept(left, right, bounds, UNIFORM, -np.inf, np.inf, 1.0, groups=groups)
    assert set(got) == {(i, j) for i in range(12) for j in range(20) if left_group[i] == right_group[j]}
