"""Bounds on latest times: outside of them no pair reaches the threshold, in the sure range every pair does."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.agreement import events_of
from tests.strategies import GRID, MICRO, TERA, THRESHOLDS, shape_times
from whenabouts.kernels.events import shape_supports
from whenabouts.kernels.timing.bounds import envelopes, shaped_bounds, support_bounds, uniform_bounds
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.satisfaction import satisfaction_shifts

UNITS = st.sampled_from([MICRO, 0.125, 1.0, TERA])
TIGHT = Fraction(1, 10**11)


@st.composite
def bands(draw, unit):
    low, high = sorted((draw(GRID) * unit, draw(GRID) * unit))
    return draw(st.sampled_from([(low, high), (-math.inf, high), (low, math.inf), (-abs(high), abs(high))]))


@st.composite
def cases(draw, uniform: bool):
    """(left times, right times, left anchors, right anchors, low, high, threshold)."""
    unit = draw(UNITS)
    interval = st.tuples(GRID, GRID).map(lambda ends: naive.interval(*(Fraction(end * unit) for end in sorted(ends))))
    times = interval if uniform else shape_times(unit)
    sides = [draw(st.lists(times, min_size=1, max_size=4)) for _ in range(2)]
    anchors = [[draw(GRID) * unit for _ in side] for side in sides]
    low, high = draw(bands(unit))
    exact = naive.probability(
        naive.shifted(sides[0][0], anchors[0][0]), naive.shifted(sides[1][0], anchors[1][0]), *ends_of(low, high)
    )
    threshold = draw(st.sampled_from([float(exact)]) | THRESHOLDS if exact > Fraction(1, 10**6) else THRESHOLDS)
    return sides[0], sides[1], anchors[0], anchors[1], low, high, threshold


def ends_of(low, high):
    return [None if math.isinf(end) else end for end in (low, high)]


def assert_sound(bounds, case, *, certain: bool) -> None:
    """Whatever lies outside is below the threshold; whatever is sure reaches it, or is certain where asked."""
    left, right, left_anchor, right_anchor, low, high, threshold = case
    needed = 1 - TIGHT if certain else Fraction(threshold) - Fraction(2, 10**12)
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            p = naive.probability(
                naive.shifted(x, left_anchor[i]), naive.shifted(y, right_anchor[j]), *ends_of(low, high)
            )
            latest = float(naive.support(y)[1]) + right_anchor[j]
            if latest < bounds.no_before[i] or latest > bounds.no_after[i]:
                assert p < Fraction(threshold), f"{float(p)} is ruled out at {threshold}"
            elif bounds.yes_from[i] <= latest <= bounds.yes_to[i]:
                assert p >= needed, f"{float(p)} is taken for sure at {threshold}"


def widths_of(events):
    width = events.latest - events.earliest
    return np.array([width.min()]), np.array([width.max()])


@given(cases(uniform=True), st.booleans())
def test_uniform_bounds__are_sound(case, certain):
    left, right = events_of(case[0], case[2]), events_of(case[1], case[3])
    group = np.zeros(len(left.earliest), dtype=np.int64)
    bounds = uniform_bounds(left.earliest, left.latest, group, *widths_of(right), *case[4:], certain)
    assert_sound(bounds, case, certain=certain)


@given(cases(uniform=False), st.booleans())
def test_shaped_bounds__are_sound(case, certain):
    left, right = events_of(case[0], case[2]), events_of(case[1], case[3])
    assert_sound(shaped_bounds(left, right.shapes, *case[4:], certain), case, certain=certain)


@given(cases(uniform=False))
def test_support_bounds__are_sound_for_every_threshold_and_certain_inside(case):
    left, right = events_of(case[0], case[2]), events_of(case[1], case[3])
    group = np.zeros(len(left.earliest), dtype=np.int64)
    bounds = support_bounds(left, group, widths_of(right)[1], *case[4:6])
    assert_sound(bounds, case, certain=True)


@given(cases(uniform=False), st.booleans())
def test_partition_bounds__are_sound(case, certain):
    left, right = events_of(case[0], case[2]), events_of(case[1], case[3])
    low, high, threshold = case[4:]
    table = Table.of(*satisfaction_shifts(left.shapes, right.shapes, low, high, threshold))
    assert_sound(partition_bounds(left, right, table, low, high, certain), case, certain=certain)


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.5, 0.8, 0.99])
@pytest.mark.parametrize(("x_width", "y_width"), [(10, 4), (4, 10), (6, 6), (0, 5), (5, 0)])
def test_bounds__are_as_tight_as_the_threshold_when_all_partners_have_one_shape(threshold, x_width, y_width):
    """With nothing to average over, the probability at every end is the threshold itself (paper 001, figure 1)."""
    x, y, d = naive.interval(100, 100 + x_width), naive.interval(0, y_width), 30
    left, partners = events_of([x]), events_of([y])
    group = np.zeros(1, dtype=np.int64)
    for bounds in (
        uniform_bounds(left.earliest, left.latest, group, *widths_of(partners), -30.0, 30.0, threshold, False),
        shaped_bounds(left, partners.shapes, -30.0, 30.0, threshold, False),
    ):
        for latest in (column[0] for column in bounds):
            p = naive.probability(x, naive.shifted(y, Fraction(latest) - y_width), -d, d)
            assert float(p) == pytest.approx(threshold, abs=1e-6)


def test_bounds__with_certainty_asked_are_sure_of_probability_one_only():
    x, y = naive.interval(0, 10), naive.interval(0, 4)
    left, right = events_of([x]), events_of([y])
    group = np.zeros(1, dtype=np.int64)
    sure = uniform_bounds(left.earliest, left.latest, group, *widths_of(right), -30.0, 30.0, 0.5, True)
    loose = uniform_bounds(left.earliest, left.latest, group, *widths_of(right), -30.0, 30.0, 0.5, False)
    assert (sure.yes_from[0], sure.yes_to[0]) == pytest.approx((10 - 30 + 4, 0 + 30))
    assert loose.yes_from[0] < sure.yes_from[0] < sure.yes_to[0] < loose.yes_to[0]
    assert (loose.no_before[0], loose.no_after[0]) == (sure.no_before[0], sure.no_after[0])


def test_support_bounds__are_equations_4_to_6():
    x = naive.interval(1000, 1100)
    left = events_of([x])
    bounds = support_bounds(left, np.zeros(1, dtype=np.int64), np.array([200.0]), -500.0, 500.0)
    ends = [column[0] for column in bounds]
    assert ends == pytest.approx([1000 - 500, 1100 - 500 + 200, 1000 + 500, 1100 + 500 + 200])


@given(st.lists(shape_times(), min_size=1, max_size=4))
def test_envelopes__enclose_every_shape_relative_to_its_latest_moment(times):
    shapes = envelopes(events_of(times).shapes)
    early, late = (
        [
            (Fraction(shapes.lo[p]), Fraction(shapes.hi[p]), Fraction(shapes.mass[p]))
            for p in range(shapes.start[k], shapes.start[k + 1])
        ]
        for k in range(2)
    )
    moments = sorted({end for time in times for lo, hi, _ in time for end in (lo, hi)})
    rounding = Fraction(1, 10**12)
    for time in times:
        end = naive.support(time)[1]
        for t in (moment - end for moment in moments):
            here = naive.inside(time, None, t + end)
            assert naive.inside(early, None, t + rounding) >= here - rounding
            assert naive.inside(late, None, t - rounding) <= here + rounding


def test_envelopes__of_one_shape_are_the_shape():
    time = naive.histogram([3, 5, 9], [1, 3])
    shapes = envelopes(events_of([time]).shapes)
    assert shapes.lo.tolist() == [-6.0, -4.0] * 2
    assert shapes.hi.tolist() == [-4.0, 0.0] * 2
    assert shapes.mass.tolist() == [0.25, 0.75] * 2
    first, last = shape_supports(shapes)
    assert (first.tolist(), last.tolist()) == ([-6.0, -6.0], [0.0, 0.0])
