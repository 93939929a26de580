"""One pair of histograms: `wa.probability` and `wa.satisfaction_time`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive
from tests.strategies import predicates
from whenabouts.errors import BadArgument


@st.composite
def histograms(draw):
    """(Histogram, the same as an exact time), with points and empty buckets."""
    edges = [float(e) for e in sorted(draw(st.lists(st.integers(-9, 9), min_size=2, max_size=5)))]
    weights = draw(st.lists(st.integers(0, 4), min_size=len(edges) - 1, max_size=len(edges) - 1).filter(any))
    mass = [weight / sum(weights) for weight in weights]
    return wa.Histogram(edges, mass), naive.histogram(edges, mass)


@given(histograms(), histograms(), predicates(1))
def test_probability__equals_the_oracle(x, y, asked):
    predicate, low, high = asked
    exact = naive.probability(x[1], y[1], low, high)
    assert wa.probability(x[0], y[0], predicate) == pytest.approx(float(exact), abs=1e-12)


@given(histograms(), histograms(), st.sampled_from([0.05, 0.3, 0.5, 0.8, 1.0]), st.integers(-5, 5))
def test_satisfaction_time__is_how_late_y_may_be(x, y, confidence, d):
    """Theorem 2: while max(y) <= stime + d the deadline d holds with the confidence; beyond, it does not."""
    latest = wa.satisfaction_time(x[0], y[0], confidence) + d
    for by in (-1e-3, 1e-3):
        moved = naive.shifted(y[1], naive.Fraction(latest + by) - naive.Fraction(y[0].span[1]))
        holds = naive.probability(x[1], moved, None, d) >= naive.Fraction(confidence) - naive.Fraction(2, 10**12)
        assert holds == (by < 0)


@given(histograms(), histograms(), st.sampled_from([0.05, 0.35, 0.8]))
def test_satisfaction_time__equals_the_oracle_found_by_halving(x, y, confidence):
    """Up to a flat stretch of the distribution that happens to lie at the confidence."""
    exact = naive.stime(x[1], y[1], confidence)
    got = wa.satisfaction_time(x[0], y[0], confidence)
    if got != pytest.approx(float(exact), abs=1e-6):
        between = [
            naive.Fraction(y[0].span[1]) - (exact * share + naive.Fraction(got) * (1 - share)) for share in (0, 1)
        ]
        ends = [naive.probability(x[1], y[1], None, z) for z in between]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9)


@pytest.mark.parametrize("length", ["500ms", 0.5])
def test_pair__counts_edges_in_seconds_where_the_predicate_has_a_unit(length):
    unit = wa.Histogram([0, 1], [1])
    assert wa.probability(unit, unit, wa.within(length)) == pytest.approx(0.75, abs=1e-12)


def test_satisfaction_time__needs_a_confidence():
    unit = wa.Histogram([0, 1], [1])
    with pytest.raises(BadArgument, match=r"in \(0, 1\], not 0"):
        wa.satisfaction_time(unit, unit, 0)
