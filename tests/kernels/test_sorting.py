"""Times are sorted, however far from their places they come."""

import numpy as np
import pytest

from whenabouts.kernels.sorting import order_of


@pytest.mark.parametrize("disorder", [0, 3, 40, 10_000])
def test_order_of__sorts_whatever_the_disorder(disorder):
    draw = np.random.default_rng(disorder)
    times = np.arange(3000.0) // 2 + draw.integers(0, disorder + 1, 3000)
    order = order_of(times, np.empty(len(times), np.int64))
    assert np.array_equal(np.sort(order), np.arange(3000))
    assert np.array_equal(times[order], np.sort(times))


def test_order_of__merges_long_runs():
    times = np.concatenate([np.arange(40_000.0), np.arange(40_000.0)])
    assert np.array_equal(times[order_of(times, np.empty(len(times), np.int64))], np.sort(times))


def test_order_of__has_nothing_to_do_for_nothing():
    assert len(order_of(np.empty(0), np.empty(0, np.int64))) == 0
