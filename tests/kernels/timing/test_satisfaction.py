"""Satisfaction times: definition 8, lemma 3, equation 7 and theorem 2 of paper 000, against the oracle."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import naive
from tests.agreement import events_of, shapes_of
from tests.strategies import GRID, MICRO, TERA, THRESHOLDS, shape_times
from whenabouts.kernels.probability import probability, shaped_at_most
from whenabouts.kernels.timing.probing import Table, shift_says
from whenabouts.kernels.timing.satisfaction import quantile, satisfaction_shifts

UNITS = st.sampled_from([MICRO, 0.125, 1.0, 1000.0, TERA])


def reach_of(x, y) -> Fraction:
    """How far Y - X can spread."""
    return sum(((last - first) for first, last in (naive.support(x), naive.support(y))), Fraction(0))


@given(UNITS, THRESHOLDS, st.data())
def test_quantile__is_the_least_room_that_reaches_the_confidence(unit, confidence, data):
    x, y = data.draw(shape_times(unit)), data.draw(shape_times(unit))
    z = quantile(shapes_of([x]), 0, shapes_of([y]), 0, confidence)
    near = Fraction(1, 10**9) * reach_of(x, y)
    assert naive.probability(x, y, None, Fraction(z) + near) >= Fraction(confidence) - Fraction(2, 10**12)
    if near:
        assert naive.probability(x, y, None, Fraction(z) - near) < Fraction(confidence)


@given(shape_times(), shape_times(), st.sampled_from([0.05, 0.2, 0.5, 0.8, 0.95]))
def test_quantile__equals_the_oracle_found_by_halving(x, y, confidence):
    """Not where the distribution of Y - X is flat at the confidence: there the threshold's tolerance decides."""
    room = naive.least_room(x, y, confidence)
    assume(naive.probability(x, y, None, room - Fraction(1, 10**6)) < Fraction(confidence) - Fraction(1, 10**10))
    assert quantile(shapes_of([x]), 0, shapes_of([y]), 0, confidence) == pytest.approx(float(room), abs=1e-6)


@pytest.mark.parametrize("points", [(0.1, 0.3, 0.7), (1e-3, 1 / 3, 1e3), (5.0, 5.0, 5.0)])
@pytest.mark.parametrize("confidence", [1e-6, 1 / 3, 0.5, 2 / 3, 1.0])
def test_quantile__of_two_pmfs_is_one_of_their_differences(points, confidence):
    """A jump, not a slope: also where the difference of two decimal fractions is itself rounded."""
    x, y = naive.pmf(points, [1, 1, 1]), naive.pmf(points[:2], [1, 1])
    z = quantile(shapes_of([x]), 0, shapes_of([y]), 0, confidence)
    gaps = np.array([b - a for a in points for b in points[:2]])
    assert np.min(np.abs(gaps - z)) <= 1e-12 * np.max(np.abs(gaps) + 1)
    expected = sorted(gaps)[int(np.ceil(confidence * len(gaps) - 1e-9)) - 1]
    assert z == pytest.approx(expected, abs=1e-12)


def test_quantile__searches_many_configurations():
    """Two histograms of 40 buckets: 1,600 differences of edges, more than fit into the first buffer."""
    draw = np.random.default_rng(40)
    x, y = (
        naive.histogram(sorted(draw.integers(0, 10_000, 41).tolist()), draw.integers(0, 5, 40).tolist())
        for _ in range(2)
    )
    x, y = ([piece for piece in time if piece[2] > 0] for time in (x, y))
    for confidence in (0.01, 0.37, 0.5, 0.99):
        z = quantile(shapes_of([x]), 0, shapes_of([y]), 0, confidence)
        assert float(naive.probability(x, y, None, z)) == pytest.approx(confidence, abs=1e-9)


@given(shape_times(), shape_times(), st.lists(THRESHOLDS, min_size=2, max_size=4))
def test_quantile__never_falls_as_more_confidence_is_asked(x, y, confidences):
    found = [quantile(shapes_of([x]), 0, shapes_of([y]), 0, c) for c in sorted(confidences)]
    assert found == sorted(found)


@given(shape_times(), shape_times(), st.lists(GRID, min_size=2, max_size=6))
def test_probability__never_falls_as_the_bound_moves_out(x, y, bounds):
    """Lemma 3, and strictly so where the probability is between 0 and 1 and the range has no hole there."""
    xs, ys = shapes_of([x]), shapes_of([y])
    values = [shaped_at_most(xs, 0, ys, 0, 0.0, float(z)) for z in sorted(bounds)]
    assert values == sorted(values)
    slid = [shaped_at_most(xs, 0, ys, 0, float(shift), 0.0) for shift in sorted(bounds)]
    assert slid == sorted(slid, reverse=True)


def test_probability__rises_strictly_where_buckets_overlap():
    """Lemma 3 as it is printed: for overlapping histograms every later deadline is more likely to be kept."""
    xs, ys = shapes_of([naive.interval(0, 7)]), shapes_of([naive.histogram([0, 4, 9], [1, 3])])
    values = [shaped_at_most(xs, 0, ys, 0, 0.0, float(z)) for z in np.linspace(-6.9, 8.9, 80)]
    assert all(a < b for a, b in pairwise(values))


@given(shape_times(), shape_times(), GRID, st.sampled_from([0.1, 0.5, 0.8, 1.0]))
def test_satisfaction_time__moves_with_its_histogram(x, y, by, confidence):
    """Equation 7: stime(H + x) = stime(H) + x, so the least room falls by as much."""
    here = quantile(shapes_of([x]), 0, shapes_of([y]), 0, confidence)
    there = quantile(shapes_of([naive.shifted(x, by)]), 0, shapes_of([y]), 0, confidence)
    assert there == pytest.approx(here - by, abs=1e-9)


@given(st.data(), st.sampled_from([0.1, 0.3, 0.5, 0.8, 1.0]))
def test_satisfaction_shifts__decide_as_theorem_2_says(data, confidence):
    """At most `most`, and at least `least`, exactly while the one-sided probability reaches the confidence."""
    xs = [data.draw(shape_times()) for _ in range(2)]
    ys = [data.draw(shape_times()) for _ in range(2)]
    low, high = sorted((data.draw(GRID), data.draw(GRID)))
    least, most = satisfaction_shifts(shapes_of(xs), shapes_of(ys), float(low), float(high), confidence)
    shift = data.draw(GRID)
    for u, x in enumerate(xs):
        for v, y in enumerate(ys):
            moved = naive.shifted(y, shift)
            for p, holds, limit in (
                (naive.probability(x, moved, None, high), shift <= most[u, v], most[u, v]),
                (naive.probability(x, moved, low, None), shift >= least[u, v], least[u, v]),
            ):
                if abs(p - Fraction(confidence)) > Fraction(1, 10**9) and abs(shift - limit) > 1e-9:
                    assert holds == (p >= Fraction(confidence))


def test_satisfaction_shifts__leave_an_open_end_open():
    xs = shapes_of([naive.interval(0, 3)])
    least, most = satisfaction_shifts(xs, xs, -np.inf, 1.0, 0.5)
    assert least[0, 0] == -np.inf
    assert np.isfinite(most[0, 0])
    least, most = satisfaction_shifts(xs, xs, -1.0, np.inf, 0.5)
    assert most[0, 0] == np.inf
    assert np.isfinite(least[0, 0])


def says(table, left, i, right, j, band):
    """What the table says of a pair."""
    u, v = left.shape[i], right.shape[j]
    reach = (left.latest[i] - left.earliest[i]) + (right.latest[j] - right.earliest[j])
    shift, size = right.anchor[j] - left.anchor[i], abs(left.latest[i]) + abs(right.latest[j])
    return shift_says(table.shifts[u, v, 0], table.shifts[u, v, 1], shift, reach, size, band)


@given(st.data(), st.sampled_from([0.1, 0.5, 0.8, 1.0]), st.booleans())
def test_shift_says__never_contradicts_the_probability(data, confidence, one_sided):
    x, y = data.draw(shape_times()), data.draw(shape_times())
    low, high = sorted((float(data.draw(GRID)), float(data.draw(GRID))))
    low = -np.inf if one_sided else low
    left, right = events_of([x], [data.draw(GRID)]), events_of([y], [data.draw(GRID)])
    table = Table.of(*satisfaction_shifts(left.shapes, right.shapes, low, high, confidence))
    verdict = says(table, left, 0, right, 0, high - low)
    p = probability(left, 0, right, 0, low, high)
    if verdict == 1:
        assert p >= confidence - 1e-12
    elif verdict == 0:
        assert p < confidence
    else:
        near_limit = min(
            abs(right.anchor[0] - left.anchor[0] - limit) for limit in (table.shifts[0, 0, 0], table.shifts[0, 0, 1])
        )
        assert near_limit < 1e-6 or reach_of(x, y) > high - low


def test_shift_says__leaves_open_what_can_stick_out_of_the_band_on_both_ends():
    """P(Z <= 2) and P(Z >= -2) are 0.68 each, but only 0.36 lies between: two yeses do not make one."""
    wide = events_of([naive.interval(0, 10)])
    table = Table.of(*satisfaction_shifts(wide.shapes, wide.shapes, -2.0, 2.0, 0.6))
    assert table.shifts[0, 0, 0] < 0 < table.shifts[0, 0, 1]
    assert probability(wide, 0, wide, 0, -2.0, 2.0) == pytest.approx(0.36)
    assert says(table, wide, 0, wide, 0, 4.0) == -1


def test_shift_says__decides_far_from_the_limits_without_arithmetic():
    x, y = naive.interval(0, 2), naive.interval(0, 4)
    left, right = events_of([x, x, x], [0, 0, 0]), events_of([y, y, y], [0, 50, 7])
    table = Table.of(*satisfaction_shifts(left.shapes, right.shapes, -10.0, 10.0, 0.5))
    assert [says(table, left, k, right, k, 20.0) for k in range(3)] == [1, 0, 1]


def test_satisfaction_shifts__are_where_the_confidence_is_reached_for_every_pair_of_templates():
    """Newton's steps run in a circle for the pair (227, 187): each entry is held to the probability itself."""
    from whenabouts.schema import histogram_shapes
    from whenabouts.testing import template_histograms

    first, second = (list(template_histograms(500, seed=seed).values()) for seed in (1, 2))
    xs = histogram_shapes([first[u].mirrored() for u in (227, *range(4))])
    ys = histogram_shapes([second[v].mirrored() for v in (187, *range(6))])
    for confidence in (0.8, 0.05, 1.0):
        least, most = satisfaction_shifts(xs, ys, -1500.0, 1500.0, confidence)
        for u, v in np.ndindex(least.shape):
            assert abs(shaped_at_most(xs, u, ys, v, 0.0, 1500.0 - most[u, v]) - confidence) < 1e-9
            assert abs(shaped_at_most(ys, v, xs, u, 0.0, least[u, v] + 1500.0) - confidence) < 1e-9
