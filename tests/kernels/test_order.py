"""The stochastic order, on which the look-up strategy rests."""

from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.agreement import events_of
from tests.strategies import GRID, shape_times
from whenabouts.kernels.events import take
from whenabouts.kernels.order import no_later
from whenabouts.kernels.probability import probability

STEPS = st.lists(GRID, min_size=3, max_size=5).map(sorted)


@st.composite
def quarters(draw) -> naive.Time:
    """A histogram whose masses are quarters, so that its levels are exact in floating point."""
    steps = draw(STEPS)
    cuts = sorted(draw(st.lists(st.integers(0, 4), min_size=len(steps) - 2, max_size=len(steps) - 2)))
    weights = [b - a for a, b in zip([0, *cuts], [*cuts, 4], strict=True)]
    return [piece for piece in naive.histogram(steps, weights) if piece[2] > 0]


@given(quarters(), quarters(), GRID, GRID)
def test_no_later__is_the_order_of_the_distribution_functions(x, y, x_at, y_at):
    events = events_of([x, y], [x_at, y_at])
    assert no_later(events, 0, 1) == naive.no_later(naive.shifted(x, x_at), naive.shifted(y, y_at))


@given(quarters(), GRID, GRID)
def test_no_later__of_one_shape_compares_where_it_stands(x, one, other):
    events = take(events_of([x]), [0, 0])._replace(anchor=events_of([x, x], [one, other]).anchor)
    assert no_later(events, 0, 1) == (one <= other)


@given(quarters(), quarters(), shape_times(), GRID)
def test_no_later__keeps_a_deadline_that_was_kept(x, y, partner, d):
    """Corollary 2 of paper 001 for any distribution: what a later event reaches, an earlier one reaches too."""
    events, others = events_of([x, y]), events_of([partner])
    if no_later(events, 0, 1):
        early, late = (probability(events, k, others, 0, -float("inf"), float(d)) for k in (0, 1))
        assert early <= late + 1e-12
        early, late = (probability(others, 0, events, k, -float("inf"), float(d)) for k in (0, 1))
        assert early >= late - 1e-12
