"""The two baselines of section 4.2."""

import math

from tests import naive_intervals as naive
from tests.interval_strategies import sequences
from whenabouts.kernels.intervals.baselines import filling_in, ignoring

WORKED_EXAMPLE = naive.Side((480, None, 484, 492, 500, None))
"""Minutes after midnight: 8:00, lost, 8:04, 8:12, 8:20, lost."""


def test_ignore__merges_and_drops_segments_as_in_the_worked_example():
    assert ignoring(sequences(WORKED_EXAMPLE)).time.tolist() == [480, 492]


def test_static__puts_ends_at_the_mean_duration_but_not_past_the_next_event():
    """The text prints 8:08 for the first of them, after the next recorded event; by its own rule it is 8:04."""
    assert filling_in(sequences(WORKED_EXAMPLE)).time.tolist() == [480, 484, 484, 492, 500, 508]


def test_static__mirrors_the_rule_for_a_lost_start():
    assert filling_in(sequences(naive.Side((0, 4, None, 20)))).time.tolist() == [0, 4, 16, 20]


def test_static__drops_segments_of_which_nothing_is_known():
    assert filling_in(sequences(naive.Side((0, 4, None, None, 8, 12)))).time.tolist() == [0, 4, 8, 12]


def test_static__never_lets_segments_cross():
    made = filling_in(sequences(naive.Side((0, 8, 10, None, None, 12)))).time.tolist()
    assert made == sorted(made)
    assert not any(map(math.isnan, made))


def test_ignore__may_leave_nothing():
    made = ignoring(sequences(naive.Side((None, 3)), naive.Side((1, 2))))
    assert made.start.tolist() == [0, 0, 2]
