"""The closed forms of two and three intervals, against the walk over a grid that knows any number."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from whenabouts.kernels.events import uniform_events
from whenabouts.kernels.match.chain import confidence
from whenabouts.kernels.match.intervals import chain_of
from whenabouts.kernels.match.times import make_grid

UNITS = [2.0**-20, 1.0, 2.0**20]


@st.composite
def intervals(draw):
    """Up to four intervals with ends that meet often, of widths that differ by many orders."""
    count = draw(st.integers(1, 4))
    lo = [draw(st.integers(0, 8)) * 1.0 for _ in range(count)]
    hi = [a + draw(st.integers(0, 6)) * draw(st.sampled_from(UNITS)) for a in lo]
    window = draw(st.one_of(st.integers(1, 9).map(float), st.sampled_from([2.0**-10, 2.0**21, np.inf])))
    return np.array(lo), np.array(hi), window


@given(intervals())
@settings(max_examples=300, deadline=None)
def test_chain_of__agrees_with_the_walk_over_a_grid(case):
    lo, hi, window = case
    count = len(lo)
    closed = chain_of(lo, hi, count, window, np.zeros(count, dtype=np.int64))
    walked = confidence(uniform_events(lo, hi), np.arange(count), window, False, make_grid(count, 1))
    assert closed == -1.0 or abs(closed - walked) <= 1e-9
    assert closed != -1.0 or count > 3
