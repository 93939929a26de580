"""The oracle of the similarity join: definition 3.1 and equation 2 by brute force over samples, in exact arithmetic.

It imports nothing of whenabouts. A cloud is a list of `(point, mass)`; coordinates and masses become Fractions, so no
comparison is ever rounded. A pair is looked at in every moment of its life, and stands in the answer at those moments
at which both of its objects are in their windows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

from tests import naive

Point = tuple[Fraction, ...]
Cloud = list[tuple[Point, Fraction]]

TOUCHING = Fraction(1, 10**12)
"""A distance that equals the threshold counts, though decimal numbers are rounded: by this share it may be longer."""


@dataclass(frozen=True)
class Object:
    """An uncertain object: where it may be, its place in the sequence or in time, its key and its uncertain time."""

    id: object
    place: int | float
    cloud: tuple[tuple[Point, Fraction], ...]
    key: object = None
    time: tuple | None = None


def cloud(points: Sequence[Sequence[float]], weights: Sequence[float] | None = None) -> tuple:
    """A cloud from its samples; masses are scaled to sum to exactly one, and are equal where none are given."""
    masses = [Fraction(1)] * len(points) if weights is None else [Fraction(w) for w in weights]
    total = sum(masses)
    exact = [tuple(Fraction(c) for c in point) for point in points]
    return tuple((point, mass / total) for point, mass in zip(exact, masses, strict=True))


def close(x: Point, y: Point, eps: Fraction, metric: str) -> bool:
    """Whether two certain points lie within eps of each other."""
    gaps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    reach = eps * (1 + TOUCHING)
    if metric == "manhattan":
        return sum(gaps) <= reach
    if metric == "chebyshev":
        return max(gaps, default=Fraction(0)) <= reach
    return sum(gap * gap for gap in gaps) <= reach * reach


def confidence(x: tuple, y: tuple, eps: float, metric: str = "euclidean") -> Fraction:
    """Equation 2: the mass of all pairs of samples that are close."""
    reach = Fraction(eps)
    return sum((p * q for (a, p), (b, q) in product(x, y) if close(a, b, reach, metric)), Fraction(0))


def chance(x: Object, y: Object, eps: float, metric: str, within: float | None) -> Fraction:
    """P(close in space and within d in time); space and time are independent."""
    p = confidence(x.cloud, y.cloud, eps, metric)
    if within is None:
        return p
    return p * naive.probability(list(x.time), list(y.time), -Fraction(within), Fraction(within))


def moments(objects: Iterable[Object], window: float) -> list[Fraction]:
    """Every moment at which a window can change, and one between each two of them."""
    edges = sorted({Fraction(o.place) + shift for o in objects for shift in (0, Fraction(window))})
    between = [(a + b) / 2 for a, b in pairwise(edges)]
    return sorted([*edges, *between])


def in_window(o: Object, now: Fraction, window: float) -> bool:
    """Whether an object is among the recent ones: now - window < place <= now."""
    return now - Fraction(window) < Fraction(o.place) <= now


def join(
    streams: Sequence[Sequence[Object]],
    eps: float,
    alpha: float,
    window: float | None,
    *,
    metric: str = "euclidean",
    within: float | None = None,
) -> dict[tuple, tuple]:
    """All pairs of all streams, with confidence, entry and expiry; one stream is joined with itself.

    Keys are `(left stream, left id, right stream, right id)`. In a self-join the left object is the earlier one.
    """
    result = {}
    for (s, x), (t, y) in candidates(streams):
        p = chance(x, y, eps, metric, within)
        if p <= 0 or p < Fraction(alpha) - Fraction(1, 10**12):
            continue
        life = lifetime(x, y, window)
        if life is not None:
            result[s, x.id, t, y.id] = (p, *life)
    return result


def candidates(streams: Sequence[Sequence[Object]]) -> Iterable[tuple]:
    if len(streams) == 1:
        ordered = sorted(streams[0], key=lambda o: (o.place, o.id))
        pairs: Iterable[tuple] = (((0, x), (0, y)) for x, y in combinations(ordered, 2))
    else:
        numbered = list(enumerate(streams))
        pairs = (((s, x), (t, y)) for (s, a), (t, b) in combinations(numbered, 2) for x in a for y in b)
    return (pair for pair in pairs if pair[0][1].key == pair[1][1].key)


def lifetime(x: Object, y: Object, window: float | None) -> tuple | None:
    """The first moment at which both are in their windows, and the first after it at which they are not."""
    if window is None:
        return max(x.place, y.place), None
    together = [now for now in moments([x, y], window) if in_window(x, now, window) and in_window(y, now, window)]
    if not together:
        return None
    gone = [now for now in moments([x, y], window) if now > together[-1]]
    return together[0], gone[0]
