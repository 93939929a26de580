"""Predicates: the band that each one is."""

import math

import pytest

import whenabouts as wa
from whenabouts.errors import BadArgument, MixedUnits
from whenabouts.model.clock import Clock, timestamp_clock

NUMBERS = Clock("number")


@pytest.mark.parametrize(
    ("predicate", "band", "shown"),
    [
        (wa.within(3), (-3.0, 3.0), "|X - Y| <= 3"),
        (wa.within(0), (-0.0, 0.0), "|X - Y| <= 0"),
        (wa.deadline(3), (-math.inf, 3.0), "X + 3 >= Y"),
        (wa.deadline(-3), (-math.inf, -3.0), "X - 3 >= Y"),
        (wa.delay(3), (3.0, math.inf), "X + 3 <= Y"),
        (wa.delay(-3), (-3.0, math.inf), "X - 3 <= Y"),
    ],
)
def test_predicate__is_a_band_on_y_minus_x(predicate, band, shown):
    assert predicate.band(NUMBERS) == band
    assert str(predicate) == shown


def test_predicate__is_counted_in_the_ticks_of_the_clock():
    assert wa.within("2s").band(timestamp_clock("us", "UTC")) == (-2e6, 2e6)
    assert wa.delay("1ms").band(timestamp_clock("s", None)) == (0.001, math.inf)


@pytest.mark.parametrize("d", [-1, "-2s", -1e-300])
def test_within__refuses_a_negative_length(d):
    with pytest.raises(BadArgument, match="can hold for no pair: give a length of zero or more"):
        wa.within(d)


@pytest.mark.parametrize("make", [wa.within, wa.deadline, wa.delay])
def test_predicate__names_itself_in_errors(make):
    with pytest.raises(BadArgument, match=rf"{make.__name__}\(...\) 'soon' cannot be read"):
        make("soon")
    with pytest.raises(MixedUnits, match=rf"{make.__name__}\(...\) is 2s, but the times are plain numbers"):
        make("2s").band(NUMBERS)
