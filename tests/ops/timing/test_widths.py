"""Width classes: a wide event among narrow ones changes no answer, and costs only what it is itself."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa


def table(starts, widths):
    starts, widths = np.asarray(starts, dtype=float), np.asarray(widths, dtype=float)
    return pa.table({"id": np.arange(len(starts)), "lo": starts, "hi": starts + widths})


def joined(left, right, strategy="auto", stats=None, predicate=None, min_confidence=0.3):
    sides = [wa.events(side, id="id", time=wa.between("lo", "hi")) for side in (left, right)]
    predicate = predicate or wa.within(2)
    answer = wa.timing_join(*sides, predicate, min_confidence=min_confidence, strategy=strategy, stats=stats)
    pairs = zip(answer["left_id"].to_pylist(), answer["right_id"].to_pylist(), strict=True)
    return dict(zip(pairs, answer["confidence"].to_pylist(), strict=True))


events = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([0, 1e-6, 0.5, 3, 90, 4e3, 1e9])), min_size=1, max_size=8
)


@given(events, events, st.sampled_from([wa.within(0), wa.within(2), wa.deadline(1), wa.delay(30)]))
def test_width_classes__find_what_every_probability_says(left, right, predicate):
    left, right = (table(*zip(*side, strict=True)) for side in (left, right))
    found = joined(left, right, predicate=predicate)
    assert found == pytest.approx(joined(left, right, "simple", predicate=predicate), abs=1e-12)


def test_width_classes__keep_one_wide_event_from_making_candidates_of_all():
    rows = 20_000
    narrow = table(np.arange(rows), np.full(rows, 0.5))
    wide = pa.concat_tables([narrow, pa.table({"id": [rows], "lo": [0.0], "hi": [float(rows)]})])
    alike, skewed = wa.Stats(), wa.Stats()
    expected = joined(narrow, narrow, stats=alike)
    assert joined(narrow, wide, stats=skewed) == expected
    assert skewed.candidates <= alike.candidates + 2 * rows
