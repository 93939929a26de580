"""How far every input has come."""

from __future__ import annotations

import math

from whenabouts.state.watermark import Patience, Watermarks


def test_watermark__is_the_largest_moment_minus_the_delay():
    marks = Watermarks([Patience(10.0), Patience(1.0)])
    assert marks.current() == (-math.inf, -math.inf)
    marks.advance([100.0, 50.0])
    assert marks.current() == (90.0, 49.0)


def test_watermark__never_goes_back():
    marks = Watermarks([Patience(10.0)])
    marks.advance([100.0])
    marks.advance([20.0])
    assert marks.current() == (90.0,)


def test_watermark__of_a_silent_input_stands_still():
    marks = Watermarks([Patience(10.0), Patience(10.0)])
    marks.advance([5.0, 5.0])
    marks.advance([1000.0, -math.inf])
    assert marks.current() == (990.0, -5.0)


def test_watermark__of_an_idle_input_follows_the_others():
    marks = Watermarks([Patience(10.0), Patience(10.0, idle_after=100.0)])
    marks.advance([1000.0, 5.0])
    assert marks.current() == (990.0, 890.0)
    marks.advance([1000.0, 950.0])
    assert marks.current() == (990.0, 940.0)


def test_watermark__of_an_input_that_never_spoke_follows_too():
    marks = Watermarks([Patience(0.0), Patience(10.0, idle_after=100.0)])
    marks.advance([1000.0, -math.inf])
    assert marks.current() == (1000.0, 890.0)
