"""What the property tests of patterns draw: a few events on a small grid, full of ties, points and touching ends."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from tests import naive_match as naive
from whenabouts.kernels.events import Events, Shapes, uniform_events


@st.composite
def plain_times(draw, most=8, widest=5):
    """One interval or point, as pieces."""
    lo = draw(st.integers(0, most))
    return ((Fraction(lo), Fraction(lo + draw(st.integers(0, widest))), Fraction(1)),)


@st.composite
def shaped_times(draw, most=6):
    """One to three pieces of unequal mass, in order; some of them points, some touching."""
    pieces, at = [], draw(st.integers(0, most))
    weights = draw(st.lists(st.sampled_from([1, 2, 4]), min_size=1, max_size=3))
    for weight in weights:
        width = draw(st.integers(0, 2))
        pieces.append((Fraction(at), Fraction(at + width), Fraction(weight, sum(weights))))
        at += width + draw(st.integers(0 if width else 1, 2))
    return tuple(pieces)


def counted(pieces):
    """Pieces whose ends are ticks, made disjoint: one that starts where the last one ended begins a tick later."""
    result = []
    for lo, hi, mass in pieces:
        if result and lo <= result[-1][1]:
            lo = result[-1][1] + 1
        result.append((lo, max(lo, hi), mass))
    return tuple(result)


def kernel_events(times, discrete: bool) -> Events:
    """Pieces as the kernels know them; by their ends alone where every event has one piece."""
    more = 1 if discrete else 0
    if all(len(pieces) == 1 for pieces in times):
        return uniform_events(
            np.array([float(p[0][0]) for p in times]), np.array([float(p[0][1] + more) for p in times])
        )
    start = np.concatenate([[0], np.cumsum([len(pieces) for pieces in times])]).astype(np.int64)
    lo, hi, mass = (np.array([float(piece[k]) for pieces in times for piece in pieces]) for k in range(3))
    hi = hi + more
    count = len(times)
    shapes = Shapes(start, lo, hi, mass)
    return Events(lo[start[:-1]], hi[start[1:] - 1], np.zeros(count), np.arange(count, dtype=np.int64), shapes)


def sequence(length: int, window, strategy="any") -> naive.Pattern:
    """The pattern whose component k takes events of kind k."""
    parts = [naive.Component(lambda one, k=k: one.kind == str(k)) for k in range(length)]
    return naive.Pattern(parts, Fraction(window), strategy)
