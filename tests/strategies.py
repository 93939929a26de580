"""What the property tests draw: times full of ties, touching ends, points, empty buckets and unequal widths.

A drawn row is a few ordered moments with weights; each model of time reads it in its own way, and says at the same
time which exact distribution it means. Moments are small multiples of a unit, so that ends meet often; all numbers
are binary fractions, so that a tie is a tie in floating point too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive

MICRO, TERA = 2.0**-20, 2.0**40
"""About 1e-6 and 1e12: the units that may meet in one pair."""


@dataclass(frozen=True)
class Row:
    """Four ordered moments, three weights that are not all zero, and a key."""

    moments: tuple[float, ...]
    weights: tuple[int, ...]
    key: str | None


@dataclass(frozen=True)
class Knobs:
    """What all rows of a side share: a margin, and latency templates as (edges, mass)."""

    margin: float
    templates: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]


@dataclass(frozen=True)
class Side:
    """A table, what its columns mean, and the exact times that they stand for."""

    table: pa.Table
    model: object
    times: list[naive.Time]
    keys: list[str | None]

    def events(self, **options):
        return wa.events(self.table, id="id", time=self.model, **options)


# -- one reading of a row a model of time


def _at(rows, knobs):
    t = [row.moments[0] for row in rows]
    return {"t": t}, wa.at("t"), [naive.point(one) for one in t]


def _between(rows, knobs):
    lo, hi = [row.moments[0] for row in rows], [row.moments[1] for row in rows]
    return {"lo": lo, "hi": hi}, wa.between("lo", "hi"), list(map(naive.interval, lo, hi))


def _around(rows, knobs):
    t, d = [row.moments[0] for row in rows], Fraction(knobs.margin)
    return {"t": t}, wa.around("t", knobs.margin), [naive.interval(one - d, one + d) for one in map(Fraction, t)]


def _around_column(rows, knobs):
    t, d = [row.moments[0] for row in rows], [row.moments[1] - row.moments[0] for row in rows]
    times = [naive.interval(Fraction(a) - Fraction(b), Fraction(a) + Fraction(b)) for a, b in zip(t, d, strict=True)]
    return {"t": t, "d": d}, wa.around("t", "d"), times


def _rounded(how: str, before: Fraction, after: Fraction):
    def read(rows, knobs):
        t, grain = [row.moments[0] for row in rows], Fraction(knobs.margin)
        times = [naive.interval(one - before * grain, one + after * grain) for one in map(Fraction, t)]
        return {"t": t}, wa.rounded("t", knobs.margin, how=how), times

    return read


def _detected(rows, knobs):
    t, template = [row.moments[0] for row in rows], knobs.templates[0]
    return {"t": t}, wa.detected("t", wa.Histogram(*template)), [naive.detected(one, *template) for one in t]


def _detected_by(rows, knobs):
    t = [row.moments[0] for row in rows]
    chosen = [sum(row.weights) % len(knobs.templates) for row in rows]
    latency = {f"s{k}": wa.Histogram(*template) for k, template in enumerate(knobs.templates)}
    times = [naive.detected(one, *knobs.templates[k]) for one, k in zip(t, chosen, strict=True)]
    columns = {"t": t, "sensor": pa.array([f"s{k}" for k in chosen], pa.string())}
    return columns, wa.detected("t", latency, by="sensor"), times


def _masses(weights: Sequence[int]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def _histogram(rows, knobs):
    edges, mass = [list(row.moments) for row in rows], [_masses(row.weights) for row in rows]
    return {"edges": edges, "mass": mass}, wa.histogram("edges", "mass"), list(map(naive.histogram, edges, mass))


def _pmf(rows, knobs):
    points = [[row.moments[2], row.moments[0], row.moments[1]] for row in rows]
    mass = [_masses(row.weights) for row in rows]
    return {"points": points, "mass": mass}, wa.pmf("points", "mass"), list(map(naive.pmf, points, mass))


HALF = Fraction(1, 2)
MODELS: dict[str, Callable] = {
    "at": _at,
    "between": _between,
    "around": _around,
    "around_column": _around_column,
    "rounded_nearest": _rounded("nearest", HALF, HALF),
    "rounded_down": _rounded("down", Fraction(0), Fraction(1)),
    "rounded_up": _rounded("up", Fraction(1), Fraction(0)),
    "detected": _detected,
    "detected_by": _detected_by,
    "histogram": _histogram,
    "pmf": _pmf,
}
"""Every model of time, by name."""

SELF_SIZED = ("between", "around_column", "histogram", "pmf")
"""The models whose rows bring their own width, so that rows of very different units may meet."""


def side_of(model: str, rows: Sequence[Row], knobs: Knobs) -> Side:
    """The rows as a table under a model of time; whole numbers become an integer column."""
    columns, time, times = MODELS[model](rows, knobs)
    keys = [row.key for row in rows]
    head = {"id": pa.array(range(len(rows)), pa.int64()), "key": pa.array(keys, pa.string())}
    return Side(pa.table(head | columns), time, times, keys)


# -- random rows, for tests that want a fixed sample rather than a search


def random_rows(seed: int, count: int, *, unit: float = 1, spread: int = 12, offset: float = 0) -> list[Row]:
    """The same rows for the same seed: moments in [0, spread] units, weights of which some are zero."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        moments = sorted(offset + draw.randint(0, spread) * unit for _ in range(4))
        weights = [draw.choice((0, 1, 2, 5)) for _ in range(3)]
        rows.append(Row(tuple(moments), tuple(weights) if any(weights) else (1, 0, 1), draw.choice(("a", "b", None))))
    return rows


def random_knobs(seed: int, *, unit: float = 1, templates: int = 2) -> Knobs:
    draw = random.Random(seed)
    drawn = []
    for _ in range(templates):
        edges = sorted(draw.randint(0, 6) * unit for _ in range(3))
        drawn.append((tuple(edges), draw.choice(((0.5, 0.5), (0.25, 0.75), (0.0, 1.0)))))
    return Knobs(draw.choice((0, 0.5, 1, 3)) * unit, tuple(drawn))


# -- Hypothesis

UNITS = st.sampled_from([1, 1.0, 0.125, 1000])
OFFSETS = st.sampled_from([0, 0, 1_700_000_000])
KEYS = st.sampled_from(["a", "b", None])
WEIGHTS = st.tuples(*[st.sampled_from([0, 1, 2, 3, 5])] * 3).filter(any)
THRESHOLDS = st.sampled_from([1.0, 1.0, 0.5, 0.25, 0.125, 0.75, 0.9, 0.3, 1e-3, 1e-6, 1e-9])


@st.composite
def rows_of(draw, unit, offset=0, most: int = 7) -> list[Row]:
    """Rows on one grid, so that their ends tie and touch; a row may be a point or have empty buckets."""
    spread = draw(st.sampled_from([2, 5, 12]))
    rows = st.builds(
        lambda steps, weights, key: Row(tuple(offset + step * unit for step in sorted(steps)), weights, key),
        st.lists(st.integers(-spread, spread), min_size=4, max_size=4),
        WEIGHTS,
        KEYS,
    )
    return draw(st.lists(rows, min_size=1, max_size=most))


@st.composite
def knobs_of(draw, unit) -> Knobs:
    edges = st.lists(st.integers(0, 6), min_size=3, max_size=3).map(
        lambda steps: tuple(float(step * unit) for step in sorted(steps))
    )
    mass = st.sampled_from([(0.5, 0.5), (0.25, 0.75), (0.0, 1.0), (1.0, 0.0), (0.1, 0.9)])
    templates = draw(st.lists(st.tuples(edges, mass), min_size=1, max_size=3))
    return Knobs(draw(st.sampled_from([0, 0.5, 1, 2, 4])) * unit, tuple(templates))


@dataclass(frozen=True)
class Question:
    """Two sides, a predicate and its band."""

    left: Side
    right: Side
    predicate: object
    low: float | None
    high: float | None


@st.composite
def questions(draw, models: Sequence[str] = tuple(MODELS), most: int = 7) -> Question:
    """Two sides of any models on one grid, and a duration that is zero, narrow, wide, or negative where it may be."""
    unit, offset = draw(UNITS), draw(OFFSETS)
    sides = [
        side_of(draw(st.sampled_from(models)), draw(rows_of(unit, offset, most)), draw(knobs_of(unit)))
        for _ in range(2)
    ]
    return Question(*sides, *draw(predicates(unit)))


@st.composite
def uneven_questions(draw) -> Question:
    """The rows of a side lie on grids from a microsecond's to a teraunit's; a duration has one of these grids too."""
    grids = st.sampled_from([MICRO, 1.0, TERA])
    sides = []
    for _ in range(2):
        rows = [row for _ in range(draw(st.integers(1, 3))) for row in draw(rows_of(draw(grids), most=2))]
        sides.append(side_of(draw(st.sampled_from(SELF_SIZED)), rows, Knobs(0, ())))
    return Question(*sides, *draw(predicates(draw(grids))))


@st.composite
def predicates(draw, unit):
    """(predicate, low, high): any of the three kinds."""
    steps = draw(st.sampled_from([0, 0.5, 1, 2, 5, 11, 30]))
    kind = draw(st.sampled_from(["within", "deadline", "delay"]))
    if kind == "within":
        return wa.within(steps * unit), -steps * unit, steps * unit
    d = draw(st.sampled_from([1, -1])) * steps * unit
    return (wa.deadline(d), None, d) if kind == "deadline" else (wa.delay(d), d, None)


def thresholds(exact: Sequence[Fraction]) -> st.SearchStrategy[float]:
    """Any threshold, or one that some pair attains exactly."""
    attained = sorted({float(p) for p in exact if p > Fraction(1, 10**6)})
    return st.one_of(THRESHOLDS, st.sampled_from(attained)) if attained else THRESHOLDS


# -- times for the kernels, without a table

GRID = st.integers(-12, 12)


@st.composite
def interval_pairs(draw):
    """(x1, x2, y1, y2, z): two intervals of any widths, 1e-6 to 1e12, that overlap, touch or miss, and a bound."""
    grids = st.sampled_from([MICRO, 1.0, 1000.0, TERA])
    moments = st.builds(lambda step, grid: step * grid, GRID, grids) | st.floats(-1e6, 1e6).map(lambda f: round(f, 6))
    x1, x2 = sorted((draw(moments), draw(moments)))
    y1, y2 = sorted((draw(moments), draw(moments)))
    bounds = [0.0, y1 - x2, y2 - x1, y1 - x1, y2 - x2, draw(moments), draw(moments)]
    return x1, x2, y1, y2, draw(st.sampled_from(bounds))


@st.composite
def shape_times(draw, unit=1.0, most: int = 4) -> naive.Time:
    """A histogram with points and holes among its buckets, as an exact time."""
    steps = draw(st.lists(GRID, min_size=2, max_size=most + 1).map(sorted))
    weights = draw(
        st.lists(st.sampled_from([0, 1, 2, 5]), min_size=len(steps) - 1, max_size=len(steps) - 1).filter(any)
    )
    edges = [Fraction(step * unit) for step in steps]
    return [piece for piece in naive.histogram(edges, weights) if piece[2] > 0]
