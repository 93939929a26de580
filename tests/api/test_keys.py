"""Equality keys of many types: what is equal meets, whatever its layout."""

import datetime as dt

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.agreement import pairs_of
from whenabouts.errors import WrongType


def keyed(keys: pa.Array) -> wa.Events:
    return wa.events(pa.table({"id": range(len(keys)), "t": [0] * len(keys), "key": keys}), id="id", time=wa.at("t"))


def meet(one: pa.Array, other: pa.Array) -> set:
    return set(pairs_of(wa.timing_join(keyed(one), keyed(other), wa.within(0), min_confidence=1.0, by="key")))


DAY = dt.date(2026, 1, 1)
SAME = {
    "text and categories": (pa.array(["a", "b", None]), pa.array(["b", "z", None]).dictionary_encode()),
    "categories of two sizes": (
        pa.array(["a", "b"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        pa.array(["b", "c"]).dictionary_encode().cast(pa.dictionary(pa.int16(), pa.large_string())),
    ),
    "text and large text": (pa.array(["a", "b"]), pa.array(["b", "z"], pa.large_string())),
    "text and views": (pa.array(["a", "b"]), pa.array(["b", "z"]).cast(pa.string_view())),
    "integers of two sizes": (pa.array([1, 2], pa.int32()), pa.array([2, 3], pa.int64())),
    "integers and unsigned ones": (pa.array([1, 2], pa.int64()), pa.array([2, 3], pa.uint32())),
    "hashes": (pa.array([7, 2**64 - 1], pa.uint64()), pa.array([2**64 - 1, 8], pa.uint64())),
    "truths": (pa.array([None, True]), pa.array([True, False])),
    "days": (pa.array([None, DAY]), pa.array([DAY, None])),
    "floats": (pa.array([0.5, 0.25]), pa.array([0.25, 0.75])),
    "numbers of the world": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16, b"b" * 16], pa.binary(16))),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"b" * 16, b"c" * 16], pa.binary(16))),
    ),
    "zeros": (pa.array([1.0, 0.0]), pa.array([-0.0, 2.0])),
    "bytes": (pa.array([b"a", b"b"]), pa.array([b"b", b"c"])),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_keys__meet_where_they_are_equal(one, other):
    """In each case the second key of the left is the first key of the right, and no other two are equal."""
    assert meet(one, other) == {(1, 0)}
    assert meet(other, one) == {(0, 1)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array(["1"]), pa.array([1])),
        (pa.array([1]), pa.array([1.0])),
        (pa.array([1], pa.uint64()), pa.array([1], pa.int64())),
        (pa.array([True]), pa.array([1])),
    ],
    ids=lambda keys: str(keys.type),
)
def test_keys__of_types_that_cannot_be_compared_are_refused(one, other):
    with pytest.raises(WrongType, match=r"by: 'key' is .* and 'key' is .*; equal keys need one type"):
        meet(one, other)


def test_keys__that_are_all_null_meet_nothing():
    none = pa.array([None, None], pa.string())
    assert meet(none, none) == set()


def test_keys__may_be_as_many_as_rows():
    count = 5000
    assert len(meet(pa.array(range(count)), pa.array(range(count - 1, -1, -1)))) == count


def test_sensors__may_be_numbered():
    table = pa.table({"id": [1, 2], "t": [10, 10], "sensor": pa.array([7, 8], pa.int16())})
    latency = {7: wa.Histogram([0, 0], [1]), "8": wa.Histogram([5, 5], [1])}
    events = wa.events(table, id="id", time=wa.detected("t", latency, by="sensor"))
    five = wa.events(pa.table({"id": [0], "t": [5]}), id="id", time=wa.at("t"))
    assert set(pairs_of(wa.timing_join(five, events, wa.within(0), min_confidence=1.0))) == {(0, 2)}


@pytest.mark.parametrize("name", ["a.b", "two words", "`quoted`", "naïve", "__first", "confidence", "left_id"])
def test_columns__may_have_any_name(engine, name):
    time, lists, id = name + ".t", name + "[]", name
    table = pa.table({id: [1, 2, None], time: [0.0, 9.0, 9.0], lists: [[0.0], [9.0], [9.0]], "mass": [[1.0]] * 3})
    for model in (wa.at(time), wa.pmf(lists, "mass")):
        events = engine.events(table, id=id, time=model, bad_rows="quarantine", unique_ids=True)
        options = {"by": [name, time], "left_columns": [name], "min_confidence": 1.0}
        pairs = engine.collect(wa.timing_join(events, events, wa.within(1), **options))
        assert sorted(pairs[f"left_{name}"].to_pylist()) == [1, 2]
        assert set(pairs_of(pairs)) == {(1, 1), (2, 2)}
        assert engine.collect(events.rejected)[time].to_pylist() == [9.0]
