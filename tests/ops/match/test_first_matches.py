"""One sweep for all first matches gives what the worlds say, and what growing them one by one gives."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests import naive_match as naive
from tests.match_programs import comparisons
from whenabouts.kernels.events import uniform_events
from whenabouts.kernels.match.work import Question
from whenabouts.ops.match import sweeps
from whenabouts.ops.match.evaluate import Prepared, grown
from whenabouts.ops.match.sweeps import swept


@st.composite
def streams(draw, most=9, groups=2):
    """Intervals of three or four components, of which one may be negated; some fit two of them, or all."""
    negated = [False, False, False]
    if draw(st.booleans()):
        negated.insert(draw(st.integers(1, 2)), True)
    count = draw(st.integers(3, most))
    lo = [draw(st.integers(0, 20)) * 1.0 for _ in range(count)]
    hi = [a + draw(st.integers(1, 7)) for a in lo]
    fits = [
        {draw(st.integers(0, len(negated) - 1)) for _ in range(draw(st.sampled_from([1, 1, 2, 3])))}
        for _ in range(count)
    ]
    unit = draw(st.sampled_from([1.0, 2.0**-20, 2.0**20]))
    lo, hi, window = np.array(lo) * unit, np.array(hi) * unit, draw(st.integers(1, 12)) * unit
    return negated, lo, hi, fits, [draw(st.integers(0, groups - 1)) for _ in range(count)], window


def prepared(case):
    negated, lo, hi, fits, groups, window = case
    rows = [np.array([k for k, some in enumerate(fits) if v in some], dtype=np.int64) for v in range(len(negated))]
    codes = [np.array(groups, dtype=np.int64)[row] for row in rows]
    program = comparisons(len(negated), [0] * len(lo), [])
    return Prepared(uniform_events(lo, hi), rows, codes, 2, negated, program, Question(window, False, True, 0.0))


def mapped(chunks):
    found = {}
    for chunk in chunks:
        for k, signature in enumerate(map(tuple, chunk.events.tolist())):
            assert signature not in found
            found[signature] = (chunk.earliest[k], chunk.latest[k], chunk.confidence[k])
    return found


@pytest.fixture(autouse=True)
def _sweep_small_groups(monkeypatch):
    monkeypatch.setattr(sweeps, "_WORTH_A_SWEEP", 0)
    monkeypatch.setattr(sweeps, "_WORTH_OVERLAP", 0.0)
    monkeypatch.setattr(sweeps, "_WORTH_APART", 0.0)


def check(got, expected):
    assert set(got) == set(expected)
    for signature, (earliest, latest, confidence) in expected.items():
        assert got[signature][:2] == (earliest, latest)
        assert abs(got[signature][2] - confidence) <= 1e-10


_A_HOLE_AMONG_THE_CANDIDATES = (
    [False, False, False], np.array([13.0, 16.0, 17.0]), np.array([17.0, 17.0, 18.0]), [{1, 2}, {0, 2}, {1, 2}],
    [1, 1, 1], 1.0,
)  # fmt: skip
"""The first event fits the third component, too, and is none of its rivals."""


@given(streams(), st.sampled_from([1, 2, 256]), st.sampled_from([1, 20, 1000]))
@example(_A_HOLE_AMONG_THE_CANDIDATES, 1, 1000)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_one_sweep__gives_what_growing_gives(monkeypatch, case, together, room):
    monkeypatch.setattr(sweeps, "_TOGETHER", together)
    monkeypatch.setattr(sweeps, "ROOM", room)
    chunks = swept(prepared(case))
    check(mapped(chunks or []), mapped(grown(prepared(case), np.arange(3), incremental=True)))
    assert chunks is not None or not any(map(len, prepared(case).rows))


@given(streams(most=5, groups=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_one_sweep__gives_what_the_worlds_say(case):
    negated, lo, hi, fits, _, window = case
    pieces = [((Fraction(a), Fraction(b), Fraction(1)),) for a, b in zip(lo, hi, strict=True)]
    events = [naive.Event(k, one, k) for k, one in enumerate(pieces)]
    components = [naive.Component(lambda one, v=v: v in fits[one.kind], absent) for v, absent in enumerate(negated)]
    answers = naive.continuous(events, naive.Pattern(components, Fraction(window), "next"))
    check(
        mapped(swept(prepared(case)) or []),
        {one: (answer.earliest, answer.latest, answer.confidence) for one, answer in answers.items()},
    )


@pytest.mark.parametrize("widths", [[30.0], [24.0, 36.0], np.linspace(20.0, 40.0, 24)])
def test_one_sweep__stays_exact_where_many_rivals_overlap(widths):
    rng = np.random.default_rng(7)
    lo = np.sort(rng.uniform(0.0, 30.0, 24))
    fits = [{k % 3} for k in range(24)]
    case = [False, False, False], lo, lo + rng.choice(widths, 24), fits, [0] * 24, 12.0
    one_root = prepared(case)
    one_root.rows[0], one_root.groups[0] = one_root.rows[0][:1], one_root.groups[0][:1]
    got = {one: answer for one, answer in mapped(swept(prepared(case))).items() if one[0] == 0}
    check(got, mapped(grown(one_root, np.arange(3), incremental=True)))


@pytest.mark.parametrize(
    ("width", "fits", "is_swept"),
    [
        (1.0, [{0}, {1}, {2}], True),
        (0.1, [{0}, {1}, {2}], False),
        (1.0, [{0, 1, 2}], False),
        (5.0, [{0, 1, 2}], True),
    ],
)
def test_a_sweep__pays_where_rivals_overlap_and_most_first_events_are_none(monkeypatch, width, fits, is_swept):
    monkeypatch.setattr(sweeps, "_WORTH_OVERLAP", 0.25)
    monkeypatch.setattr(sweeps, "_WORTH_APART", 3.0)
    lo = np.arange(24.0)
    case = [False, False, False], lo, lo + width, [fits[k % len(fits)] for k in range(24)], [0] * 24, 12.0
    assert (swept(prepared(case)) is not None) == is_swept
