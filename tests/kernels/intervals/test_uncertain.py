"""Recorded times that are themselves uncertain, against the possible worlds."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import naive_intervals as naive
from tests.interval_strategies import distributions, lattice, pieces, plain, queries, sides
from whenabouts.kernels.intervals.uncertain import uncertain_probability
from whenabouts.model.relation import BASIC, IntervalQuery, Quantifier
from whenabouts.ops.intervals.automaton import compile_query

SOME = Quantifier("at least")
pairs_of_times = st.lists(distributions(), min_size=2, max_size=2)


def probability(left, right, query):
    return uncertain_probability(pieces(left), 0, pieces(right), 0, compile_query(query))


@given(pairs_of_times, pairs_of_times, queries)
def test_two_intervals_with_uncertain_ends__agree_with_the_possible_worlds(left, right, query):
    expected = naive.uncertain_probability(left, right, plain(query))
    found = probability(left, right, query)
    assert math.isnan(found) if expected is None else found == pytest.approx(float(expected), abs=1e-12)


@given(st.lists(distributions(), min_size=4, max_size=4), st.lists(st.integers(0, 5), min_size=2, max_size=2), queries)
def test_longer_sequences__agree_with_the_possible_worlds(left, right, query):
    certain = [[(t, t, 1)] for t in right]
    expected = naive.uncertain_probability(left, certain, plain(query))
    found = probability(left, certain, query)
    assert math.isnan(found) if expected is None else found == pytest.approx(float(expected), abs=1e-12)


@given(pairs_of_times, pairs_of_times)
def test_relations__of_two_uncertain_intervals_sum_to_one(left, right):
    every = [probability(left, right, IntervalQuery(SOME, "a", (name,), SOME)) for name in BASIC]
    assume(not math.isnan(every[0]))
    assert math.fsum(every) == pytest.approx(1.0, abs=1e-12)


@given(sides(), sides(), queries)
def test_lost_events__are_the_same_as_in_the_lattice(left, right, query):
    def events(side):
        made = []
        for place, time in enumerate(side.times):
            low, high, mass = time, time, 1
            if time is None:
                low, high, _, first = naive.window(side, place)
                mass = place - first + 1
            made.append([(low, high, mass)])
        return made

    assert probability(events(left), events(right), query) == pytest.approx(lattice(left, right, query), abs=1e-12)
