"""The oracle: what the answers are, by definition, in exact rational arithmetic.

It imports nothing of whenabouts and shares no formula with it. A time is a list of pieces `(lo, hi, mass)`: a
piece with `lo == hi` is a point, any other one is uniform. A probability is an integral over possible worlds: for a
fixed moment x of the left event, the chance that the right one falls into [x + low, x + high] is a length, and as a
function of x it is linear (or constant) between breakpoints, so that the midpoint rule adds it up without error.
Slow is fine here; wrong is not.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product

Piece = tuple[Fraction, Fraction, Fraction]
Time = list[Piece]
Number = int | float | Fraction

ONE = Fraction(1)
ZERO = Fraction(0)


def time(*pieces: tuple[Number, Number, Number]) -> Time:
    """A time from its pieces, with masses scaled to sum to exactly one."""
    exact = [(Fraction(lo), Fraction(hi), Fraction(mass)) for lo, hi, mass in pieces]
    total = sum((mass for _, _, mass in exact), ZERO)
    return sorted((lo, hi, mass / total) for lo, hi, mass in exact)


def point(t: Number) -> Time:
    return time((t, t, 1))


def interval(lo: Number, hi: Number) -> Time:
    return time((lo, hi, 1))


def histogram(edges: Sequence[Number], mass: Sequence[Number]) -> Time:
    return time(*((lo, hi, part) for (lo, hi), part in zip(pairwise(edges), mass, strict=True)))


def pmf(points: Sequence[Number], mass: Sequence[Number]) -> Time:
    return time(*((at, at, part) for at, part in zip(points, mass, strict=True)))


def detected(t: Number, edges: Sequence[Number], mass: Sequence[Number]) -> Time:
    """Detection minus latency: each bucket of the latency, mirrored at the moment of detection."""
    now = Fraction(t)
    buckets = zip(pairwise(edges), mass, strict=True)
    return time(*((now - Fraction(hi), now - Fraction(lo), part) for (lo, hi), part in buckets))


def support(x: Time) -> tuple[Fraction, Fraction]:
    """The first and the last moment that are possible."""
    possible = [(lo, hi) for lo, hi, mass in x if mass > 0]
    return min(lo for lo, _ in possible), max(hi for _, hi in possible)


def shifted(x: Time, by: Number) -> Time:
    return [(lo + Fraction(by), hi + Fraction(by), mass) for lo, hi, mass in x]


def inside(y: Time, start: Fraction | None, end: Fraction | None) -> Fraction:
    """P(start <= Y <= end); None is unbounded."""
    total = ZERO
    for lo, hi, mass in y:
        first = lo if start is None else max(lo, start)
        last = hi if end is None else min(hi, end)
        if first > last:
            continue
        total += mass if lo == hi else mass * (last - first) / (hi - lo)
    return total


def probability(x: Time, y: Time, low: Number | None, high: Number | None) -> Fraction:
    """P(low <= Y - X <= high) for independent X and Y; None is unbounded."""
    ends = [None if end is None else Fraction(end) for end in (low, high)]
    total = ZERO
    for lo, hi, mass in x:
        if mass == 0:
            continue
        if lo == hi:
            total += mass * _from(lo, y, *ends)
            continue
        breaks = {edge - end for left, right, _ in y for edge in (left, right) for end in ends if end is not None}
        grid = [lo, *sorted(b for b in breaks if lo < b < hi), hi]
        area = sum(((b - a) * _from((a + b) / 2, y, *ends) for a, b in pairwise(grid)), ZERO)
        total += mass * area / (hi - lo)
    return total


def _from(x: Fraction, y: Time, low: Fraction | None, high: Fraction | None) -> Fraction:
    """The probability of the band for a left event that happened at x."""
    return inside(y, None if low is None else x + low, None if high is None else x + high)


def probability_over_worlds(x: Time, y: Time, low: Number | None, high: Number | None) -> Fraction:
    """The same for pmfs only, by listing every possible world: it judges `probability` itself."""
    assert all(lo == hi for lo, hi, _ in (*x, *y)), "only finitely many worlds can be listed"
    return sum(
        (
            p * q
            for (a, _, p), (b, _, q) in product(x, y)
            if (low is None or low <= b - a) and (high is None or b - a <= high)
        ),
        ZERO,
    )


def join(
    left: Sequence[Time],
    right: Sequence[Time],
    low: Number | None,
    high: Number | None,
    threshold: Number,
    by: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
) -> dict[tuple[int, int], Fraction]:
    """All pairs (i, j) of equal keys whose probability reaches the threshold; a key of None equals nothing."""
    everything = probabilities(left, right, low, high, by)
    return {pair: p for pair, p in everything.items() if p >= Fraction(threshold)}


def probabilities(
    left: Sequence[Time],
    right: Sequence[Time],
    low: Number | None,
    high: Number | None,
    by: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
) -> dict[tuple[int, int], Fraction]:
    """The probability of every pair of equal keys."""
    return {
        (i, j): probability(x, y, low, high)
        for (i, x), (j, y) in product(enumerate(left), enumerate(right))
        if by is None or (by[0][i] is not None and by[0][i] == by[1][j])
    }


def band_join(
    left: Iterable[Number], right: Iterable[Number], low: Number | None, high: Number | None
) -> set[tuple[int, int]]:
    """The join of certain times: all (i, j) with low <= right[j] - left[i] <= high."""
    return {
        (i, j)
        for (i, x), (j, y) in product(enumerate(left), enumerate(right))
        if (low is None or low <= Fraction(y) - Fraction(x)) and (high is None or Fraction(y) - Fraction(x) <= high)
    }


def least_room(x: Time, y: Time, confidence: Number, steps: int = 90) -> Fraction:
    """The least z with P(Y - X <= z) >= confidence, from above, by halving the range of Y - X."""
    (x_first, x_last), (y_first, y_last) = support(x), support(y)
    low, high = y_first - x_last, y_last - x_first
    if probability(x, y, None, low) >= Fraction(confidence):
        return low
    for _ in range(steps):
        middle = (low + high) / 2
        if probability(x, y, None, middle) >= Fraction(confidence):
            high = middle
        else:
            low = middle
    return high


def stime(x: Time, y: Time, confidence: Number) -> Fraction:
    """Paper 000, definition 8: the T with P(X + max(y) - T >= Y) = confidence; max(y) is the last edge."""
    return max(hi for _, hi, _ in y) - least_room(x, y, confidence)


def no_later(x: Time, y: Time) -> bool:
    """Whether P(X <= t) >= P(Y <= t) for every t; both sides are linear between the ends of pieces."""
    moments = sorted({end for lo, hi, mass in (*x, *y) if mass > 0 for end in (lo, hi)})
    probes = [*moments, *((a + b) / 2 for a, b in pairwise(moments))]
    at = all(inside(x, None, t) >= inside(y, None, t) for t in probes)
    return at and all(_before(x, t) >= _before(y, t) for t in moments)


def _before(x: Time, t: Fraction) -> Fraction:
    """P(X < t)."""
    return inside(x, None, t) - sum((mass for lo, hi, mass in x if lo == hi == t), ZERO)
