"""Clocks: what a time column counts, and which clocks may meet."""

import pytest

from whenabouts.errors import MixedUnits
from whenabouts.model.clock import Clock, timestamp_clock
from whenabouts.model.duration import duration

TICKS = {"s": 2.0, "ms": 2000.0, "us": 2e6, "ns": 2e9}


@pytest.mark.parametrize(("unit", "ticks"), TICKS.items(), ids=TICKS)
@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_clock__counts_a_duration_in_its_own_ticks(unit, ticks, zone):
    assert timestamp_clock(unit, zone).ticks(duration("2s"), "d") == ticks


def test_clock__of_numbers_takes_plain_numbers():
    assert Clock("number").ticks(duration(2.5), "d") == 2.5


def test_clock__does_not_round_a_duration_finer_than_its_tick():
    assert timestamp_clock("s", None).ticks(duration("1500ms"), "d") == 1.5


def test_clock__of_numbers_refuses_units_and_says_what_to_write():
    with pytest.raises(MixedUnits, match=r"within\(...\) is 2s, but the times are plain numbers. Write it as a number"):
        Clock("number").ticks(duration("2s"), "within(...)")


def test_clock__of_timestamps_refuses_plain_numbers_and_says_what_to_write():
    with pytest.raises(MixedUnits, match=r"is the number 2, but the times are timestamps\. Write it as '2s'"):
        timestamp_clock("us", None).ticks(duration(2), "within(...)")


def test_meet__takes_the_finer_tick():
    assert timestamp_clock("s", None).meet(timestamp_clock("us", None)).tick == 1000
    assert timestamp_clock("ns", "UTC").meet(timestamp_clock("ms", "Asia/Tokyo")) == Clock("instant", 1)


@pytest.mark.parametrize(
    ("unit", "lengths", "tick"),
    [
        ("s", ["2s", "0.5s"], 10**9),
        ("s", ["1ms"], 10**6),
        ("s", ["1ms", "500ns"], 10**3),
        ("s", ["1ns"], 10**3),
        ("us", ["1ns"], 10**3),
        ("ns", ["1ms"], 1),
    ],
)
def test_fine_enough__counts_lengths_in_halves_of_a_tick_down_to_microseconds(unit, lengths, tick):
    assert timestamp_clock(unit, None).fine_enough(*map(duration, lengths)).tick == tick


def test_meet__is_exact_only_where_both_are():
    whole, broken = Clock("number"), Clock("number", exact=False)
    assert whole.meet(whole).exact
    assert not whole.meet(broken).exact
    assert not broken.meet(whole).exact


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (timestamp_clock("us", "UTC"), timestamp_clock("us", None), "with a time zone.*without a time zone"),
        (timestamp_clock("us", None), Clock("number"), "without a time zone.*plain numbers"),
        (Clock("number"), timestamp_clock("us", "UTC"), "plain numbers.*with a time zone"),
    ],
)
def test_meet__refuses_clocks_that_cannot_be_compared(one, other, words):
    with pytest.raises(MixedUnits, match=words + ".*Bring both to the same kind"):
        one.meet(other)
