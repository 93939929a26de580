"""The plan, before anything runs."""

import math

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.errors import BadArgument

TABLE = pa.table({"id": [1, 2], "t": pa.array([0, 10**6], pa.timestamp("us", "UTC")), "room": ["a", "b"]})
EVENTS = wa.events(TABLE, id="id", time=wa.rounded("t", "1s"))


def test_explain__says_what_is_asked_and_how_it_will_be_answered():
    plan = str(wa.explain(wa.timing_join, EVENTS, EVENTS, wa.within("2s"), min_confidence=0.6, by="room"))
    for words in (
        "P(|X - Y| <= 2s) >= 0.6",
        "uniform on [t - 500ms, t + 500ms]",
        "[-2,000,000, 2,000,000] us",
        "room",
        "auto: range sweep",
        "this process",
        "2 x 2 rows",
    ):
        assert words in plan


@pytest.mark.parametrize("strategy", ["simple", "sorted", "eager", "lazy", "lookup", "partition"])
def test_explain__names_the_paper_of_a_strategy(strategy):
    plan = str(wa.explain(wa.timing_join, EVENTS, EVENTS, wa.deadline("2s"), min_confidence=0.6, strategy=strategy))
    assert f"{strategy}: " in plan
    assert "paper 00" in plan or strategy == "sorted"
    assert "[-inf, 2,000,000]" in plan


def test_explain__reads_no_rows():
    broken = wa.events(pa.table({"id": [1], "t": [math.nan]}), id="id", time=wa.at("t"))
    assert "an error" in str(wa.explain(wa.timing_join, broken, broken, wa.within(1), min_confidence=0.5))


@pytest.mark.parametrize(
    ("verb", "options", "words"),
    [
        (
            len,
            {"min_confidence": 0.5},
            "wa.explain knows wa.timing_join, wa.match, wa.interval_query and wa.similarity",
        ),
        (wa.timing_join, {}, r"needs min_confidence=, a probability in \(0, 1\]"),
        (wa.timing_join, {"min_confidence": 0.5, "strateg": "lazy"}, "no option 'strateg'. Did you mean 'strategy'?"),
        (wa.timing_join, {"min_confidence": 2}, r"min_confidence must be in \(0, 1\], not 2"),
    ],
)
def test_explain__refuses_what_the_operator_would_refuse(verb, options, words):
    with pytest.raises(BadArgument, match=words):
        wa.explain(verb, EVENTS, EVENTS, wa.within("2s"), **options)


def objects(**more):
    rows = {"id": [1, 2], "n": [1, 2], "points": [[[0.0, 0.0]], [[1.0, 1.0], [2.0, 2.0]]]}
    return wa.objects(pa.table(rows), id="id", seq="n", samples="points", **more)


def test_explain__says_how_objects_will_be_joined():
    plan = str(wa.explain(wa.similarity_join, objects(), objects(), distance=0.5, min_confidence=0.7, window=1000))
    for words in ("euclidean distance <= 0.5", "1000 of the sequence", "0.7", "samples points", "2 x 2", "auto"):
        assert words in plan


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"distance": 1, "min_confidence": 0.5}, "needs window="),
        ({"distance": 1, "min_confidence": 0.5, "window": 3, "metrik": "x"}, "Did you mean 'metric'"),
        ({"distance": 1, "min_confidence": 1.5, "window": 3}, "min_confidence"),
    ],
)
def test_explain__refuses_what_the_similarity_join_would_refuse(options, words):
    with pytest.raises(wa.WhenaboutsError, match=words):
        wa.explain(wa.similarity_join, objects(), **options)
