"""One sweep for all first matches gives what growing them one by one gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.match_programs import comparisons
from whenabouts.kernels.events import uniform_events
from whenabouts.kernels.match.work import Question
from whenabouts.ops.match import sweeps
from whenabouts.ops.match.evaluate import Prepared, grown
from whenabouts.ops.match.sweeps import swept


@st.composite
def streams(draw):
    """Intervals of three or four components, of which one may be negated; some fit two of them."""
    negated = [False, False, False]
    if draw(st.booleans()):
        negated.insert(draw(st.integers(1, 2)), True)
    count = draw(st.integers(3, 8))
    lo = [draw(st.integers(0, 20)) * 1.0 for _ in range(count)]
    hi = [a + draw(st.integers(1, 7)) for a in lo]
    fits = [
        {draw(st.integers(0, len(negated) - 1)) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))}
        for _ in range(count)
    ]
    groups = [draw(st.integers(0, 1)) for _ in range(count)]
    return negated, np.array(lo), np.array(hi), fits, groups, draw(st.integers(1, 12)) * 1.0


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


@given(streams())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_sweep__gives_what_growing_gives(case):
    expected = mapped(grown(prepared(case), np.arange(3), incremental=True))
    chunks = swept(prepared(case))
    if chunks is None:
        assert not any(map(len, prepared(case).rows))
        return
    got = mapped(chunks)
    assert set(got) == set(expected)
    for signature, (earliest, latest, confidence) in expected.items():
        assert got[signature][:2] == (earliest, latest)
        assert abs(got[signature][2] - confidence) <= 1e-10
