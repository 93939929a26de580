"""Lost first and last events without a bound: a Poisson process (section 3.2)."""

import math

import numpy as np
import pytest

from tests import naive_intervals as naive
from tests.interval_strategies import lattice, phases_of, sequences, walk
from whenabouts.kernels.intervals.lattice import most_lost, probabilities, workspace
from whenabouts.kernels.intervals.sequences import Sequences
from whenabouts.model.relation import IntervalQuery, Quantifier
from whenabouts.ops.intervals.automaton import compile_query

SOME = Quantifier("at least")


def relation(name):
    return IntervalQuery(SOME, "a", (name,), SOME)


def test_a_lost_end__is_exponential():
    left, right = naive.Side((0, None)), naive.Side((3, 5))
    assert lattice(left, right, relation("precedes"), rate=0.4) == pytest.approx(1 - math.exp(-1.2), abs=1e-12)
    assert lattice(left, right, relation("overlaps"), rate=0.4) == pytest.approx(
        math.exp(-1.2) - math.exp(-2.0), abs=1e-12
    )
    assert lattice(left, right, relation("contains"), rate=0.4) == pytest.approx(math.exp(-2.0), abs=1e-12)


def test_a_lost_start__is_exponential_backwards():
    left, right = naive.Side((None, 10)), naive.Side((3, 5))
    assert lattice(left, right, relation("preceded by"), rate=0.4) == pytest.approx(1 - math.exp(-2.0), abs=1e-12)
    assert lattice(left, right, relation("contains"), rate=0.4) == pytest.approx(math.exp(-2.8), abs=1e-12)


def test_two_lost_ends__race_each_other():
    left, right = phases_of(sequences(naive.Side((0, None)), rate=3.0)), phases_of(sequences(naive.Side((0, None))))
    assert walk(left, right, relation("starts")) == pytest.approx(3 / 4, abs=1e-11)


def test_two_lost_starts__race_each_other():
    left, right = phases_of(sequences(naive.Side((None, 9)), rate=3.0)), phases_of(sequences(naive.Side((None, 9))))
    assert walk(left, right, relation("finishes")) == pytest.approx(3 / 4, abs=1e-11)


def test_several_lost_ends__are_the_first_arrivals_of_the_process():
    """A: [0, first], [second, third]; it has a segment that contains [2, 3] unless an event lies within it."""
    left, right = naive.Side((0, None, None, None)), naive.Side((2, 3))
    before = 2.0
    expected = math.exp(-3.0) * (1 + before**2 / 2)
    assert lattice(left, right, relation("contains")) == pytest.approx(expected, abs=1e-12)


def poisson(rng, pairs, events, loss):
    times = np.cumsum(rng.exponential(5.0, (pairs, events)), axis=1)
    lost = rng.random(times.shape) < loss
    lost[:, [0, -1]] = False
    none = np.zeros(pairs, dtype=np.int64)
    start = np.arange(0, pairs * events + 1, events)
    edge = np.full(pairs, np.inf)

    def made(values):
        return Sequences(start, values.ravel(), -edge, edge, np.ones(pairs), none, none)

    return made(times), made(np.where(lost, np.nan, times))


@pytest.mark.parametrize("loss", [0.15, 0.5])
def test_confidence__is_calibrated_on_poisson_processes(loss):
    """Of pairs with confidence p a share p holds in truth: the sum of the differences is a normal deviate."""
    rng = np.random.default_rng(17)
    pairs = 150
    (left, left_seen), (right, right_seen) = (poisson(rng, pairs, 12, loss) for _ in range(2))
    automaton = compile_query(IntervalQuery(Quantifier("at least", 4), "a", ("intersects",), SOME))
    both = np.arange(pairs)
    truth, answer = np.empty(pairs), np.empty(pairs)
    for result, sides in ((truth, (left, right)), (answer, (left_seen, right_seen))):
        phases = [phases_of(side) for side in sides]
        room = workspace(*(int(most_lost(side).max()) for side in phases), automaton.step.shape[3])
        probabilities(*phases, both, both, automaton, 0.0, False, room, result)
    assert set(truth) == {0.0, 1.0}
    spread = math.sqrt(float(np.sum(answer * (1 - answer))))
    assert spread > 1.0
    assert abs(float(np.sum(answer - truth))) < 3.5 * spread
