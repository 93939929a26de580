"""The stream algorithms, event by event: arrivals out of order, honest delays, and buffers that forget."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive
from tests.agreement import assert_agrees
from tests.ops.timing.test_probing import planned
from tests.strategies import Side, questions, thresholds
from whenabouts.ops.timing.prepare import prepare
from whenabouts.ops.timing.strategies import ALGORITHMS, arrivals_by, correlate


def arrived(left, right, low, high, threshold, delays, most_delay, **options):
    """The pairs, and the counts, when each row arrives so much after its latest time."""
    join = planned(
        left, right, -np.inf if low is None else float(low), np.inf if high is None else float(high),
        threshold, options.pop("measure", True), delays=(float(most_delay), float(most_delay)), **options,
    )  # fmt: skip
    prepared = prepare(join, left.table, right.table)
    one, other = prepared.left, prepared.right
    times = [side.events.latest + np.array(delay)[side.rows] for side, delay in zip((one, other), delays, strict=True)]
    pairs, counts = correlate(prepared, *arrivals_by(*times))
    ids = list(zip(one.rows[pairs.left].tolist(), other.rows[pairs.right].tolist(), strict=True))
    found = dict(zip(ids, pairs.confidence.tolist() if join.measure else [None] * len(ids), strict=True))
    assert len(found) == len(ids), "a pair came out twice"
    return found, counts


@pytest.mark.parametrize("strategy", ALGORITHMS)
@given(questions(), st.data())
def test_arrivals__out_of_order_lose_no_pair_while_delays_are_honest(strategy, question, data):
    exact = naive.probabilities(question.left.times, question.right.times, question.low, question.high)
    threshold = data.draw(thresholds(exact.values()), label="threshold")
    steps = st.sampled_from([0, 0.5, 1, 4, 30])
    delays = [[data.draw(steps) for _ in side.times] for side in (question.left, question.right)]
    most = max(map(max, delays)) * data.draw(st.sampled_from([1, 3]), label="how much more is declared")
    found, _ = arrived(
        question.left, question.right, question.low, question.high, threshold, delays, most,
        strategy=strategy, measure=data.draw(st.booleans(), label="measure"),
        block_size=data.draw(st.sampled_from([1, 2, 5, 1000]), label="block size"),
        every=data.draw(st.sampled_from([np.inf, 0.0, 2.0, 9.0]), label="every"),
    )  # fmt: skip
    assert_agrees(found, exact, threshold)


def long_streams(count: int = 600) -> list[Side]:
    """Two streams of intervals, an event a tick, each up to 6 ticks wide."""
    draw = np.random.default_rng(1)
    sides = []
    for _ in range(2):
        lo = np.arange(count, dtype=np.int64) + draw.integers(0, 4, count)
        hi = lo + draw.integers(0, 7, count)
        table = pa.table({"id": np.arange(count), "lo": lo, "hi": hi})
        times = [naive.interval(int(a), int(b)) for a, b in zip(lo, hi, strict=True)]
        sides.append(Side(table, wa.between("lo", "hi"), times, [None] * count))
    return sides


@pytest.mark.parametrize("strategy", ALGORITHMS)
def test_buffers__forget_what_no_later_arrival_can_join(strategy):
    """Theorem 4: a window of 10 ticks and delays of up to 5 keep some 60 of 1,200 events, whatever the strategy."""
    left, right = long_streams()
    draw = np.random.default_rng(2)
    delays = [draw.integers(0, 6, 600), draw.integers(0, 6, 600)]
    found, counts = arrived(left, right, -10, 10, 0.5, delays, 5, strategy=strategy, block_size=10)
    exact = naive.probabilities(left.times[:60], right.times[:60], -10, 10)
    assert_agrees({pair: p for pair, p in found.items() if max(pair) < 60}, exact, 0.5)
    assert counts["arrivals"] == 1200
    assert counts["buffer_max"] < 120
    assert counts["buffer_total"] / counts["arrivals"] <= counts["buffer_max"]


@pytest.mark.parametrize("strategy", ALGORITHMS)
def test_buffers__keep_more_when_longer_delays_are_declared(strategy):
    left, right = long_streams()
    none = [np.zeros(600), np.zeros(600)]
    runs = [
        arrived(left, right, -10, 10, 0.5, none, most, strategy=strategy, block_size=10) for most in (0, 50, 10_000)
    ]
    assert runs[0][0].keys() == runs[1][0].keys() == runs[2][0].keys()
    longest = [counts["buffer_max"] for _, counts in runs]
    assert longest[0] < longest[1] < longest[2] == 1200


@pytest.mark.parametrize("strategy", ALGORITHMS)
def test_buffers__of_a_dishonest_stream_have_forgotten_the_partner(strategy):
    """The reason for D: an event that is later than its stream declares finds its partner gone."""
    left, right = long_streams()
    delays = [np.zeros(600), np.zeros(600)]
    delays[0][100] = 400
    honest, _ = arrived(left, right, -10, 10, 0.5, delays, 400, strategy=strategy, block_size=1)
    dishonest, _ = arrived(left, right, -10, 10, 0.5, delays, 0, strategy=strategy, block_size=1)
    assert any(i == 100 for i, _ in honest)
    assert not any(i == 100 for i, _ in dishonest)
    assert {pair for pair in honest if pair[0] != 100} == set(dishonest)


def test_lookup__reuses_verdicts_and_gives_the_pairs_of_lazy():
    left, right = long_streams()
    delays = [np.zeros(600), np.zeros(600)]
    options = {"block_size": 100, "measure": False}
    lazy, plain = arrived(left, right, -10, 10, 0.5, delays, 0, strategy="lazy", **options)
    lookup, reused = arrived(left, right, -10, 10, 0.5, delays, 0, strategy="lookup", **options)
    assert lazy.keys() == lookup.keys()
    assert plain["lookup_hits"] == 0 < reused["lookup_hits"]
    assert reused["computed"] == plain["computed"] - reused["lookup_hits"]


def test_eager__looks_at_fewer_pairs_than_simple_and_computes_fewer_still():
    left, right = long_streams()
    delays = [np.zeros(600), np.zeros(600)]
    work = {
        strategy: arrived(left, right, -30, 30, 0.5, delays, 20, strategy=strategy, measure=False)[1]
        for strategy in ("simple", "eager")
    }
    assert work["eager"]["candidates"] < work["simple"]["candidates"]
    assert work["eager"]["computed"] < work["simple"]["computed"] / 3
    assert work["eager"]["emitted"] == work["simple"]["emitted"]


def test_arrivals_by__lets_the_left_one_come_first_of_two_at_once():
    order, now = arrivals_by(np.array([2.0, 1.0]), np.array([1.0, 3.0]))
    assert order.tolist() == [1, ~0, 0, ~1]
    assert now.tolist() == [1.0, 1.0, 2.0, 3.0]
