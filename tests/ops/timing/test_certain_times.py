"""Times without width are a plain band join: integers, floats, and timestamps of every unit, with and without zones."""

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive
from tests.agreement import pairs_of
from whenabouts.ops.timing.question import STRATEGIES

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
ZONES = [None, "UTC", "Europe/Rome"]
BANDS = {
    "within": (wa.within, lambda d: (-d, d)),
    "deadline": (wa.deadline, lambda d: (None, d)),
    "delay": (wa.delay, lambda d: (d, None)),
}


def pointless(ticks, kind: pa.DataType):
    """Points written in three ways: exactly, as an interval of no width, and with no margin."""
    table = pa.table({"id": range(len(ticks)), "t": pa.array(ticks, kind), "again": pa.array(ticks, kind)})
    margin = "0s" if pa.types.is_timestamp(kind) else 0
    return [
        wa.events(table, id="id", time=time)
        for time in (wa.at("t"), wa.between("t", "again"), wa.around("t", margin), wa.rounded("t", margin))
    ]


def assert_is_band_join(left, right, predicate, expected, **options) -> None:
    result = pairs_of(wa.timing_join(left, right, predicate, min_confidence=options.pop("at_least", 0.7), **options))
    assert set(result) == expected
    assert set(result.values()) <= {1.0}


TICKS = st.lists(st.integers(-6, 6), min_size=1, max_size=8)


@given(TICKS, TICKS, st.integers(0, 7), st.sampled_from(list(BANDS)), st.sampled_from(STRATEGIES), st.data())
def test_integers__without_width_are_a_band_join(one, other, d, kind, strategy, data):
    make, band = BANDS[kind]
    d = d if kind == "within" else d * data.draw(st.sampled_from([1, -1]))
    expected = naive.band_join(one, other, *band(d))
    offset = data.draw(st.sampled_from([0, 2**40, -(2**61)]), label="offset")
    left = data.draw(st.sampled_from(pointless([offset + t for t in one], pa.int64())))
    right = data.draw(st.sampled_from(pointless([offset + t for t in other], pa.int64())))
    assert_is_band_join(
        left, right, make(d), expected, strategy=strategy, at_least=data.draw(st.sampled_from([1.0, 0.1]))
    )


FLOATS = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.7, 1e-9, 1e15]), min_size=1, max_size=8)


@given(FLOATS, FLOATS, st.sampled_from([0, 0.1, 0.2, 0.3, 1e-9, 5e5]), st.sampled_from(list(BANDS)), st.data())
def test_floats__without_width_are_a_band_join_to_the_last_bit(one, other, d, kind, data):
    """0.4 - 0.1 rounds to more than 0.3; the exact difference of these floats decides, as the oracle has it."""
    make, band = BANDS[kind]
    left, right = (wa.events(pa.table({"id": range(len(t)), "t": t}), id="id", time=wa.at("t")) for t in (one, other))
    low, high = (None if end is None else naive.Fraction(end) for end in band(d))
    expected = naive.band_join(one, other, low, high)
    assert_is_band_join(left, right, make(d), expected, strategy=data.draw(st.sampled_from(STRATEGIES)))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("unit", NANOSECONDS)
@pytest.mark.parametrize("kind", BANDS)
def test_timestamps__without_width_are_a_band_join(unit, zone, kind):
    make, band = BANDS[kind]
    start = 1_767_225_600 * 10**9 // NANOSECONDS[unit]
    one, other = [0, 3, 3, 10, 11], [1, 3, 7, 12, 400]
    expected = naive.band_join(one, other, *band(4))
    length = f"{4 * NANOSECONDS[unit]}ns"
    for left, right in zip(
        pointless([start + t for t in one], pa.timestamp(unit, zone)),
        pointless([start + t for t in other], pa.timestamp(unit, zone)),
        strict=True,
    ):
        assert_is_band_join(left, right, make(length), expected)


@pytest.mark.parametrize(("one", "other"), [("s", "ns"), ("us", "ms"), ("ns", "us")])
def test_timestamps__of_two_units_meet_on_the_finer_one(one, other):
    seconds = [0, 5, 60]
    left, right = (
        wa.events(
            pa.table({"id": [0, 1, 2], "t": pa.array([s * 10**9 // NANOSECONDS[u] for s in seconds], pa.timestamp(u))}),
            id="id",
            time=wa.at("t"),
        )
        for u in (one, other)
    )
    assert_is_band_join(left, right, wa.within("5s"), {(0, 0), (1, 1), (2, 2), (0, 1), (1, 0)})


def test_timestamps__with_zones_are_compared_as_instants():
    moment = dt.datetime(2026, 3, 29, 1, 30, tzinfo=dt.UTC)
    left, right = (
        wa.events(pa.table({"id": [1], "t": pa.array([moment], pa.timestamp("us", zone))}), id="id", time=wa.at("t"))
        for zone in ("America/New_York", "Asia/Tokyo")
    )
    assert_is_band_join(left, right, wa.within(dt.timedelta(0)), {(1, 1)})
