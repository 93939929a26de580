"""Gauss's rules: as many nodes as are asked for are enough."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from whenabouts.kernels.lanes import LANES
from whenabouts.kernels.match.gauss import MOST_THROUGH, NODES, WEIGHTS, nodes_for, nodes_through, parts_between

ends = st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
"""What a factor is at 0 and at 1."""
places = st.floats(0.0, 1.0)


def _product(factors: list[tuple[float, float]]) -> tuple[Polynomial, float]:
    """The product of affine factors, and the sum of how steep they are."""
    product = Polynomial([1.0])
    for low, high in factors:
        product = product * Polynomial([low, high - low])
    return product, sum(abs(high - low) for low, high in factors)


@given(st.lists(ends, min_size=1, max_size=12))
def test_the_mean_of_a_product_is_what_its_nodes_say(factors: list[tuple[float, float]]) -> None:
    product, slope = _product(factors)
    count = nodes_for(slope, len(factors))
    found = WEIGHTS[count, :count] @ product(NODES[count, :count])
    assert abs(found - product.integ()(1.0)) < 2e-11
    assert 2 * count - 1 <= len(factors) + 1, "no more nodes than integrate it exactly"


@given(st.lists(ends, min_size=1, max_size=8), places, places)
def test_a_part_of_the_integral_is_what_the_parts_of_the_nodes_say(
    factors: list[tuple[float, float]], low: float, high: float
) -> None:
    product, slope = _product(factors)
    count = nodes_through(slope, len(factors))
    lows, highs = np.linspace(low, 0.0, LANES), np.linspace(high, 1.0, LANES)
    steps, parts = np.empty((MOST_THROUGH, LANES)), np.empty((MOST_THROUGH, LANES))
    parts_between(lows, highs, LANES, count, steps, parts)
    found = (WEIGHTS[count, :count, None] * parts[:count]).T @ product(NODES[count, :count])
    whole = product.integ()
    assert np.abs(found - (whole(highs) - whole(lows))).max() < 2e-11
    assert count <= len(factors) + 1
