"""Every method of evaluation, against possible worlds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive_match as naive
from tests.match_cases import counted, kernel_events, plain_times, shaped_times
from tests.match_programs import comparisons
from whenabouts.kernels.match.work import Question
from whenabouts.ops.match.evaluate import Prepared
from whenabouts.ops.match.methods import matches

EXACT = 1e-9
METHODS = ["query_order", "sorted", "selectivity", "any_state", "point"]


@st.composite
def cases(draw, discrete, times, most):
    """Events of kinds "ABC", a pattern of two or three present components that may overlap in kind, and rules."""
    parts = draw(st.lists(st.sampled_from(["A", "B", "AB"]), min_size=2, max_size=3))
    negated = [False] * len(parts)
    if draw(st.booleans()):
        at = draw(st.integers(1, len(parts) - 1))
        parts.insert(at, draw(st.sampled_from(["B", "C"])))
        negated.insert(at, True)
    if draw(st.booleans()):
        parts = parts[: 2 + any(negated)]
        negated = negated[: 2 + any(negated)]
        if negated[-1]:
            parts.append("A")
            negated.append(False)
    rows = draw(st.lists(st.tuples(times, st.sampled_from("ABC"), st.integers(0, 1)), min_size=2, max_size=most))
    rules = draw(
        st.lists(
            st.tuples(st.sampled_from("=<"), st.integers(0, len(parts) - 1), st.integers(0, len(parts) - 1)).filter(
                lambda rule: rule[1] != rule[2] and not (negated[rule[1]] and negated[rule[2]])
            ),
            max_size=1,
        )
    )
    strategy = draw(st.sampled_from(["any", "next"]))
    window = draw(st.integers(1, 8))
    if discrete:
        rows = [(counted(one), kind, value) for one, kind, value in rows]
    return parts, negated, rows, rules, strategy, window


def judged(case, discrete):
    parts, negated, rows, rules, strategy, window = case
    events = [naive.Event(k, pieces, kind, value) for k, (pieces, kind, value) in enumerate(rows)]
    components = [naive.Component(lambda one, p=p: one.kind in p, n) for p, n in zip(parts, negated, strict=True)]
    tests = {"=": lambda a, b: a == b, "<": lambda a, b: a < b}
    written = [((u, v), lambda bound, op=op, u=u, v=v: tests[op](bound[u].value, bound[v].value)) for op, u, v in rules]
    pattern = naive.Pattern(components, Fraction(window), strategy, written)
    return (naive.discrete if discrete else naive.continuous)(events, pattern)


def computed(case, discrete, method, threshold=0.0, top=0):
    parts, negated, rows, rules, strategy, window = case
    events = kernel_events([pieces for pieces, _, _ in rows], discrete)
    lists = [np.array([k for k, (_, kind, _) in enumerate(rows) if kind in p], dtype=np.int64) for p in parts]
    program = comparisons(len(parts), [value for _, _, value in rows], rules)
    question = Question(float(window), discrete, strategy == "next", threshold)
    groups = [np.zeros(len(one), dtype=np.int64) for one in lists]
    prepared = Prepared(events, lists, groups, 1, list(negated), program, question, top)
    result = {}
    for found in matches(prepared, method):
        for k in range(len(found.earliest)):
            signature = tuple(found.events[k].tolist())
            assert signature not in result
            result[signature] = (found.earliest[k], found.latest[k], found.confidence[k])
    return result


def check(case, discrete, method):
    expected, got = judged(case, discrete), computed(case, discrete, method)
    assert set(got) == set(expected)
    for signature, answer in expected.items():
        assert got[signature][:2] == (answer.earliest, answer.latest)
        assert abs(got[signature][2] - answer.confidence) <= EXACT


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("discrete", [False, True])
@given(data=st.data())
@settings(deadline=None)
def test_matches__are_those_of_the_worlds_for_intervals(method, discrete, data):
    if method == "point" and not discrete:
        check(data.draw(cases(discrete, plain_times(6, 0), 4)), discrete, method)
        return
    check(data.draw(cases(discrete, plain_times(6, 4), 4)), discrete, method)


@pytest.mark.parametrize("discrete", [False, True])
@given(data=st.data())
@settings(deadline=None)
def test_matches__are_those_of_the_worlds_for_histograms_and_pmfs(discrete, data):
    case = data.draw(cases(discrete, shaped_times(4), 3))
    for method in METHODS if discrete else METHODS[:-1]:
        check(case, discrete, method)
