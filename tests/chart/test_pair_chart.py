"""The chart of one pair says the probability and draws the distributions it comes from."""

import itertools
import re

import pytest

import whenabouts as wa
from whenabouts import chart
from whenabouts.chart.shapes import difference

UNIFORM = wa.Histogram([0, 10], [1])
LATER = wa.Histogram([5, 20], [1])
BUCKETS = wa.Histogram([20, 40, 50, 60], [0.1, 0.3, 0.6])
POINTS = wa.Histogram([0, 0, 5, 5, 9, 9], [0.3, 0, 0.2, 0, 0.5])
MIXED = wa.Histogram([2, 2, 8], [0.25, 0.75])
TIMES = [UNIFORM, LATER, BUCKETS, POINTS, MIXED]
PREDICATES = [wa.within(3), wa.within(40), wa.deadline(-2), wa.deadline(4), wa.delay(1)]


def title_of(drawn):
    return drawn.to_dict()["title"]


def rows_of(drawn, column):
    """All rows of the chart's data that have a column."""
    return [row for rows in drawn.to_dict()["datasets"].values() for row in rows if column in row]


@pytest.mark.parametrize("predicate", PREDICATES, ids=str)
@pytest.mark.parametrize(("x", "y"), list(itertools.product(TIMES, TIMES)))
def test_title__states_the_probability(x, y, predicate):
    stated = float(re.search(r"= (\S+)$", title_of(chart.pair(x, y, predicate))["text"])[1])
    assert stated == pytest.approx(wa.probability(x, y, predicate), abs=5e-5)


def test_title__never_rounds_a_doubt_away():
    almost = wa.Histogram([0, 10], [1]), wa.Histogram([0.0, 10.001], [1])
    assert title_of(chart.pair(*almost, wa.within(10)))["text"] == "P(|X - Y| <= 10) = 0.999999995"


def test_title__keeps_the_unit_of_the_predicate_and_takes_times_as_seconds():
    text = title_of(chart.pair(UNIFORM, LATER, wa.within("3s")))["text"]
    assert text == f"P(|X - Y| <= 3s) = {wa.probability(UNIFORM, LATER, wa.within(3)):.4g}"


def test_subtitle__says_what_is_certain_in_words():
    assert title_of(chart.pair(UNIFORM, UNIFORM, wa.within(10)))["subtitle"].endswith("surely.")
    assert title_of(chart.pair(UNIFORM, BUCKETS, wa.within(1)))["subtitle"].endswith("surely not.")


def test_legend__names_both_times():
    drawn = chart.pair(UNIFORM, LATER, wa.within(3), names=("door 1", "badge 7"))
    assert {row["name"] for row in rows_of(drawn, "name")} == {"X: door 1", "Y: badge 7"}


def test_points__are_drawn_as_points_of_their_mass():
    drawn = chart.pair(POINTS, MIXED, wa.within(3))
    points = {(row["at"], row["mass"]) for row in rows_of(drawn, "mass") if row.get("name") == "X"}
    assert points == {(0.0, 0.3), (5.0, 0.2), (9.0, 0.5)}


@pytest.mark.parametrize(("x", "y"), list(itertools.product(TIMES, TIMES)))
def test_difference__has_the_mass_of_every_band(x, y):
    for low, high in ((-100.0, 100.0), (-3.0, 4.5), (0.0, 40.0)):
        slopes, points = difference(x, y, (low, high))
        inside = sum((s.hi - s.lo) * (s.at_lo + s.at_hi) / 2 for s in slopes if low <= s.lo and s.hi <= high)
        inside += sum(point.mass for point in points if low <= point.at <= high)
        after, before = wa.probability(x, y, wa.deadline(high)), 1 - wa.probability(x, y, wa.delay(low))
        assert inside == pytest.approx(after - before, abs=1e-9)


def test_difference__stays_small_for_many_buckets():
    many = wa.Histogram([k * k for k in range(101)], [0.01] * 100)
    slopes, _ = difference(many, many.shifted(0.1234))
    assert len(slopes) < 2000
    assert sum((s.hi - s.lo) * (s.at_lo + s.at_hi) / 2 for s in slopes) == pytest.approx(1.0, abs=1e-2)
