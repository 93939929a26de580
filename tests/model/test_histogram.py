"""Histograms: what makes one, and how it moves."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.strategies import shape_times
from whenabouts.errors import BadArgument
from whenabouts.model.histogram import Histogram

PHI_1 = Histogram([0, 20, 30, 40], [0.1, 0.3, 0.6])


@pytest.mark.parametrize(
    ("edges", "mass", "problem"),
    [
        ([0, 1, 2], [1], "1 masses need 2 edges, not 3"),
        ([], [], "0 masses need 1 edges, not 0"),
        ([0], [], "it has no bucket"),
        ([0, math.nan], [1], "edges and masses must be finite"),
        ([0, math.inf], [1], "edges and masses must be finite"),
        ([0, 1], [math.nan], "edges and masses must be finite"),
        ([0, 2, 1], [0.5, 0.5], "edges must not decrease"),
        ([0, 1, 2], [1.5, -0.5], "masses must not be negative"),
        ([0, 1, 2], [0.5, 0.4], "masses must sum to 1, not 0.9"),
        ([0, 1, 2], [0.5, 0.5 + 1e-8], "masses must sum to 1, not 1.00000001"),
    ],
)
def test_histogram__says_what_is_wrong_with_it(edges, mass, problem):
    with pytest.raises(BadArgument, match=problem):
        Histogram(edges, mass)


def test_histogram__takes_masses_that_sum_to_one_but_for_rounding():
    histogram = Histogram([0, 1, 2, 3], [0.1, 0.2, 0.7 + 5e-10])
    assert math.fsum(mass for _, _, mass in histogram.pieces()) == pytest.approx(1.0, abs=1e-15)


def test_histogram__keeps_its_span_and_leaves_out_empty_buckets():
    histogram = Histogram([0, 5, 7, 7, 9], [0, 0.5, 0.5, 0])
    assert histogram.span == (0.0, 9.0)
    assert histogram.pieces() == [(5.0, 7.0, 0.5), (7.0, 7.0, 0.5)]


def test_histogram__is_a_value():
    assert Histogram([0, 1], [1]) == Histogram((0.0, 1.0), (1.0,))
    assert len({Histogram([0, 1], [1]), Histogram([0, 1], [1])}) == 1
    with pytest.raises(AttributeError):
        PHI_1.edges = (0.0, 1.0)


def test_shifted__moves_every_edge():
    assert PHI_1.shifted(170).edges == (170.0, 190.0, 200.0, 210.0)
    assert PHI_1.shifted(170).mass == PHI_1.mass


def test_mirrored__turns_a_latency_into_an_occurrence():
    """Example 3: the latency ((0, 10, 0.6), (10, 20, 0.3), (20, 40, 0.1)) is the template phi_1 seen backwards."""
    latency = Histogram([0, 10, 20, 40], [0.6, 0.3, 0.1])
    assert latency.mirrored().shifted(40) == PHI_1
    assert latency.mirrored().mirrored() == latency


@given(shape_times(), st.integers(-9, 9))
def test_mirrored_and_shifted__are_the_distribution_of_detection_minus_latency(time, t):
    edges, mass = [time[0][0]], []
    for lo, hi, part in time:
        if lo > edges[-1]:
            edges.append(lo)
            mass.append(0)
        edges.append(hi)
        mass.append(part)
    floats = [float(edge) for edge in edges], [float(part) for part in mass]
    expected = [[float(value) for value in piece] for piece in naive.detected(t, *floats) if piece[2] > 0]
    got = sorted(Histogram(*floats).mirrored().shifted(t).pieces())
    assert [list(piece) for piece in got] == [pytest.approx(piece) for piece in expected]
