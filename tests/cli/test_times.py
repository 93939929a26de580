"""Models of time as text."""

import json

import pytest

import whenabouts as wa
from whenabouts.cli.times import parse_time
from whenabouts.errors import BadArgument

SAME = [
    ("at(t)", wa.at("t")),
    ("between(lo, hi)", wa.between("lo", "hi")),
    ("  between ( lo ,hi )  ", wa.between("lo", "hi")),
    ("between(hi=hi, lo=lo)", wa.between("lo", "hi")),
    ("""between("first seen", 'last, seen')""", wa.between("first seen", "last, seen")),
    ("around(t, 2s)", wa.around("t", "2s")),
    ("around(t, 1h 30m)", wa.around("t", "1h 30m")),
    ("around(t, 2.5)", wa.around("t", 2.5)),
    ("around(t, margin)", wa.around("t", "margin")),
    ("rounded(t, 15s)", wa.rounded("t", "15s")),
    ("rounded(t, 15s, down)", wa.rounded("t", "15s", "down")),
    ("rounded(t, to=10, how=up)", wa.rounded("t", 10, "up")),
    ("histogram(edges, mass)", wa.histogram("edges", "mass")),
    ("pmf(points, mass)", wa.pmf("points", "mass")),
]


@pytest.mark.parametrize(("text", "model"), SAME)
def test_text__reads_as_the_model(text, model):
    assert parse_time(text) == model


def test_detected__reads_latencies_from_json(tmp_path):
    latency = {"s1": {"edges": [0, 10, 20], "mass": [0.6, 0.4]}, "s2": {"edges": [0, 5], "mass": [1]}}
    path = tmp_path / "latency-2.json"
    path.write_text(json.dumps(latency))
    templates = {name: wa.Histogram(one["edges"], one["mass"]) for name, one in latency.items()}
    assert parse_time(f"detected(t, {path}, by=sensor)") == wa.detected("t", templates, by="sensor")
    path.write_text(json.dumps(latency["s1"]))
    assert parse_time(f"detected(t, '{path}')") == wa.detected("t", templates["s1"])


WRONG = [
    ("", "^ expected a model of time"),
    ("betwen(lo, hi)", "Did you mean 'between'?"),
    ("between", "expected '('"),
    ("between(lo, hi", "expected ',' or ')'"),
    ("between(lo, hi) extra", "expected the end"),
    ("between(lo,, hi)", "expected a name or a value"),
    ("between(lo, hi, more)", "expected what between(lo, hi) has"),
    ("between(lo, lo=x)", "expected what between(lo, hi) has"),
    ("between(low=a, hi=b)", "expected what between(lo, hi) has"),
    ("between(lo)", "lacks hi"),
    ("at('t)", "closing quote"),
    ("rounded(t, 15s, sideways)", "sideways"),
    ("detected(t, nowhere.json)", "cannot be read"),
    ("__import__('os').system('true')", "expected a model of time"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_mistakes__say_what_would_have_fitted(text, words):
    with pytest.raises(BadArgument) as caught:
        parse_time(text)
    assert words in str(caught.value)


def test_caret__stands_under_the_mistake():
    with pytest.raises(BadArgument) as caught:
        parse_time("between(lo, hi) extra")
    _, text, caret = str(caught.value).splitlines()
    assert text[caret.index("^")] == "e"
    assert text[caret.index("^") :] == "extra"


@pytest.mark.parametrize(
    "content", ["nonsense", "[1]", '{"s1": {"edges": [0, 1]}}', '{"s1": {"edges": [0, 1], "mass": [2]}}']
)
def test_latencies_that_are_none__are_explained(tmp_path, content):
    path = tmp_path / "latency.json"
    path.write_text(content)
    with pytest.raises(BadArgument, match=r"latency\.json"):
        parse_time(f"detected(t, {path}, by=sensor)")
