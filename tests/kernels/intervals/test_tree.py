"""SimpMatch's tree and the discrete grid against the lattice."""

import math

import pytest
from hypothesis import given

from tests import naive_intervals as naive
from tests.interval_strategies import lattice, phases_of, queries, sequences, sides
from whenabouts.kernels.intervals.tree import tree_probability
from whenabouts.model.relation import IntervalQuery, Quantifier
from whenabouts.ops.intervals.automaton import compile_query

SHARING = IntervalQuery(Quantifier("at least", 2), "a", ("intersects",), Quantifier("at least"))


def tree(left, right, query, most=10**9, reach=0, step=1.0):
    one, other = phases_of(sequences(left)), phases_of(sequences(right))
    return tree_probability(one, 0, other, 0, compile_query(query), most, reach, step)


@given(sides(), sides(), queries)
def test_simpmatch__agrees_with_the_lattice(left, right, query):
    assert tree(left, right, query) == pytest.approx(lattice(left, right, query), abs=1e-12)


def test_simpmatch__counts_a_tie_of_recorded_events_once():
    """The paper's algorithm follows both orders of two events at one time, and so counts the world twice."""
    left, right = naive.Side((0, 2)), naive.Side((2, 5))
    assert tree(left, right, IntervalQuery(Quantifier("every"), "a", ("meets",), Quantifier("every"))) == 1.0


def test_simpmatch__gives_up_on_a_tree_that_is_too_large():
    left = naive.Side((0, *[None] * 12, 10))
    right = naive.Side((1, *[None] * 12, 11))
    assert math.isnan(tree(left, right, SHARING, most=1000))


def test_grid__comes_close_where_its_domain_is_the_gap():
    """A lost event in (0, 100): the grid of 101 points around its middle is as good as the gap itself."""
    left, right = naive.Side((0, 100, 110, 120)), naive.Side((30, 60))
    lossy = naive.Side((0, None, 110, 120)), right
    query = IntervalQuery(Quantifier("at least"), "a", ("contains",), Quantifier("at least"))
    exact = lattice(*lossy, query)
    assert tree(*lossy, query, reach=55) == pytest.approx(exact, abs=0.02)
    assert tree(left, right, query, reach=55) == 1.0


def test_grid__loses_probability_where_its_domain_leaves_the_gap():
    lossy = naive.Side((0, None, 10, 20)), naive.Side((3, 6))
    query = IntervalQuery(Quantifier("at least"), "a", ("intersects",), Quantifier("at least"))
    assert tree(*lossy, query, reach=60) < 0.2 < lattice(*lossy, query)
