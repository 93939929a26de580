"""Whole ticks that lie too far apart for the offsets of one float: nanoseconds over years must not melt together."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive
from tests.agreement import assert_agrees, pairs_of
from tests.ops.timing.test_probing import planned
from tests.strategies import Side
from whenabouts.ops.timing import join as operator
from whenabouts.ops.timing.prepare import prepare
from whenabouts.ops.timing.question import STRATEGIES
from whenabouts.ops.timing.spans import spans

YEAR = 365 * 86400 * 10**9
ODD = 12_345
EPOCHS = [0, YEAR + ODD, 30 * YEAR + ODD, 130 * YEAR + ODD]


@pytest.mark.parametrize("epoch", EPOCHS[1:])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nanoseconds__are_told_apart_years_after_the_first_event(epoch, strategy):
    """A float has no digits for single nanoseconds after 2**53 of them, which are 104 days."""
    one, other = [0, epoch, epoch + 3], [1, epoch + 1, epoch + 2, epoch + 5]
    left, right = (
        wa.events(pa.table({"id": range(len(t)), "t": pa.array(t, pa.timestamp("ns"))}), id="id", time=wa.at("t"))
        for t in (one, other)
    )
    for d in (0, 1, 2):
        result = wa.timing_join(left, right, wa.within(f"{d}ns"), min_confidence=1.0, strategy=strategy)
        assert set(pairs_of(result)) == naive.band_join(one, other, -d, d)


@st.composite
def scattered(draw, shaped: bool) -> Side:
    """Integer times of a few ticks' width, around epochs that are years apart."""
    rows = draw(
        st.lists(st.tuples(st.sampled_from(EPOCHS), st.integers(-6, 6), st.integers(0, 5)), min_size=1, max_size=6)
    )
    keys = draw(st.lists(st.sampled_from(["a", "b", None]), min_size=len(rows), max_size=len(rows)))
    head = {"id": range(len(rows)), "key": pa.array(keys, pa.string())}
    if shaped:
        points = [[epoch + t, epoch + t + width] for epoch, t, width in rows]
        table = pa.table({**head, "points": points, "mass": [[0.25, 0.75]] * len(rows)})
        return Side(table, wa.pmf("points", "mass"), [naive.pmf(p, [1, 3]) for p in points], keys)
    ends = [(epoch + t, epoch + t + width) for epoch, t, width in rows]
    table = pa.table({**head, "lo": [lo for lo, _ in ends], "hi": [hi for _, hi in ends]})
    return Side(table, wa.between("lo", "hi"), [naive.interval(*e) for e in ends], keys)


@given(st.data(), st.sampled_from(STRATEGIES), st.booleans(), st.booleans())
def test_spans__of_far_epochs_agree_with_the_oracle(data, strategy, measure, by):
    left, right = (data.draw(scattered(data.draw(st.booleans()))) for _ in range(2))
    d = data.draw(st.sampled_from([0, 1, 4, 100]))
    predicate, low, high = data.draw(
        st.sampled_from([(wa.within(d), -d, d), (wa.deadline(-d), None, -d), (wa.delay(d), d, None)])
    )
    exact = naive.probabilities(left.times, right.times, low, high, (left.keys, right.keys) if by else None)
    threshold = data.draw(st.sampled_from([0.25, 0.5, 1.0]))
    stats = wa.Stats()
    result = wa.timing_join(
        left.events(), right.events(), predicate, min_confidence=threshold, strategy=strategy, confidence=measure,
        by="key" if by else None, block_size=2, stats=stats,
    )  # fmt: skip
    assert_agrees(pairs_of(result), exact, threshold)
    assert stats.emitted == len(result)
    assert stats.candidates == stats.surely_yes + stats.probed


def test_spans__are_one_while_offsets_are_exact():
    """Whole seconds are exact for ages, though counted in nanoseconds; odd ones need an origin of their own."""
    for more, count in ((0, 1), (1, 3)):
        ticks = [0, 5 * YEAR + more, 9 * YEAR + more]
        side = Side(pa.table({"id": [0, 1, 2], "t": ticks}), wa.at("t"), [], [])
        prepared = prepare(planned(side, side, -1.0, 1.0, 0.5, True), side.table, side.table)
        assert len(spans(prepared)) == count


def test_spans__look_only_at_what_the_band_can_reach():
    side = Side(pa.table({"id": range(40), "t": [k * YEAR + k for k in range(40)]}), wa.at("t"), [], [])
    prepared = prepare(planned(side, side, -1.0, 1.0, 0.5, True), side.table, side.table)
    assert [(len(one.left.rows), len(one.right.rows)) for one in spans(prepared)] == [(1, 1)] * 40
    assert sum(len(batch) for batch in operator.execute(prepared)) == 40


def test_ends__that_floats_cannot_hold_far_from_the_origin_are_counted_from_a_nearer_one():
    moments = pa.array([np.datetime64("2000-01-01", "ns"), np.datetime64("2024-06-01", "ns")])
    side = wa.events(pa.table({"id": [1, 2], "t": moments}), id="id", time=wa.around("t", "777001ns"))
    found = wa.timing_join(side, side, wa.within("100us"), min_confidence=1e-9)["confidence"].to_pylist()
    assert found == pytest.approx([1 - (1 - 100_000 / 1_554_002) ** 2] * 2, abs=1e-12)
