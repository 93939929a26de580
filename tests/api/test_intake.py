"""What all kinds of data have in common on their way in."""

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.api.intake import what_of_bad_rows

VERBS = {
    "events": lambda data: wa.events(data, id="id", time=wa.at("t")),
    "segments": lambda data: wa.segments(data, key="id", seq="n", time="t"),
    "objects": lambda data: wa.objects(data, id="id", seq="n", samples="points"),
}
COLUMNS = {"id": pa.array([1]), "t": pa.array([1]), "n": pa.array([1]), "points": pa.array([[[0.0]]])}


@pytest.mark.parametrize("verb", VERBS)
def test_data__with_two_columns_of_one_name_is_refused(verb):
    twice = pa.Table.from_arrays([*COLUMNS.values(), COLUMNS["t"]], names=[*COLUMNS, "t"])
    with pytest.raises(wa.WhenaboutsError, match="several columns called 't'"):
        VERBS[verb](twice)


@pytest.mark.parametrize("verb", VERBS)
def test_bad_rows__of_a_batch_raise_by_default(verb):
    assert VERBS[verb](pa.table(COLUMNS)).bad_rows == "raise"


def test_bad_rows__of_a_stream_are_set_aside_by_default():
    assert what_of_bad_rows(None, streaming=True) == "quarantine"
    assert what_of_bad_rows("raise", streaming=True) == "raise"


@pytest.mark.parametrize(
    ("verb", "columns"),
    [
        (wa.events, {"id": "id", "time": wa.at("t")}),
        (wa.segments, {"key": "id", "seq": "n", "time": "t"}),
        (wa.objects, {"id": "id", "seq": "n", "samples": "points"}),
    ],
)
@pytest.mark.parametrize("role", ["max_delay", "idle_after"])
def test_declarations__must_not_be_negative(verb, columns, role):
    with pytest.raises(wa.WhenaboutsError, match=f"{role} must not be negative"):
        verb(pa.table(COLUMNS), **columns, **{role: -1})


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_threads__are_one_or_more(threads):
    side = VERBS["segments"](pa.table({"id": [1, 1], "t": [1, 2], "n": [1, 2]}))
    with pytest.raises(wa.WhenaboutsError, match="threads must be a whole number"):
        wa.interval_query(side, side, "SOME a EQUALS SOME b", threads=threads)
