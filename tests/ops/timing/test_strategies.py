"""Every strategy gives the pairs of the oracle: for every model against every model, and whatever Hypothesis finds."""

import itertools
import zlib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive
from tests.agreement import assert_agrees, pairs_of
from tests.strategies import (
    MODELS,
    questions,
    random_knobs,
    random_rows,
    side_of,
    thresholds,
    uneven_questions,
)
from whenabouts.ops.timing.question import STRATEGIES

PREDICATES = [(wa.within(4), -4, 4), (wa.deadline(2), None, 2), (wa.delay(-1), -1, None)]


@pytest.mark.parametrize(("one", "other"), list(itertools.product(MODELS, MODELS)))
def test_strategies__agree_with_the_oracle_for_every_two_models(one, other):
    seed = zlib.crc32(f"{one} {other}".encode())
    left = side_of(one, random_rows(seed, 7), random_knobs(seed))
    right = side_of(other, random_rows(seed + 1, 8), random_knobs(seed + 1))
    for predicate, low, high in PREDICATES:
        exact = naive.probabilities(left.times, right.times, low, high)
        middle = sorted(exact.values())[len(exact) // 2]
        threshold = float(middle) if middle > 0 else 0.5
        for strategy, measure in itertools.product(STRATEGIES, (True, False)):
            result = wa.timing_join(
                left.events(), right.events(), predicate, min_confidence=threshold,
                strategy=strategy, confidence=measure, block_size=3,
            )  # fmt: skip
            assert_agrees(pairs_of(result), exact, threshold)


@given(questions(), st.sampled_from(STRATEGIES), st.data())
def test_strategies__agree_with_the_oracle_on_any_question(question, strategy, data):
    by = data.draw(st.booleans(), label="by key")
    keys = (question.left.keys, question.right.keys) if by else None
    exact = naive.probabilities(question.left.times, question.right.times, question.low, question.high, keys)
    threshold = data.draw(thresholds(exact.values()), label="threshold")
    result = wa.timing_join(
        question.left.events(max_delay=data.draw(st.sampled_from([None, 3]))),
        question.right.events(),
        question.predicate,
        min_confidence=threshold,
        by="key" if by else None,
        confidence=data.draw(st.booleans(), label="confidence"),
        strategy=strategy,
        block_size=data.draw(st.sampled_from([1, 2, 3, 1000]), label="block size"),
        every=data.draw(st.sampled_from([None, 0, 1.5, 6]), label="every"),
    )
    assert_agrees(pairs_of(result), exact, threshold)


@given(uneven_questions(), st.sampled_from(STRATEGIES), st.booleans(), st.data())
def test_strategies__agree_with_the_oracle_from_a_microsecond_to_years(question, strategy, measure, data):
    exact = naive.probabilities(question.left.times, question.right.times, question.low, question.high)
    threshold = data.draw(thresholds(exact.values()), label="threshold")
    result = wa.timing_join(
        question.left.events(), question.right.events(), question.predicate,
        min_confidence=threshold, confidence=measure, strategy=strategy, block_size=2,
    )  # fmt: skip
    assert_agrees(pairs_of(result), exact, threshold)


@given(questions(), st.data())
def test_strategies__give_the_same_answer_from_the_other_side(question, data):
    """|X - Y| <= d is symmetric, and X + d >= Y is Y - d <= X: swapping the sides swaps the pairs."""
    mirrored = {"within": wa.within, "deadline": wa.delay, "delay": wa.deadline}[question.predicate.kind]
    length = float(question.predicate.length.amount)
    other_way = mirrored(length if question.predicate.kind == "within" else -length)
    options = {"min_confidence": 0.25, "strategy": data.draw(st.sampled_from(STRATEGIES))}
    there = pairs_of(wa.timing_join(question.left.events(), question.right.events(), question.predicate, **options))
    back = pairs_of(wa.timing_join(question.right.events(), question.left.events(), other_way, **options))
    assert {(i, j): pytest.approx(p, abs=1e-9) for (j, i), p in back.items()} == there


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies__count_a_probability_that_equals_the_threshold(strategy):
    """1/3 has no binary digits to equal; the tolerance makes it count, and 1e-9 more is another threshold."""
    point = wa.events(pa.table({"id": [1], "t": [0]}), id="id", time=wa.at("t"))
    interval = wa.events(pa.table({"id": [1], "lo": [0], "hi": [3]}), id="id", time=wa.between("lo", "hi"))
    assert len(wa.timing_join(point, interval, wa.within(1), min_confidence=1 / 3, strategy=strategy)) == 1
    assert len(wa.timing_join(point, interval, wa.within(1), min_confidence=1 / 3 + 1e-9, strategy=strategy)) == 0


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("threshold", [1e-9, 1e-12, 1e-15, 5e-324])
@pytest.mark.parametrize("right", ["between", "pmf", "detected_by"])
def test_strategies__never_emit_an_impossible_pair_however_low_the_threshold(strategy, threshold, right):
    left = side_of("between", random_rows(5, 6), random_knobs(5))
    other = side_of(right, random_rows(6, 6), random_knobs(6))
    exact = naive.probabilities(left.times, other.times, -2, 2)
    assert 0 in exact.values()
    for measure in (True, False):
        result = wa.timing_join(
            left.events(), other.events(), wa.within(2),
            min_confidence=threshold, strategy=strategy, confidence=measure, block_size=2,
        )  # fmt: skip
        assert set(pairs_of(result)) == {pair for pair, p in exact.items() if p > 0}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("one", "unit"), [("detected", 1 / 3), ("detected_by", 1e-3)])
def test_strategies__agree_with_each_other_where_rounding_has_taken_a_tie(seed, one, unit):
    """Epochs of 1.7e9 seconds have digits down to 2e-7: ends that meant to tie do not, and all must see it alike."""
    left = side_of(one, random_rows(seed, 30, unit=unit, spread=40, offset=1.7e9), random_knobs(seed, unit=unit))
    right = side_of("pmf", random_rows(seed + 1, 30, unit=unit, spread=40, offset=1.7e9), random_knobs(seed))
    for threshold, d in itertools.product((1.0, 0.5), (3 * unit, 7 * unit)):
        answers = {}
        for strategy, measure in itertools.product(STRATEGIES, (True, False)):
            result = wa.timing_join(
                left.events(), right.events(), wa.within(d), min_confidence=threshold,
                strategy=strategy, confidence=measure, block_size=7,
            )  # fmt: skip
            answers[strategy, measure] = set(pairs_of(result))
        plain = answers["simple", True]
        assert not {how: pairs ^ plain for how, pairs in answers.items() if pairs != plain}
