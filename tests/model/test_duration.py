"""Durations: the forms that are read, exactly, and the ones that are refused with a hint."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whenabouts.errors import BadArgument
from whenabouts.model.duration import Duration, duration, is_duration_text

NANOSECONDS = {
    "2s": 2 * 10**9,
    "1h 30m": 5400 * 10**9,
    "1h30m": 5400 * 10**9,
    "0.5s": 5 * 10**8,
    "250ms": 250 * 10**6,
    "3us": 3000,
    "3µs": 3000,
    "3 μs": 3000,
    "7ns": 7,
    "1d": 86400 * 10**9,
    "2w": 14 * 86400 * 10**9,
    "15 seconds": 15 * 10**9,
    "1 minute": 60 * 10**9,
    "5 min": 300 * 10**9,
    "2 Hours": 7200 * 10**9,
    "10 Millis": 10**7,
    "-2s": -2 * 10**9,
    "- 1m 30s": -90 * 10**9,
    "  4s ": 4 * 10**9,
    "0s": 0,
    "0.1ns": Fraction(1, 10),
}


@pytest.mark.parametrize(("text", "nanoseconds"), NANOSECONDS.items(), ids=NANOSECONDS)
def test_duration__reads_text_exactly(text, nanoseconds):
    assert duration(text) == Duration(Fraction(nanoseconds), plain=False)
    assert is_duration_text(text)


@pytest.mark.parametrize("text", ["", "-", "2", "s", "two seconds", "2 parsecs", "2s foo", "1e3s", "2s -1s", "--2s"])
def test_duration__refuses_text_that_is_none_and_says_how_to_write_it(text):
    assert not is_duration_text(text)
    with pytest.raises(BadArgument, match=r"window .* cannot be read\. Write it as '2s' or '1h 30m'; units: ns, us"):
        duration(text, "window")


@pytest.mark.parametrize("value", [None, True, np.True_, np.timedelta64("NaT"), [2], b"2s", 2 + 1j])
def test_duration__refuses_what_is_no_length_at_all(value):
    with pytest.raises(BadArgument, match="window must be a text such as '2s', a timedelta or a number"):
        duration(value, "window")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_duration__must_be_finite(value):
    with pytest.raises(BadArgument, match="window must be finite"):
        duration(value, "window")


@given(st.timedeltas())
def test_duration__takes_a_timedelta_without_loss(delta):
    assert duration(delta).amount == Fraction(delta // dt.timedelta(microseconds=1)) * 1000
    assert not duration(delta).plain


def test_duration__keeps_the_nanoseconds_of_a_pandas_timedelta():
    assert duration(pd.Timedelta("1us 7ns")).amount == 1007
    assert duration(pd.Timedelta("-7ns")).amount == -7


@given(st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False))
def test_duration__takes_a_number_without_loss(number):
    assert duration(number) == Duration(Fraction(number), plain=True)


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        (np.timedelta64(1007, "ns"), 1007),
        (np.timedelta64(-7, "ns"), -7),
        (np.timedelta64(2, "s"), 2 * 10**9),
        (np.timedelta64(3, "W"), 21 * 86400 * 10**9),
    ],
)
def test_duration__keeps_the_nanoseconds_of_a_numpy_timedelta(value, nanoseconds):
    assert duration(value) == Duration(Fraction(nanoseconds), plain=False)


@pytest.mark.parametrize("value", [np.int64(5), np.int8(5), np.float64(5), np.float32(5)], ids=repr)
def test_duration__takes_a_numpy_number(value):
    assert duration(value) == Duration(Fraction(5), plain=True)


def test_duration__leaves_a_duration_alone():
    length = duration("2s")
    assert duration(length) is length


@given(st.integers(-(10**18), 10**18))
def test_duration__reads_back_what_it_prints(nanoseconds):
    length = Duration(Fraction(nanoseconds), plain=False)
    assert duration(str(length)) == length


@pytest.mark.parametrize(
    ("value", "shown"),
    [("90s", "1m 30s"), ("1500ms", "1s 500ms"), ("-2s", "-2s"), ("0s", "0s"), (2.5, "2.5"), (3, "3")],
)
def test_duration__prints_as_people_write_it(value, shown):
    assert str(duration(value)) == shown


@pytest.mark.parametrize(("unit", "nanoseconds"), [("ns", 1), ("us", 10**3), ("s", 10**9), ("h", 3600 * 10**9)])
def test_duration__of_numpy_is_exact_for_all_that_numpy_can_hold(unit, nanoseconds):
    for count in (1, -1, 10**12 + 7):
        assert duration(np.timedelta64(count, unit)).amount == count * nanoseconds
