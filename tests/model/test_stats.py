"""Stats: counts that add up."""

import pytest

import whenabouts as wa


def test_stats__start_at_zero_and_go_back_to_it():
    stats = wa.Stats()
    stats.add({"probed": 3, "buffer_max": 5})
    stats.strategy = "lazy"
    stats.clear()
    assert (stats.probed, stats.buffer_max, stats.strategy, stats.slices) == (0, 0, "", 0)


def test_stats__add_counts_and_keep_the_longest_buffer():
    stats = wa.Stats()
    stats.add({"probed": 3, "buffer_max": 5})
    stats.add({"probed": 4, "buffer_max": 2, "emitted": 1})
    assert (stats.probed, stats.buffer_max, stats.emitted) == (7, 5, 1)


def test_stats__count_what_was_never_looked_at():
    stats = wa.Stats()
    stats.add({"left_rows": 6, "right_rows": 7, "candidates": 12})
    assert stats.surely_no == 30


def test_buffer_mean__is_over_arrivals_and_zero_without_any():
    stats = wa.Stats()
    assert stats.buffer_mean == 0.0
    stats.add({"buffer_total": 9, "arrivals": 4})
    assert stats.buffer_mean == 2.25


def test_stats__that_wait_for_an_engine_are_fetched_once_they_are_there():
    stats = wa.Stats()
    answers = iter([None, {"emitted": 5}, {"emitted": 50}])
    stats.wait_for(lambda: next(answers))
    assert stats.emitted == 0
    assert stats.emitted == 5
    assert stats.emitted == 5


def test_stats__know_their_counts_and_no_others():
    with pytest.raises(AttributeError, match="Stats has no 'matches'; it counts left_rows"):
        _ = wa.Stats().matches


def test_stats__show_what_is_not_zero():
    stats = wa.Stats()
    stats.strategy, stats.slices = "sweep", 1
    stats.add({"left_rows": 2000, "right_rows": 3, "candidates": 10, "emitted": 0})
    assert repr(stats) == (
        "Stats(strategy='sweep', slices=1, left_rows=2,000, right_rows=3, candidates=10, surely_no=5,990)"
    )
