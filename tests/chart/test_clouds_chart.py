"""Charts of clouds state the confidence, and the map draws every pair."""

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts import chart
from whenabouts.errors import BadArgument

X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [4.0, 4.0]]
Y = [[1.0, 1.0], [0.0, 2.0]]


def rows_of(drawn, column):
    layers = [layer["data"]["values"] for layer in drawn.to_dict()["layer"]]
    return [row for rows in layers for row in rows if column in row]


def test_clouds__state_the_confidence_and_mark_the_samples_that_count():
    drawn = chart.clouds(X, Y, distance=1.0)
    assert drawn.to_dict()["title"]["text"] == "P(distance <= 1) = 0.375"
    near = [row["near"] for row in rows_of(drawn, "near")]
    assert near == [False, True, True, False, True, True]
    ruler = rows_of(drawn, "a2")[0]
    assert ((ruler["a2"] - ruler["a"]) ** 2 + (ruler["b2"] - ruler["b"]) ** 2) ** 0.5 == pytest.approx(1.0)


@pytest.mark.parametrize("bad", [[], [[float("nan"), 0.0]], [[0.0, 0.0, 0.0]]])
def test_clouds__refuse_what_is_none(bad):
    with pytest.raises(BadArgument):
        chart.clouds(X, bad, distance=1.0)


def test_near__draws_every_object_and_a_line_for_every_pair():
    table = pa.table({"id": [0, 1, 2], "n": [0, 1, 2], "at": [X[:2], Y, [[9.0, 9.0]]]})
    side = wa.objects(table, id="id", seq="n", samples="at")
    pairs = wa.similarity_join(side, distance=2, min_confidence=0.5, window=5)
    drawn = chart.near(pairs, side)
    assert len(rows_of(drawn, "stream")) == 3
    lines = rows_of(drawn, "pair")
    assert [(line["pair"], line["a"], line["b"]) for line in lines] == [("0 · 1", 0.5, 0.0)]
    assert drawn.to_dict()["title"]["text"] == "1 pairs that are near"
