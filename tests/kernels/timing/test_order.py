"""The stochastic order, on which the look-up strategy rests."""

from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.agreement import events_of
from tests.strategies import GRID, shape_times
from whenabouts.kernels.events import take
from whenabouts.kernels.probability import probability
from whenabouts.kernels.timing.order import no_later

WEIGHTS = [
    (1, 3), (2, 2), (3, 1),
    (1, 2, 1), (2, 1, 1), (2, 0, 2), (1, 0, 3),
    (1, 1, 1, 1), (2, 0, 1, 1), (1, 1, 0, 2), (2, 0, 0, 2),
]  # fmt: skip
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


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=3), st.lists(st.integers(0, 6), min_size=1, max_size=3), st.data()
)
def test_no_later__looks_between_ends_that_tie(one, other, data):
    """Both begin at 0 and end at 6, so only the inside can tell."""
    times = []
    for inner in (one, other):
        steps = [0, *sorted(inner), 6]
        weights = data.draw(st.sampled_from([w for w in WEIGHTS if len(w) == len(steps) - 1]))
        times.append([piece for piece in naive.histogram(steps, weights) if piece[2] > 0])
    events = events_of(times)
    assert no_later(events, 0, 1) == naive.no_later(*times)


def test_no_later__looks_at_both_ends_of_a_hole():
    """Up to the middle level the even one is later, from there on the one that jumps over the hole is."""
    even, jumping = naive.interval(0, 4), naive.histogram([0, 1, 3, 4], [1, 0, 1])
    events = events_of([even, [piece for piece in jumping if piece[2] > 0]])
    assert not no_later(events, 0, 1)
    assert not no_later(events, 1, 0)


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
