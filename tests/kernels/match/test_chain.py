"""The confidence of a chain and its valid ranges, against possible worlds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive_match as naive
from tests.match_cases import counted, kernel_events, plain_times, sequence, shaped_times
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.ranges import valid_ranges
from whenabouts.kernels.match.times import make_grid, most_pieces

EXACT = 1e-9


def judged(times, window, discrete):
    """What the worlds say of the events taken in their order, or None."""
    events = [naive.Event(k, pieces, str(k)) for k, pieces in enumerate(times)]
    worlds = naive.discrete if discrete else naive.continuous
    return worlds(events, sequence(len(times), window)).get(tuple(range(len(times))))


def computed(times, window, discrete):
    events = kernel_events(times, discrete)
    match = np.arange(len(times))
    lower, upper = np.zeros(len(times)), np.zeros(len(times))
    if not valid_ranges(events, match, len(times), float(window), discrete, lower, upper):
        return None
    grid = make_grid(len(times), most_pieces(events))
    return lower[0], upper[-1], confidence(events, match, float(window), discrete, grid)


def check(times, window, discrete):
    expected, got = judged(times, window, discrete), computed(times, window, discrete)
    if expected is None:
        assert got is None
        return
    assert got is not None
    assert got[:2] == (expected.earliest, expected.latest)
    assert abs(got[2] - expected.confidence) <= EXACT


@pytest.mark.parametrize("discrete", [False, True])
@given(data=st.data())
@settings(deadline=None)
def test_confidence__is_that_of_the_worlds_for_intervals_and_points(discrete, data):
    times = data.draw(st.lists(plain_times(), min_size=1, max_size=4))
    check(times, data.draw(st.integers(1, 9)), discrete)


@pytest.mark.parametrize("discrete", [False, True])
@given(data=st.data())
@settings(deadline=None)
def test_confidence__is_that_of_the_worlds_for_histograms_and_pmfs(discrete, data):
    times = data.draw(st.lists(shaped_times(), min_size=2, max_size=3))
    check([counted(one) for one in times] if discrete else times, data.draw(st.integers(1, 9)), discrete)


@pytest.mark.parametrize("window", [5, 6, 7])
def test_confidence__of_five_overlapping_events_in_ticks(window):
    times = [((Fraction(lo), Fraction(hi), Fraction(1)),) for lo, hi in ((0, 4), (1, 5), (0, 5), (2, 6), (3, 7))]
    check(times, window, True)
