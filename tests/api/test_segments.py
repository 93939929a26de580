"""The contract of segments: what is read, and every way in which a key can break it."""

import datetime as dt
import re

import pyarrow as pa
import pytest

import whenabouts as wa

GOOD = {"k": ["A"] * 4, "n": [1, 2, 3, 4], "t": [0, 2, 4, 6], "role": ["start", "suspend", "resume", "end"]}


def table(**columns):
    return pa.table({**GOOD, **columns})


def made(data, **options):
    return wa.segments(data, **{"key": "k", "seq": "n", "time": "t", "bad_rows": "quarantine", **options})


def reasons(data, **options):
    return set(made(data, **options).rejected.column("reason").to_pylist())


def confidence(left, right, query="SOME a INTERSECTS SOME b", **options):
    return wa.interval_query(left, right, query, **options).column("confidence").to_pylist()


PARTNER = wa.segments(pa.table({"k": ["B", "B"], "n": [1, 2], "t": [1, 3]}), key="k", seq="n", time="t")


def test_segments__take_gaps_in_the_numbers_and_rows_without_a_time_for_lost_events_alike():
    gap = table().filter(pa.array([True, False, True, True]))
    null = table(t=pa.array([0, None, 4, 6]))
    query = "SOME a DURING SOME b"
    right = wa.segments(pa.table({"k": ["B", "B"], "n": [1, 2], "t": [-1, 3]}), key="k", seq="n", time="t")
    assert confidence(made(gap), right, query) == confidence(made(null), right, query) == [0.75]


def test_segments__may_number_from_zero():
    assert confidence(made(table(n=[0, 1, 2, 3]), first=0), PARTNER) == [1.0]


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"k": ["A", None, "A", "A"]}, {}, "'k' is null"),
        ({"n": [1, None, 3, 4]}, {}, "'n' is null"),
        ({"n": pa.array([1, 2, 3, 2**64 - 1], pa.uint64())}, {}, "'n' is too large"),
        ({"n": [0, 1, 2, 3]}, {}, "'n' is below 1"),
        ({"n": [1, 2, 2, 4]}, {}, "there twice"),
        ({"n": [1, 2, 3, 5]}, {}, "odd number of events"),
        ({"n": [1, 2, 3, 4_000_000]}, {}, "more than a million"),
        ({"n": [1, 2, 1500, 2000]}, {}, "events in a row are lost"),
        ({}, {"expected": 2000}, "events in a row are lost"),
        (
            {"t": pa.nulls(4, pa.int64())},
            {"expected": 2000, "bounds": (0, 9)},
            "2,000 events are lost|1,000 events are",
        ),
        ({"t": [0, 4, 4, 6]}, {}, "does not come after"),
        ({"t": [0, 5, 4, 6]}, {}, "does not come after"),
        ({}, {"expected": 2}, "is beyond the last event"),
        ({"e": [4, 4, 6, 4]}, {"expected": "e"}, "not the same in all rows"),
        ({"role": ["start", "resume", "suspend", "end"]}, {"role": "role"}, "'role' is out of order"),
        ({"role": ["start", "suspend", "resume", "suspend"]}, {"role": "role"}, "holds no end"),
        ({"role": ["begin", "suspend", "resume", "end"]}, {"role": "role"}, "none of start"),
        ({"role": ["start", None, "resume", "end"]}, {"role": "role"}, "'role' is null"),
        ({}, {"bounds": (1, 9)}, "outside its bounds"),
        ({}, {"bounds": (-1, 5)}, "outside its bounds"),
        ({"n": [2, 3, 5, 6]}, {"bounds": (0, 9)}, "no room"),
        ({"t": pa.nulls(4, pa.int64())}, {"bounds": (9, 9)}, "no room"),
        ({"t": pa.nulls(4, pa.int64())}, {"bounds": (9, 0)}, "no room"),
        ({"lo": [0, 0, -1, 0]}, {"bounds": ("lo", None)}, "bounds are not the same in all rows"),
        ({"t": [None, 2, 4, 6], "lo": [5, None, None, None]}, {"bounds": ("lo", None)}, "outside its bounds"),
        ({"t": pa.array([None, None, None, 6])}, {}, "tell a rate"),
        ({"t": pa.array([0.0, float("nan"), 4.0, 6.0])}, {}, "'t' is NaN"),
    ],
)
def test_a_key_that_breaks_the_contract__is_set_aside_with_a_reason(columns, options, words):
    assert any(re.search(words, reason) for reason in reasons(table(**columns), **options))


def test_all_rows_of_a_bad_key__are_set_aside_and_no_others():
    two = pa.concat_tables([table(), table(k=["C"] * 4, t=[0, 1, 9, 6])])
    some = made(two)
    assert some.rejected.column("k").to_pylist() == ["C"] * 4
    assert wa.interval_query(some, PARTNER, "SOME a INTERSECTS SOME b").column("left_key").to_pylist() == ["A"]


def test_a_bad_key__is_an_error_that_shows_a_row_and_the_remedy():
    bad = made(table(t=[0, 1, 9, 6]), bad_rows="raise")
    with pytest.raises(wa.WhenaboutsError, match=r"k='A', n=4, t=6. Events of one key happen one after the other"):
        wa.interval_query(bad, PARTNER, "SOME a INTERSECTS SOME b")


def test_a_lost_end__is_found_by_the_number_that_is_expected():
    short = table().slice(0, 3)
    late = wa.segments(pa.table({"k": ["B", "B"], "n": [1, 2], "t": [5, 6]}), key="k", seq="n", time="t")
    bounded = made(short, expected=4, bounds=(None, 14))
    assert confidence(bounded, late, "SOME a CONTAINS SOME b") == [pytest.approx(0.8, abs=1e-12)]
    open_end = made(short, expected=4)
    assert confidence(open_end, late, "SOME a CONTAINS SOME b") == [pytest.approx(2.718281828459045**-1, abs=1e-12)]


def test_bounds__may_be_columns_and_datetimes():
    noon = dt.datetime(2024, 5, 1, 12)
    times = [noon + dt.timedelta(minutes=m) for m in (0, 2, 4)]
    data = pa.table({"k": ["A"] * 3, "n": [1, 2, 3], "t": times, "closes": [noon + dt.timedelta(minutes=14)] * 3})
    late = wa.segments(
        pa.table({"k": ["B", "B"], "n": [1, 2], "t": [noon + dt.timedelta(minutes=m) for m in (5, 6)]}),
        key="k", seq="n", time="t",
    )  # fmt: skip
    for closes in ("closes", noon + dt.timedelta(minutes=14)):
        some = made(data, expected=4, bounds=(None, closes))
        assert confidence(some, late, "SOME a CONTAINS SOME b") == [pytest.approx(0.8, abs=1e-12)]


def test_uncertain_recorded_times__take_any_model():
    data = pa.table({"k": ["A", "A"], "n": [1, 2], "lo": [0.0, 4.0], "hi": [2.0, 6.0]})
    some = made(data, time=wa.between("lo", "hi"))
    right = wa.segments(pa.table({"k": ["B", "B"], "n": [1, 2], "t": [1, 5]}), key="k", seq="n", time="t")
    for name in ("CONTAINS", "DURING", "OVERLAPS", "OVERLAPPED BY"):
        assert confidence(some, right, f"SOME a {name} SOME b") == [pytest.approx(0.25)]
    points = pa.table({"k": ["A", "A"], "n": [1, 2], "p": [[0, 1], [4, 5]], "w": [[0.5, 0.5], [0.5, 0.5]]})
    ties = made(points, time=wa.pmf("p", "w"))
    assert confidence(ties, right, "SOME a EQUALS SOME b") == [pytest.approx(0.25)]


def test_a_lost_event_beside_an_uncertain_time__is_refused():
    data = pa.table({"k": ["A"] * 3, "n": [1, 3, 4], "lo": [0, 5, 7], "hi": [1, 5, 7]})
    assert reasons(data, time=wa.between("lo", "hi")) == {"its time is uncertain and an event beside it is lost"}
    sure = pa.table({"k": ["A"] * 3, "n": [1, 3, 4], "lo": [0, 5, 7], "hi": [0, 5, 8]})
    assert reasons(sure, time=wa.between("lo", "hi")) == set()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"key": "nope"}, wa.WhenaboutsError, "'nope' is not in segments"),
        ({"seq": "role"}, TypeError, "must number the events"),
        ({"role": "n"}, TypeError, "roles start, suspend"),
        ({"expected": 3}, ValueError, "even number"),
        ({"key": "lists"}, TypeError, "only single values are compared"),
        ({"expected": 2.0}, TypeError, "neither a number of events"),
        ({"expected": "role"}, TypeError, "numbers of events"),
        ({"bounds": 5}, ValueError, "must be a pair"),
        ({"bounds": (dt.datetime(2024, 1, 1), None)}, TypeError, "must be a number"),
        ({"bad_rows": "ignore"}, ValueError, "choose"),
        ({"time": 3}, TypeError, "neither a column nor a model"),
    ],
)
def test_bad_argument__is_told_at_once(options, error, words):
    with pytest.raises(error, match=words):
        made(table(lists=[[1]] * 4), **options)


def test_segments__say_what_they_are():
    assert repr(made(table())) == "Segments(Table, key='k', seq='n', time='at t')"


def test_times__that_floats_cannot_tell_apart_are_refused_and_not_taken_for_ties():
    far, near = (pa.table({"k": ["A"] * 2, "n": [1, 2], "t": [start, 2**60 + 1]}) for start in (0, 2**60))
    partner = made(pa.table({"k": ["B"] * 2, "n": [1, 2], "t": [2**60 + 2, 2**60 + 3]}))
    assert confidence(made(near), partner, "SOME a PRECEDES SOME b") == [1.0]
    with pytest.raises(wa.WhenaboutsError, match="coarser unit"):
        confidence(made(far), partner, "SOME a PRECEDES SOME b")


def test_uncertain_times__that_can_never_be_in_order_are_set_aside_though_neighbours_could_be():
    data = pa.table({"k": ["A"] * 4, "n": [1, 2, 3, 4], "lo": [5, 0, 0, 6], "hi": [5, 9, 5, 8]})
    assert reasons(data, time=wa.between("lo", "hi")) == {"its time does not come after that of the event before"}
    wider = pa.table({"k": ["A"] * 4, "n": [1, 2, 3, 4], "lo": [5, 0, 0, 6], "hi": [5, 9, 6, 8]})
    assert reasons(wider, time=wa.between("lo", "hi")) == set()


def test_uncertain_times__with_gaps_that_can_never_be_in_order_are_an_error():
    points, mass = [[3, 9], [1, 8], [5, 8], [10, 11]], [[0.5, 0.5]] * 4
    data = pa.table({"k": ["A"] * 4, "n": [1, 2, 3, 4], "at": points, "p": mass})
    with pytest.raises(wa.WhenaboutsError, match="nowhere be in order"):
        confidence(made(data, time=wa.pmf("at", "p")), PARTNER)
