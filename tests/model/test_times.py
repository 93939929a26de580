"""Models of time: what they read, and which of them cannot be."""

import datetime as dt

import pytest

import whenabouts as wa
from whenabouts.errors import BadArgument
from whenabouts.model.duration import duration
from whenabouts.model.times import Around, AroundColumn, columns_of, describe

LATENCY = wa.Histogram([0, 1], [1])

MODELS = [
    (wa.at("t"), ("t",), "at t"),
    (wa.between("a", "b"), ("a", "b"), "uniform on [a, b]"),
    (wa.around("t", "2s"), ("t",), "uniform on [t - 2s, t + 2s]"),
    (wa.around("t", "d"), ("t", "d"), "uniform on [t - d, t + d]"),
    (wa.rounded("t", "1m"), ("t",), "uniform on [t - 30s, t + 30s]"),
    (wa.detected("t", LATENCY), ("t",), "t minus a latency histogram"),
    (wa.detected("t", {"s": LATENCY}, by="k"), ("t", "k"), "t minus one of 1 latency histograms by k"),
    (wa.histogram("e", "m"), ("e", "m"), "a histogram a row (e, m)"),
    (wa.pmf("p", "m"), ("p", "m"), "a pmf a row (p, m)"),
]


@pytest.mark.parametrize(("model", "columns", "words"), MODELS, ids=[words for _, _, words in MODELS])
def test_model__names_its_columns_and_describes_itself(model, columns, words):
    assert model.columns == columns
    assert describe(model) == words


def test_columns_of__lists_every_column_once():
    assert columns_of([wa.at("t"), wa.between("lo", "t"), wa.around("t", "d")]) == ("t", "lo", "d")


def test_around__reads_a_duration_as_a_margin_and_another_text_as_a_column():
    two = duration("2s")
    assert wa.around("t", "2s") == Around("t", two, two)
    assert wa.around("t", dt.timedelta(seconds=2)) == Around("t", two, two)
    assert wa.around("t", "delta") == AroundColumn("t", "delta")


@pytest.mark.parametrize(("how", "before", "after"), [("nearest", 7.5, 7.5), ("down", 0, 15), ("up", 15, 0)])
def test_rounded__says_on_which_side_the_true_time_lies(how, before, after):
    assert wa.rounded("t", 15, how=how) == Around("t", duration(before), duration(after))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: wa.around("t", -1), "around.*the margin must not be negative"),
        (lambda: wa.around("t", "-2s"), "around.*-2s.*the margin must not be negative"),
        (lambda: wa.rounded("t", -1), "rounded.*the grain must not be negative"),
        (lambda: wa.rounded("t", 1, how="sideways"), "how='sideways'.*'nearest', 'down', 'up'"),
        (lambda: wa.rounded("t", "soon"), "rounded.*'soon' cannot be read"),
        (lambda: wa.detected("t", {}), "it is empty"),
        (lambda: wa.detected("t", {"s": [0, 1]}, by="k"), r"must map names to wa.Histogram; look at \['s'\]"),
        (lambda: wa.detected("t", {"s": LATENCY}), "needs by="),
        (lambda: wa.detected("t", LATENCY, by="k"), "needs a mapping of names to histograms"),
    ],
)
def test_model__that_cannot_be_is_refused_with_the_reason(make, words):
    with pytest.raises(BadArgument, match=words):
        make()
