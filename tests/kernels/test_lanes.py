"""Lanes, compiled or not, do what NumPy does with eight numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from whenabouts.kernels._jit import ENABLED, jit, jit_borrowing
from whenabouts.kernels.lanes import LANES, greatest, lanes, least, natural, only, put, put_where, since, spread, total

finite = st.floats(-1e6, 1e6)
rows = st.lists(finite, min_size=3 * LANES, max_size=3 * LANES).map(np.array)
places = st.integers(0, 2 * LANES)


@jit_borrowing
def _by_lanes(row, at, other, number):
    """A step that hands lanes over and back, as kernels do."""
    return lanes(row, at) * number + lanes(other, 0) / 3.0 - 1.0


@jit
def _arithmetic(row, at, other, number, result):
    value = _by_lanes(row, at, other, number)
    value += lanes(other, at)
    put(result[0], at, value)
    put(result[1], natural(at), 2.0 - lanes(row, at))
    put(result[2], at, number / (1.0 + lanes(row, at) * lanes(row, at)))


@jit
def _choices(row, at, codes, count, number, result):
    put(result[0], 0, greatest(lanes(row, at), number))
    put(result[1], 0, least(lanes(row, at), number))
    put(result[2], 0, only(lanes(row, at), count))
    put(result[3], 0, since(lanes(row, at), count))
    put(result[4], 0, put_where(codes, at, 1, number, lanes(row, at)))
    put(result[5], 0, spread(number))
    return total(lanes(row, at))


@given(rows, rows, places, finite)
def test_lanes_add_subtract_multiply_and_divide(row, other, at, number):
    result, here = np.full((3, 3 * LANES), 7.0), slice(at, at + LANES)
    _arithmetic(row, at, other, number, result)
    expected = np.full((3, 3 * LANES), 7.0)
    expected[0, here] = row[here] * number + other[:LANES] / 3.0 - 1.0 + other[here]
    expected[1, here] = 2.0 - row[here]
    expected[2, here] = number / (1.0 + row[here] ** 2)
    size = np.abs(row).max() * abs(number) + np.abs(other).max() + 1.0
    np.testing.assert_allclose(result[0], expected[0], rtol=0.0, atol=1e-14 * size)
    np.testing.assert_allclose(result[1:], expected[1:], rtol=1e-14)


@given(rows, places, st.lists(st.integers(0, 2), min_size=3 * LANES, max_size=3 * LANES).map(np.array),
       st.integers(-2, LANES + 2), finite)  # fmt: skip
def test_lanes_are_chosen(row, at, codes, count, number):
    result, here, lane = np.empty((6, LANES)), row[at : at + LANES], np.arange(LANES)
    found = _choices(row, at, codes, count, number, result)
    assert (result[0] == np.maximum(here, number)).all()
    assert (result[1] == np.minimum(here, number)).all()
    assert (result[2] == np.where(lane < count, here, 0.0)).all()
    assert (result[3] == np.where(lane >= count, here, 0.0)).all()
    assert (result[4] == np.where(codes[at : at + LANES] == 1, number, here)).all()
    assert (result[5] == number).all()
    assert abs(found - here.sum()) <= 1e-12 * np.abs(here).sum()


if ENABLED:  # slices of NumPy's know any array

    @pytest.mark.parametrize("row", [np.zeros(2 * LANES)[::2], np.zeros(LANES, np.int64), np.zeros((2, LANES))])
    def test_what_is_no_row_of_numbers_is_refused(row):
        with pytest.raises(TypingError):
            _choices(row, 0, np.zeros(LANES, np.int64), 1, 0.0, np.empty((6, LANES)))


def test_what_lies_beyond_is_made_nothing_even_where_it_is_no_number():
    row = np.array([1.0, 2.0, *[np.nan] * 3, *[np.inf] * 3, *[0.0] * 2 * LANES])
    result = np.empty((6, LANES))
    _choices(row, 0, np.zeros(3 * LANES, np.int64), 2, 0.0, result)
    assert result[2].tolist() == [1.0, 2.0, *[0.0] * 6]
