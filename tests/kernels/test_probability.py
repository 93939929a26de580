"""The closed form against the oracle: intervals, shapes, points, and widths from 1e-6 to 1e12 in one pair."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.agreement import EXACT, events_of, shapes_of
from tests.strategies import GRID, MICRO, TERA, interval_pairs, shape_times
from whenabouts.kernels.events import uniform_events, with_shapes
from whenabouts.kernels.probability import (
    probability,
    shaped_at_most,
    shaped_below,
    uniform_at_most,
    uniform_below,
)
from whenabouts.kernels.timing.probing import uniform_probabilities

UNITS = st.sampled_from([MICRO, 0.125, 1.0, 1000.0, TERA])


@given(interval_pairs())
def test_uniform_at_most__equals_the_oracle_for_any_two_intervals(pair):
    x1, x2, y1, y2, z = pair
    exact = naive.probability(naive.interval(x1, x2), naive.interval(y1, y2), None, z)
    assert uniform_at_most(*pair) == pytest.approx(float(exact), abs=EXACT)


@given(interval_pairs())
def test_uniform_below__is_what_remains_of_the_oracle_from_there_on(pair):
    x1, x2, y1, y2, z = pair
    exact = 1 - naive.probability(naive.interval(x1, x2), naive.interval(y1, y2), z, None)
    assert uniform_below(*pair) == pytest.approx(float(exact), abs=EXACT)


@given(interval_pairs())
def test_uniform_probability__of_one_order_and_of_the_other_make_one(pair):
    x1, x2, y1, y2, z = pair
    assert uniform_at_most(x1, x2, y1, y2, z) + uniform_below(y1, y2, x1, x2, -z) == pytest.approx(1.0, abs=1e-14)


LEMMA_1 = {
    "1 (i surely first)": ((0, 4), (4, 9), 0.0),
    "2 (i surely last)": ((9, 12), (4, 9), 1.0),
    "3 (i starts and ends first)": ((0, 6), (4, 9), (6 - 4) ** 2 / (2 * 6 * 5)),
    "4 (i covers j)": ((0, 12), (4, 9), (2 * 12 - 4 - 9) / (2 * 12)),
    "5 (i starts and ends last)": ((6, 12), (4, 9), 1 - (9 - 6) ** 2 / (2 * 6 * 5)),
    "6 (j covers i)": ((5, 8), (4, 9), (8 - 2 * 4 + 5) / (2 * 5)),
}


@pytest.mark.parametrize(("i", "j", "expected"), LEMMA_1.values(), ids=LEMMA_1)
def test_uniform_at_most__is_lemma_1(i, j, expected):
    """P(X_i >= X_j), paper 000; case 5 with (j2 - i1)^2, where the paper's print has lost the i."""
    assert uniform_at_most(*map(float, (*i, *j)), 0.0) == pytest.approx(expected, abs=1e-15)
    assert float(naive.probability(naive.interval(*i), naive.interval(*j), None, 0)) == pytest.approx(
        expected, abs=1e-15
    )


@pytest.mark.parametrize("z", [-1.0, 0.0, 1.0])
def test_uniform_at_most__and_below_differ_only_where_two_points_meet(z):
    assert uniform_at_most(5.0, 5.0, 5.0 + z, 5.0 + z, z) == 1.0
    assert uniform_below(5.0, 5.0, 5.0 + z, 5.0 + z, z) == 0.0
    assert uniform_at_most(5.0, 6.0, 5.0, 5.0, z) == uniform_below(5.0, 6.0, 5.0, 5.0, z)


@given(UNITS, st.data())
def test_shaped_at_most__equals_the_oracle_for_any_two_shapes(unit, data):
    x, y = data.draw(shape_times(unit)), data.draw(shape_times(unit))
    z, shift = data.draw(GRID) * unit, data.draw(GRID) * unit
    exact = naive.probability(x, naive.shifted(y, shift), None, z)
    xs, ys = shapes_of([x]), shapes_of([y])
    assert shaped_at_most(xs, 0, ys, 0, shift, z) == pytest.approx(float(exact), abs=EXACT)


@given(UNITS, st.data())
def test_shaped_below__is_what_remains_of_the_oracle_from_there_on(unit, data):
    x, y = data.draw(shape_times(unit)), data.draw(shape_times(unit))
    z, shift = data.draw(GRID) * unit, data.draw(GRID) * unit
    exact = 1 - naive.probability(x, naive.shifted(y, shift), z, None)
    xs, ys = shapes_of([x]), shapes_of([y])
    assert shaped_below(xs, 0, ys, 0, shift, z) == pytest.approx(float(exact), abs=EXACT)


@given(UNITS, UNITS, UNITS, st.data())
def test_probability__equals_the_oracle_for_shapes_of_any_two_units(x_unit, y_unit, z_unit, data):
    x, y = data.draw(shape_times(x_unit)), data.draw(shape_times(y_unit))
    anchors = data.draw(GRID) * x_unit, data.draw(GRID) * y_unit
    ends = sorted((data.draw(GRID) * z_unit, data.draw(GRID) * z_unit))
    low, high = data.draw(st.sampled_from([(ends[0], ends[1]), (-np.inf, ends[1]), (ends[0], np.inf)]))
    bounds = [end if np.isfinite(end) else None for end in (low, high)]
    exact = naive.probability(naive.shifted(x, anchors[0]), naive.shifted(y, anchors[1]), *bounds)
    got = probability(events_of([x], [anchors[0]]), 0, events_of([y], [anchors[1]]), 0, low, high)
    assert got == pytest.approx(float(exact), abs=EXACT)
    assert 0.0 <= got <= 1.0


@given(st.lists(interval_pairs(), min_size=1, max_size=12), st.booleans(), st.booleans())
def test_vectorised_probabilities__equal_the_oracle(pairs, bounded_below, bounded_above):
    """One x against a run of y, as the sweep calls it."""
    x1, x2, _, _, z = pairs[0]
    ys = [(y1, y2) for _, _, y1, y2, _ in pairs]
    low = -abs(z) if bounded_below else None
    high = abs(z) if bounded_above else None
    earliest, latest = (np.array(column) for column in zip(*ys, strict=True))
    out = np.empty(len(ys))
    ends = (-np.inf if low is None else low, np.inf if high is None else high)
    with np.errstate(all="ignore"):
        uniform_probabilities(np.float64(x1), np.float64(x2), earliest, latest, 0, len(ys), *ends, out)
    for (y1, y2), got in zip(ys, out, strict=True):
        exact = naive.probability(naive.interval(x1, x2), naive.interval(y1, y2), low, high)
        assert got == pytest.approx(float(exact), abs=EXACT)


@given(st.lists(interval_pairs(), min_size=1, max_size=12))
def test_vectorised_probabilities__equal_those_of_one_pair(pairs):
    x1, x2, _, _, z = pairs[0]
    left = with_shapes(uniform_events(np.array([x1]), np.array([x2])))
    ends = (np.array([pair[k] for pair in pairs]) for k in (2, 3))
    right = with_shapes(uniform_events(*ends))
    out = np.empty(len(pairs))
    with np.errstate(all="ignore"):
        uniform_probabilities(
            left.earliest[0], left.latest[0], right.earliest, right.latest, 0, len(pairs), -abs(z), abs(z), out
        )
    one_by_one = [probability(left, 0, right, j, -abs(z), abs(z)) for j in range(len(pairs))]
    np.testing.assert_allclose(out, one_by_one, rtol=0, atol=1e-12)


@pytest.mark.parametrize("wide", [1.0, 1e3, 1e6, 1e9, 1e12])
def test_probability__keeps_its_digits_when_a_microsecond_meets_years(wide):
    """X is a microsecond wide and Y up to 1e18 times as much: four ramps would cancel to nothing."""
    x, y = (0.3, 0.3 + MICRO), (-0.25 * wide, 0.75 * wide)
    exact = naive.probability(naive.interval(*x), naive.interval(*y), None, 0)
    assert uniform_at_most(*x, *y, 0.0) == pytest.approx(float(exact), rel=1e-12)


SLIVER = 2.0**-12
"""The least width that an interval at 2**40 can have."""


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ((0.0, MICRO), (TERA, TERA + SLIVER), 2.0**-9),
        ((-MICRO, 0.0), (TERA - SLIVER, TERA), 1 - 2.0**-9),
    ],
    ids=["from below", "from above"],
)
def test_probability__keeps_its_digits_when_a_band_of_years_decides_by_a_microsecond(x, y, expected):
    """Y - X is 2**40 give or take a microsecond, which the rounded difference does not show."""
    assert float(naive.probability(naive.interval(*x), naive.interval(*y), None, TERA)) == expected
    assert uniform_at_most(*x, *y, TERA) == expected
    assert uniform_below(*x, *y, TERA) == expected
    left, right = (with_shapes(uniform_events(*map(np.atleast_1d, ends))) for ends in (x, y))
    assert probability(left, 0, right, 0, -np.inf, TERA) == expected
    assert shaped_at_most(shapes_of([naive.interval(*x)]), 0, shapes_of([naive.interval(*y)]), 0, 0.0, TERA) == expected
    out = np.empty(1)
    with np.errstate(all="ignore"):
        uniform_probabilities(left.earliest[0], left.latest[0], right.earliest, right.latest, 0, 1, -np.inf, TERA, out)
    assert out[0] == expected


def test_probability__keeps_its_digits_when_shapes_stand_years_apart():
    """The anchors are a microsecond before zero and 2**40: their rounded difference forgets the microsecond."""
    x, y = naive.histogram([0, MICRO, 2 * MICRO], [1, 3]), naive.pmf([0], [1])
    exact = naive.probability(naive.shifted(x, -MICRO), naive.shifted(y, TERA), None, TERA)
    got = probability(events_of([x], [-MICRO]), 0, events_of([y], [TERA]), 0, -np.inf, TERA)
    assert (got, exact) == (0.75, naive.Fraction(3, 4))


@given(shape_times(), shape_times())
def test_ge__equals_theorem_1_over_adjusted_histograms(x, y):
    """P(X >= Y) from both histograms cut at the edges of either; points have no place in the paper's definition."""
    x, y = ([piece for piece in time if piece[0] < piece[1]] for time in (x, y))
    if not x or not y:
        x, y = naive.interval(0, 2), naive.interval(1, 3)
    x, y = naive.time(*x), naive.time(*y)
    edges = sorted({end for lo, hi, _ in (*x, *y) for end in (lo, hi)})
    cells = list(pairwise(edges))
    p, q = ([naive.inside(time, a, b) for a, b in cells] for time in (x, y))
    theorem = sum(p[u] * (sum(q[:u]) + q[u] / 2) for u in range(len(cells)))
    assert shaped_at_most(shapes_of([x]), 0, shapes_of([y]), 0, 0.0, 0.0) == pytest.approx(float(theorem), abs=1e-12)
