"""The counts of a run add up, whatever the strategy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests.strategies import questions, random_knobs, random_rows, side_of
from whenabouts.ops.timing.question import STRATEGIES


@given(questions(), st.sampled_from(STRATEGIES), st.booleans(), st.booleans())
def test_stats__add_up(question, strategy, measure, by):
    stats = wa.Stats()
    result = wa.timing_join(
        question.left.events(), question.right.events(), question.predicate, min_confidence=0.4,
        strategy=strategy, confidence=measure, by="key" if by else None, stats=stats, block_size=2,
    )  # fmt: skip
    known = [sum(not by or key is not None for key in side.keys) for side in (question.left, question.right)]
    assert (stats.left_rows, stats.right_rows) == tuple(known)
    assert (stats.strategy, stats.slices, stats.rejected) == (strategy, 1, 0)
    assert stats.emitted == len(result)
    assert stats.candidates == stats.surely_yes + stats.probed
    assert stats.surely_yes <= stats.emitted <= stats.candidates
    assert stats.computed <= stats.probed
    assert stats.lookup_hits <= stats.probed
    assert stats.surely_no == stats.left_rows * stats.right_rows - stats.candidates >= 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_stats__are_of_the_last_run_only(strategy):
    side = side_of("between", random_rows(3, 20), random_knobs(3))
    stats = wa.Stats()
    runs = []
    for _ in range(2):
        wa.timing_join(
            side.events(), side.events(), wa.within(3), min_confidence=0.5, strategy=strategy, stats=stats, threads=1
        )
        runs.append(repr(stats))
    assert runs[0] == runs[1]
    assert stats.emitted > 0


def test_stats__without_the_confidence_show_less_arithmetic():
    side = side_of("between", random_rows(3, 60, spread=200), random_knobs(3))
    work = []
    for measure in (True, False):
        stats = wa.Stats()
        wa.timing_join(side.events(), side.events(), wa.within(60), min_confidence=0.5, confidence=measure, stats=stats)
        work.append(stats)
    assert work[0].emitted == work[1].emitted
    assert work[0].computed > work[1].computed
    assert work[0].surely_yes < work[1].surely_yes


@pytest.mark.parametrize("strategy", ["simple", "sorted", "eager", "lazy", "lookup", "partition"])
def test_stats__of_a_stream_algorithm_count_arrivals_and_buffers(strategy):
    side = side_of("between", random_rows(3, 25), random_knobs(3))
    stats = wa.Stats()
    wa.timing_join(side.events(), side.events(), wa.within(3), min_confidence=0.5, strategy=strategy, stats=stats)
    assert stats.arrivals == 50
    assert 0 < stats.buffer_mean <= stats.buffer_max <= 50
