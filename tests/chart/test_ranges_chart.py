"""The chart of ranges marks exactly where the kernels cut."""

import numpy as np
import pytest

import whenabouts as wa
from whenabouts import chart
from whenabouts.chart.curves import interval_curves, template_curves
from whenabouts.errors import BadArgument
from whenabouts.kernels.timing.bounds import uniform_bounds
from whenabouts.testing import template_histograms

TEMPLATES = template_histograms(12, length=(200, 1200), seed=5)
X = TEMPLATES["s03"].shifted(5000 - TEMPLATES["s03"].span[1])


def marks_of(drawn):
    """LH, LL, RL and RH by name."""
    rows = [row for rows in drawn.to_dict()["datasets"].values() for row in rows]
    return {row["name"]: row["m"] for row in rows if "name" in row}


def test_interval_ranges__marks_the_bounds_of_the_kernel():
    bounds = uniform_bounds(
        np.array([1000.0]), np.array([1200.0]), np.zeros(1, dtype=np.int64), np.array([20.0]), np.array([200.0]),
        -400.0, 400.0, 0.7, False,
    )  # fmt: skip
    marks = marks_of(chart.interval_ranges(1000, 1200, (20, 200), wa.within(400), 0.7))
    assert marks == dict(zip(("LH", "LL", "RL", "RH"), (float(end[0]) for end in bounds), strict=True))


def test_ranges__marks_the_satisfaction_times_of_theorem_3():
    marks = marks_of(chart.ranges(X, TEMPLATES, wa.within(1500), 0.8))
    times = [wa.satisfaction_time(X, partner, 0.8) + 1500 for partner in TEMPLATES.values()]
    assert marks["RL"] == pytest.approx(min(times), rel=1e-7)
    assert marks["RH"] == pytest.approx(max(times), rel=1e-7)
    times = [wa.satisfaction_time(X, partner, 0.2) - 1500 for partner in TEMPLATES.values()]
    assert marks["LH"] == pytest.approx(min(times), rel=1e-7)
    assert marks["LL"] == pytest.approx(max(times), rel=1e-7)


def test_ranges__lie_inside_those_of_equations_4_to_6():
    curves = template_curves(X, list(TEMPLATES.values()), -1500.0, 1500.0, 0.8)
    widest = max(one.span[1] - one.span[0] for one in TEMPLATES.values())
    assert curves.free.no_before == pytest.approx(X.span[0] - 1500)
    assert curves.free.yes_from == pytest.approx(X.span[1] - 1500 + widest)
    assert curves.free.yes_to == pytest.approx(X.span[0] + 1500)
    assert curves.free.no_after == pytest.approx(X.span[1] + 1500 + widest)
    assert curves.free.no_before < curves.ends.no_before < curves.ends.yes_from < curves.free.yes_from
    assert curves.free.yes_to < curves.ends.yes_to < curves.ends.no_after < curves.free.no_after


def test_curves__are_the_exact_probabilities_of_the_extreme_partners():
    curves = template_curves(X, list(TEMPLATES.values()), -1500.0, 1500.0, 0.8)
    for place in range(0, len(curves.m), 40):
        m = float(curves.m[place])
        all_of_them = [
            wa.probability(X, partner.shifted(m - partner.span[1]), wa.within(1500)) for partner in TEMPLATES.values()
        ]
        assert curves.least[place] == pytest.approx(min(all_of_them), abs=1e-9)
        assert curves.most[place] == pytest.approx(max(all_of_them), abs=1e-9)


@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("widths", [(0, 0), (0, 150), (20, 200), (80, 80)])
def test_curves__cross_the_threshold_only_where_it_is_probed(widths, confidence):
    curves = interval_curves(1000, 1120, widths, -400.0, 400.0, confidence)
    outside = (curves.m < curves.ends.no_before) | (curves.m > curves.ends.no_after)
    inside = (curves.m >= curves.ends.yes_from) & (curves.m <= curves.ends.yes_to)
    assert (curves.most[outside] < confidence + 1e-9).all()
    assert (curves.least[inside] > confidence - 1e-9).all()


@pytest.mark.parametrize(("predicate", "names"), [(wa.deadline(400), {"RL", "RH"}), (wa.delay(400), {"LH", "LL"})])
def test_one_sided_predicates__have_one_sided_ranges(predicate, names):
    assert set(marks_of(chart.interval_ranges(1000, 1200, (20, 200), predicate, 0.7))) == names


def test_band_narrower_than_the_times__leaves_nothing_sure():
    drawn = chart.interval_ranges(0, 2, (0, 2), wa.within("1s"), 0.9)
    assert set(marks_of(drawn)) == {"LH", "RH"}
    assert drawn.to_dict()["title"]["text"].endswith("all in between is probed")


def test_title__says_the_ranges_in_words():
    text = chart.interval_ranges(1000, 1200, (20, 200), wa.within(400), 0.7).to_dict()["title"]["text"]
    assert text == "Surely yes for m from 845 to 1,470; surely no before 750 or after 1,555"


def test_spec__holds_no_infinity():
    for predicate in (wa.within(1), wa.deadline(400), wa.delay(400)):
        text = chart.interval_ranges(1000, 1200, (20, 200), predicate, 0.7).to_json()
        assert "Infinity" not in text
        assert "NaN" not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1000, 1200, (200, 20), wa.within(1), 0.7), "narrowest, widest"),
        ((1000, 1200, (20, 200), wa.within(1), 0.0), "min_confidence"),
    ],
)
def test_wrong_arguments__are_explained(arguments, words):
    with pytest.raises(BadArgument, match=words):
        chart.interval_ranges(*arguments)


def test_no_templates__is_an_error():
    with pytest.raises(BadArgument, match="at least one"):
        chart.ranges(X, {}, wa.within(1), 0.5)
