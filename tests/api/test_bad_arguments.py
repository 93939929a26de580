"""Arguments that cannot be: the error says what is wrong, where, and what to write instead."""

import datetime as dt
import math

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.errors import BadArgument, MixedUnits, UnknownColumn, WhenaboutsError, WrongType

INSTANT, LOCAL = pa.timestamp("us", "UTC"), pa.timestamp("us")
TABLE = pa.table(
    {
        "id": [1],
        "earliest": [0],
        "latest": [5],
        "sensor": ["s"],
        "number": [7],
        "instant": pa.array([0], INSTANT),
        "local": pa.array([0], LOCAL),
        "day": pa.array([0], pa.date32()),
        "length": pa.array([1], pa.duration("us")),
        "edges": [[0.0, 1.0]],
        "mass": [[1.0]],
        "words": [["a"]],
        "yes": [True],
    }
)
LATENCY = wa.Histogram([0, 1], [1])


def events(time, table=TABLE, **options):
    return wa.events(table, id="id", time=time, **options)


NUMBERS = events(wa.between("earliest", "latest"))

UNKNOWN = {
    "id": lambda: wa.events(TABLE, id="idd", time=wa.at("number")),
    "time": lambda: events(wa.at("numbr")),
    "lo": lambda: events(wa.between("earlist", "latest")),
    "hi": lambda: events(wa.between("earliest", "lattest")),
    "margin": lambda: events(wa.around("number", "lengthh")),
    "sensor": lambda: events(wa.detected("number", {"s": LATENCY}, by="sensr")),
    "edges": lambda: events(wa.histogram("edge", "mass")),
    "mass": lambda: events(wa.pmf("edges", "masss")),
    "type": lambda: events(wa.at("number"), type="sensorr"),
    "by": lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, by="sensorr"),
    "right by": lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, by={"sensor": "sensorr"}),
    "left_columns": lambda: wa.timing_join(
        NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, left_columns=["sensorr"]
    ),
    "right_columns": lambda: wa.timing_join(
        NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, right_columns=["nmber"]
    ),
}
NEAREST = {
    "id": "id", "time": "number", "lo": "earliest", "hi": "latest", "margin": "length", "sensor": "sensor",
    "edges": "edges", "mass": "mass", "type": "sensor", "by": "sensor", "right by": "sensor",
    "left_columns": "sensor", "right_columns": "number",
}  # fmt: skip


@pytest.mark.parametrize("role", UNKNOWN)
def test_column__that_is_not_there_is_named_with_all_that_are_and_the_nearest(role):
    with pytest.raises(UnknownColumn) as caught:
        UNKNOWN[role]()
    message = str(caught.value)
    assert f"Did you mean {NEAREST[role]!r}?" in message
    assert "(id, earliest, latest, sensor, number" in message


def test_column__must_be_named_by_text():
    with pytest.raises(UnknownColumn, match="0 is not in events"):
        wa.events(TABLE, id=0, time=wa.at("number"))


def test_column__that_is_like_no_other_is_named_without_a_guess():
    with pytest.raises(UnknownColumn, match=r"'zzz' is not in events \(id, .*yes\)\.$"):
        events(wa.at("zzz"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: events(wa.at("sensor")), "'sensor' must be a timestamp or a number to be a time, not string. Cast it"),
        (lambda: events(wa.at("yes")), "'yes' must be a timestamp or a number to be a time, not bool"),
        (lambda: events(wa.at("day")), "'day' must be .* not date32.*wa.rounded"),
        (lambda: events(wa.at("edges")), "'edges' must be a timestamp or a number to be a time, not list"),
        (lambda: events(wa.around("number", "sensor")), "'sensor' must hold numbers, not string"),
        (
            lambda: events(wa.detected("number", {"s": LATENCY}, by="yes")),
            "'yes' must hold the names .* as text or integers, not bool",
        ),
        (lambda: events(wa.histogram("number", "mass")), "'number' must hold an array a row, not int64"),
        (lambda: events(wa.histogram("edges", "number")), "'number' must hold an array a row, not int64"),
        (lambda: events(wa.pmf("words", "mass")), "'words' must be a timestamp or a number"),
        (lambda: events(wa.pmf("edges", "words")), "'words' must hold numbers, not string"),
        (lambda: events("number"), "time='number' is not a model of time. For exact times use wa.at"),
        (
            lambda: wa.timing_join(TABLE, NUMBERS, wa.within(1), min_confidence=0.5),
            r"left must be made by wa.events\(...\), not a bare Table",
        ),
        (
            lambda: wa.timing_join(NUMBERS, None, wa.within(1), min_confidence=0.5),
            r"right must be made by wa.events\(...\), not a bare NoneType",
        ),
        (
            lambda: wa.timing_join(NUMBERS, NUMBERS, 2, min_confidence=0.5),
            r"The predicate must be wa.within\(d\), wa.deadline\(d\) or wa.delay\(d\), not 2",
        ),
        (
            lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, by={"sensor": "number"}),
            "by: 'sensor' is string and 'number' is int64; equal keys need one type",
        ),
        (
            lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, left_columns="sensor"),
            "are lists of names, not 'sensor'",
        ),
        (
            lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, right_columns=None),
            "are lists of names, not None",
        ),
        (
            lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, by=3),
            "by= takes a column, several, or a mapping of left to right columns, not 3",
        ),
        (
            lambda: wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, by="edges"),
            "by: 'edges' is list.*; only single values are compared",
        ),
        (
            lambda: wa.events(TABLE, id="edges", time=wa.at("number"), unique_ids=True),
            "unique_ids=True, but 'edges' is list.*; only single values are compared",
        ),
        (lambda: wa.probability(3, LATENCY, wa.within(1)), "A time must be a wa.Histogram.*, not 3"),
        (lambda: wa.probability(LATENCY, LATENCY, 3), "The predicate must be .*, not 3"),
        (lambda: wa.satisfaction_time(LATENCY, None, 0.5), "A time must be a wa.Histogram.*, not None"),
    ],
)
def test_type__that_does_not_fit_its_role_is_named(make, words):
    with pytest.raises(WrongType, match=words):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: events(wa.between("instant", "local")), "'instant' and 'local' are times of different kinds"),
        (lambda: events(wa.between("number", "instant")), "'number' and 'instant' are times of different kinds"),
        (lambda: events(wa.around("number", "length")), "'length' holds durations, but the times are plain numbers"),
        (lambda: events(wa.around("instant", "number")), "'number' holds plain numbers, but the times are timestamps"),
        (lambda: events(wa.around("number", "2s")), "is 2s, but the times are plain numbers"),
        (lambda: events(wa.around("instant", 2)), "is the number 2, but the times are timestamps"),
        (lambda: events(wa.rounded("local", 2)), "is the number [12], but the times are timestamps"),
        (lambda: events(wa.at("number"), max_delay="2s"), "max_delay is 2s, but the times are plain numbers"),
        (lambda: events(wa.at("instant"), max_width=2), "max_width is the number 2, but the times are timestamps"),
    ],
)
def test_units__that_differ_within_one_side_are_refused(make, words):
    with pytest.raises(MixedUnits, match=words):
        make()


@pytest.mark.parametrize(
    ("left", "right", "predicate", "words"),
    [
        ("instant", "local", wa.within("2s"), "with a time zone, of the other timestamps without a time zone"),
        ("local", "number", wa.within("2s"), "timestamps without a time zone, of the other plain numbers"),
        ("number", "instant", wa.within(2), "plain numbers, of the other timestamps with a time zone"),
        ("number", "number", wa.within("2s"), r"within\(...\) is 2s, but the times are plain numbers"),
        ("number", "number", wa.deadline(dt.timedelta(1)), r"deadline\(...\) is 1d, but the times are plain numbers"),
        (
            "instant",
            "instant",
            wa.delay(2),
            r"delay\(...\) is the number 2, but the times are timestamps. Write it as '2s'",
        ),
    ],
)
def test_units__that_differ_between_the_sides_or_the_predicate_are_refused(left, right, predicate, words):
    with pytest.raises(MixedUnits, match=words):
        wa.timing_join(events(wa.at(left)), events(wa.at(right)), predicate, min_confidence=0.5)


@pytest.mark.parametrize("threshold", [0, -0.1, 1.0000001, 2, math.nan, math.inf, "0.5", None, True])
def test_min_confidence__must_be_in_zero_to_one(threshold):
    with pytest.raises(BadArgument, match=r"min_confidence must be in \(0, 1\], not "):
        wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=threshold)
    with pytest.raises(BadArgument, match=r"in \(0, 1\], not "):
        wa.satisfaction_time(LATENCY, LATENCY, threshold)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "lazzy"}, "strategy='lazzy' is not one of auto, sweep, .*Did you mean 'lazy'?"),
        ({"strategy": None}, "strategy=None is not one of"),
        ({"block_size": 0}, "block_size must be a whole number, at least 1, not 0"),
        ({"block_size": "3"}, "block_size must be a whole number, at least 1, not '3'"),
        ({"threads": -2}, "threads must be a whole number, at least 1, not -2"),
        ({"every": -1}, "every must not be negative, but is -1"),
        ({"every": "soon"}, "every 'soon' cannot be read"),
    ],
)
def test_timing_join__refuses_options_that_make_no_sense(options, words):
    with pytest.raises(BadArgument, match=words):
        wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bad_rows": "ignore"}, 'bad_rows=\'ignore\': choose "raise" or "quarantine"'),
        ({"max_delay": -1}, "max_delay must not be negative, but is -1"),
        ({"max_width": -1}, "max_width must not be negative, but is -1"),
        ({"max_delay": "soon"}, "max_delay 'soon' cannot be read"),
    ],
)
def test_events__refuses_options_that_make_no_sense(options, words):
    with pytest.raises(BadArgument, match=words):
        events(wa.at("number"), **options)


@pytest.mark.parametrize("side", ["left", "right"])
def test_timing_join__refuses_to_carry_a_column_onto_the_name_of_another(side):
    """`left_id` is the id; a column called id would need the same name."""
    for names in (["id"], ["number", "number"]):
        with pytest.raises(BadArgument, match=f"{side}_(id|number)"):
            wa.timing_join(NUMBERS, NUMBERS, wa.within(1), min_confidence=0.5, **{f"{side}_columns": names})


def test_errors__share_one_root_and_are_the_builtin_kind_that_fits():
    for kind, builtin in (
        (BadArgument, ValueError),
        (UnknownColumn, KeyError),
        (WrongType, TypeError),
        (MixedUnits, TypeError),
    ):
        assert issubclass(kind, WhenaboutsError)
        assert issubclass(kind, builtin)
