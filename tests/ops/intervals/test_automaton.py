"""Queries as automata: small, and right for every relation with every pair of quantifiers."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive_intervals as naive
from tests.interval_strategies import lattice, plain, sides
from whenabouts.model.relation import RELATIONS, IntervalQuery, Quantifier
from whenabouts.ops.intervals.automaton import compile_query

QUANTIFIERS = (Quantifier("every"), Quantifier("at least"), Quantifier("at least", 2))
CASES = list(itertools.product(RELATIONS, QUANTIFIERS, QUANTIFIERS, "ab"))


EXAMPLES = [
    (naive.Side((0, 3, 5, 7, 8, 9)), naive.Side((3, 5, 7, 9))),
    (naive.Side((0, None, None, 6), lo=0, hi=9), naive.Side((2, None, 6, 8))),
    (naive.Side((None, 4, 6, None), lo=1, hi=9), naive.Side((4, 6, None, None), lo=0, hi=9)),
]
"""Ties of recorded events, gaps of both sides that overlap, and lost first and last events."""


@pytest.mark.parametrize(("left", "right"), EXAMPLES)
def test_every_relation__with_every_pair_of_quantifiers_agrees_with_table_1(left, right):
    worlds = list(naive.worlds(left, right))
    for name, outer, inner, subject in CASES:
        query = IntervalQuery(outer, subject, (name,), inner)
        expected = sum(weight for order, weight in worlds if naive.holds(order, plain(query)))
        assert lattice(left, right, query) == pytest.approx(float(expected), abs=1e-12), query


@settings(max_examples=10)
@given(sides(most_segments=2), sides(most_segments=2), st.randoms(use_true_random=False))
def test_any_two_sides__agree_with_the_possible_worlds_for_many_queries(left, right, random):
    worlds = list(naive.worlds(left, right))
    for name, outer, inner, subject in random.sample(CASES, 40):
        query = IntervalQuery(outer, subject, (name,), inner)
        expected = sum(weight for order, weight in worlds if naive.holds(order, plain(query)))
        assert lattice(left, right, query) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("k", [1, 7, 100])
def test_k_sharing__needs_two_states_a_count(k):
    query = IntervalQuery(Quantifier("at least", k), "a", ("intersects",), Quantifier("at least"))
    assert compile_query(query).step.shape == (4, 3, 1, 2 * k)


def test_every_precedes_every__needs_one_state_a_class():
    query = IntervalQuery(Quantifier("every"), "a", ("precedes",), Quantifier("every"))
    assert compile_query(query).step.shape[3] <= 2
