"""The lattice against the possible worlds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive_intervals as naive
from tests.interval_strategies import lattice, phases_of, plain, queries, sequences, sides, walk
from whenabouts.kernels.intervals.lattice import BELOW
from whenabouts.model.relation import BASIC, IntervalQuery, Quantifier

EVERY, SOME = Quantifier("every"), Quantifier("at least")
SHARING = IntervalQuery(Quantifier("at least", 2), "a", ("intersects",), SOME)
RUNNING_EXAMPLE = naive.Side((0, 2, 4, 6)), naive.Side((1, None, None, 10))


def single(name):
    return IntervalQuery(SOME, "a", (name,), SOME)


@given(sides(), sides(), queries)
def test_lattice__agrees_with_the_possible_worlds(left, right, query):
    expected = naive.probability(left, right, plain(query))
    assert lattice(left, right, query) == pytest.approx(float(expected), abs=1e-12)


@given(sides(), sides(), queries)
def test_lattice__is_exactly_one_or_zero_where_that_is_sure(left, right, query):
    expected = naive.probability(left, right, plain(query))
    if expected in (0, 1):
        assert lattice(left, right, query) == expected


def test_running_example__has_the_ten_worlds_of_figure_6():
    worlds = list(naive.worlds(*RUNNING_EXAMPLE))
    assert len(worlds) == 10
    assert sum(weight for _, weight in worlds) == 1
    assert lattice(*RUNNING_EXAMPLE, SHARING) == pytest.approx(19 / 27, abs=1e-15)


@given(sides(most_segments=1), sides(most_segments=1))
def test_relations__of_two_single_segments_sum_to_one(left, right):
    assert math.fsum(lattice(left, right, single(name)) for name in BASIC) == pytest.approx(1.0, abs=1e-12)


@given(sides(most_segments=1), sides(most_segments=1), st.sampled_from(BASIC))
def test_quantifiers__do_not_matter_for_single_segments(left, right, name):
    answers = {
        round(lattice(left, right, IntervalQuery(outer, "a", (name,), inner)), 12)
        for outer in (EVERY, SOME)
        for inner in (EVERY, SOME)
    }
    assert len(answers) == 1


@pytest.mark.parametrize("lost", [1, 12, 40, 90])
def test_many_lost_events_in_one_gap__give_the_binomial_closed_form(lost):
    """A lies within a segment of B if an even number of B's lost events comes before it and none during it."""
    begin, end = Fraction(3, 10), Fraction(7, 20)
    count = lost + 2 + lost % 2
    times = [None] * count
    times[0], times[-1] = 0, 1
    if lost % 2:
        times[-2] = Fraction(9, 10)
    length = Fraction(9, 10) if lost % 2 else Fraction(1)
    expected = sum(
        math.comb(lost, before) * (begin / length) ** before * (1 - end / length) ** (lost - before)
        for before in range(0, lost + 1, 2)
    )
    left, right = naive.Side((begin, end)), naive.Side(tuple(times))
    assert lattice(left, right, single("during")) == pytest.approx(float(expected), rel=1e-11)


def test_hundreds_of_lost_events_in_one_gap__do_not_overflow():
    right = naive.Side((0, *[None] * 400, 1))
    answers = [lattice(naive.Side((0.5, 0.500001)), right, single(name)) for name in ("during", "intersects")]
    assert answers[0] == pytest.approx(0.5, abs=1e-3)
    assert 0.0 < answers[0] <= answers[1] <= 1.0


def test_hundreds_of_segments__keep_all_probability():
    rng = np.random.default_rng(3)
    some = []
    for _ in range(2):
        times = np.cumsum(rng.exponential(5.0, 200))
        lost = rng.random(200) < 0.3
        lost[[0, -1]] = False
        some.append(naive.Side(tuple(None if gone else t for t, gone in zip(times, lost, strict=True))))
    counts = [
        lattice(*some, IntervalQuery(Quantifier("at least", k), "a", ("intersects",), SOME)) for k in (60, 75, 90)
    ]
    assert counts == sorted(counts, reverse=True)
    every = lattice(*some, IntervalQuery(EVERY, "a", ("precedes", "preceded by"), EVERY))
    some_intersect = lattice(*some, single("intersects"))
    assert every + some_intersect == pytest.approx(1.0, abs=1e-12)


@given(sides(), sides(), queries, st.floats(0.05, 1.0))
def test_threshold__ends_a_walk_only_where_it_is_missed(left, right, query, threshold):
    one, other = phases_of(sequences(left)), phases_of(sequences(right))
    exact, stopped = walk(one, other, query), walk(one, other, query, threshold)
    assert stopped == exact or (stopped == BELOW and exact < threshold)
    decided = walk(one, other, query, threshold, decide=True)
    assert (decided >= threshold - 1e-12) == (exact >= threshold - 1e-12)


@given(sides(), sides(), queries, st.integers(-3, 3), st.sampled_from([1e-6, 1.0, 1e9]))
def test_time__may_be_moved_and_stretched(left, right, query, shift, scale):
    def moved(side):
        times = tuple(None if t is None else (t + shift) * scale for t in side.times)
        return naive.Side(times, (side.lo + shift) * scale, (side.hi + shift) * scale)

    assert lattice(moved(left), moved(right), query) == pytest.approx(lattice(left, right, query), abs=1e-9)
