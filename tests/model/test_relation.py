import itertools

import pytest

from whenabouts.model.relation import BASIC, CONVERSE, RELATIONS, IntervalQuery, Quantifier

ENDS = list(itertools.combinations(range(8), 2))


def holds(name, a, b):
    """The relations by their ends, written down once more."""
    (s, e), (t, f) = a, b
    return {
        "precedes": e < t, "meets": e == t, "overlaps": s < t < e < f, "finished by": s < t and e == f,
        "contains": s < t and f < e, "starts": s == t and e < f, "equals": a == b, "started by": s == t and f < e,
        "during": t < s and e < f, "finishes": t < s and e == f, "overlapped by": t < s < f < e,
        "met by": f == s, "preceded by": f < s, "before": e < t, "after": f < s,
        "starts before": s < t, "starts with": s == t, "starts after": s > t,
        "ends before": e < f, "ends with": e == f, "ends after": e > f, "intersects": max(s, t) <= min(e, f),
    }[name]  # fmt: skip


def basic(a, b):
    return [name for name in BASIC if holds(name, a, b)]


@pytest.mark.parametrize("name", RELATIONS)
def test_every_name__is_the_union_of_its_basic_relations(name):
    for a, b in itertools.product(ENDS, ENDS):
        (one,) = basic(a, b)
        assert holds(name, a, b) == (one in RELATIONS[name])


def test_converse__is_the_relation_seen_from_the_other_side():
    for a, b in itertools.product(ENDS, ENDS):
        assert [CONVERSE[one] for one in basic(a, b)] == basic(b, a)


def test_a_query_about_b__is_told_from_left_to_right():
    query = IntervalQuery(Quantifier("every"), "b", ("during", "meets"), Quantifier("at least"))
    assert query.relations == {"during", "meets"}
    assert query.left_to_right == {"contains", "met by"}
