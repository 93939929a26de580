"""The oracle is held to something simpler than itself: listed worlds, drawn worlds, and known answers."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.strategies import GRID, shape_times

BOUNDS = st.none() | GRID


@st.composite
def pmfs(draw) -> naive.Time:
    points = draw(st.lists(GRID, min_size=1, max_size=5))
    return naive.pmf(points, draw(st.lists(st.integers(1, 9), min_size=len(points), max_size=len(points))))


@given(pmfs(), pmfs(), BOUNDS, BOUNDS)
def test_oracle__equals_the_listed_worlds_of_two_pmfs(x, y, low, high):
    assert naive.probability(x, y, low, high) == naive.probability_over_worlds(x, y, low, high)


@given(shape_times(), shape_times(), BOUNDS, BOUNDS)
def test_oracle__is_the_same_seen_from_the_other_side(x, y, low, high):
    backwards = [None if end is None else -end for end in (high, low)]
    assert naive.probability(x, y, low, high) == naive.probability(y, x, *backwards)


@given(shape_times(), shape_times(), GRID, st.fractions(-3, 3, max_denominator=4))
def test_oracle__does_not_change_when_a_piece_is_cut_in_two(x, y, high, share):
    share = abs(share) / 4
    cut = []
    for lo, hi, mass in x:
        middle = lo + share * (hi - lo)
        cut += [(lo, middle, mass * share), (middle, hi, mass * (1 - share))] if 0 < share < 1 else [(lo, hi, mass)]
    assert naive.probability(cut, y, None, high) == naive.probability(x, y, None, high)


@given(shape_times(), shape_times(), GRID, GRID)
def test_oracle__adds_up_over_neighbouring_bands(x, y, low, length):
    high = low + abs(length)
    points_there = naive.probability(x, y, high, high)
    parts = naive.probability(x, y, None, high) + naive.probability(x, y, high, None) - points_there
    assert parts == 1
    inner = naive.probability(x, y, low, high) + naive.probability(x, y, high, None) - points_there
    assert inner == naive.probability(x, y, low, None)


@pytest.mark.parametrize(
    ("x", "y", "low", "high", "p"),
    [
        (naive.point(3), naive.point(5), -2, 2, 1),
        (naive.point(3), naive.point(5), -1, 1, 0),
        (naive.interval(0, 10), naive.interval(10, 20), -10, 10, Fraction(1, 2)),
        (naive.interval(0, 1), naive.interval(0, 1), None, 0, Fraction(1, 2)),
        (naive.interval(0, 4), naive.point(1), None, 0, Fraction(3, 4)),
        (naive.interval(0, 2), naive.interval(0, 2), -1, 1, Fraction(3, 4)),
        (naive.pmf([0, 2], [1, 3]), naive.interval(0, 4), None, 0, Fraction(3, 8)),
    ],
)
def test_oracle__knows_answers_that_can_be_done_by_hand(x, y, low, high, p):
    assert naive.probability(x, y, low, high) == p


def test_oracle__is_near_the_share_of_worlds_drawn_at_random():
    draw = random.Random(20060806)

    def sample(time):
        lo, hi, _ = draw.choices(time, weights=[float(mass) for _, _, mass in time])[0]
        return draw.uniform(float(lo), float(hi))

    cases = [
        (naive.histogram([0, 2, 3, 9], [1, 0, 2]), naive.interval(1, 5), -2, 2),
        (naive.pmf([0, 4], [1, 2]), naive.histogram([0, 1, 8], [3, 1]), None, 1),
        (naive.interval(0, 1), naive.interval(-100, 100), 3, None),
    ]
    for x, y, low, high in cases:
        worlds = [sample(y) - sample(x) for _ in range(20_000)]
        drawn = sum((low is None or low <= z) and (high is None or z <= high) for z in worlds) / len(worlds)
        assert drawn == pytest.approx(float(naive.probability(x, y, low, high)), abs=0.02)


@given(shape_times(), shape_times(), st.fractions(Fraction(1, 20), 1))
def test_least_room__is_where_the_probability_reaches_the_confidence(x, y, confidence):
    z = naive.least_room(x, y, confidence)
    assert naive.probability(x, y, None, z) >= confidence
    assert naive.probability(x, y, None, z - Fraction(1, 10**9)) < confidence


def test_join__pairs_equal_keys_and_leaves_missing_ones_alone():
    times = [naive.point(0), naive.point(1), naive.point(2)]
    keys = ["a", None, "b"]
    assert naive.join(times, times, None, None, 1, by=(keys, keys)) == {(0, 0): 1, (2, 2): 1}
    assert naive.join(times, times, -1, 1, 1).keys() == naive.band_join([0, 1, 2], [0, 1, 2], -1, 1)


def test_no_later__compares_whole_distributions_and_not_only_their_ends():
    assert naive.no_later(naive.interval(0, 2), naive.interval(1, 2))
    assert not naive.no_later(naive.interval(1, 2), naive.interval(0, 2))
    assert naive.no_later(naive.point(1), naive.point(1))
    crossing = naive.histogram([0, 1, 3], [1, 9])
    assert not naive.no_later(crossing, naive.interval(0, 3))
    assert naive.no_later(naive.interval(0, 3), crossing)
