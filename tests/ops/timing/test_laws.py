"""Laws that hold without any oracle: what must not change, and what can only grow or shrink."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests.agreement import pairs_of
from tests.strategies import MODELS, knobs_of, questions, rows_of, side_of

TINY = 1e-9


def joined(question, predicate=None, **options):
    options = {"min_confidence": TINY, **options}
    result = wa.timing_join(question.left.events(), question.right.events(), predicate or question.predicate, **options)
    return pairs_of(result)


@given(questions(), st.lists(st.sampled_from([1e-6, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=2, max_size=2, unique=True))
def test_pairs__only_become_fewer_when_more_confidence_is_asked(question, thresholds):
    low, high = sorted(thresholds)
    many, few = joined(question, min_confidence=low), joined(question, min_confidence=high)
    assert {pair: p for pair, p in many.items() if p >= high - 1e-12} == few


@given(questions(), st.sampled_from([wa.within, wa.deadline]), st.lists(st.integers(0, 12), min_size=2, max_size=2))
def test_pairs__only_become_more_and_surer_when_the_window_grows(question, make, lengths):
    short, long = (joined(question, make(d)) for d in sorted(lengths))
    assert set(short) <= set(long)
    assert all(long[pair] >= p - 1e-12 for pair, p in short.items())


@given(questions(), st.sampled_from([0, 0.5, 1, 3, 12]))
def test_within__is_the_deadline_and_the_delay_together(question, d):
    """P(|Z| <= d) = P(Z <= d) + P(Z >= -d) - 1."""
    both, early, late = (joined(question, ask) for ask in (wa.within(d), wa.deadline(d), wa.delay(-d)))
    for pair in {*early, *late}:
        together = early.get(pair, 0.0) + late.get(pair, 0.0) - 1.0
        assert both.get(pair, 0.0) == pytest.approx(max(together, 0.0), abs=1e-8)


@given(questions(), st.randoms(use_true_random=False))
def test_pairs__do_not_depend_on_the_order_of_rows(question, shuffle):
    order = list(range(len(question.right.table)))
    shuffle.shuffle(order)
    shuffled = wa.events(question.right.table.take(order), id="id", time=question.right.model)
    other = pairs_of(wa.timing_join(question.left.events(), shuffled, question.predicate, min_confidence=TINY))
    assert other == joined(question)


@given(st.data(), st.sampled_from(list(MODELS)), st.sampled_from(list(MODELS)), st.sampled_from([-(10**9), 10**15]))
def test_pairs__do_not_depend_on_where_time_begins(data, one, other, later):
    """The same events in another epoch, as whole numbers: not a digit changes."""
    knobs = data.draw(knobs_of(1))
    rows = data.draw(rows_of(1)), data.draw(rows_of(1))
    d = data.draw(st.sampled_from([0, 2, 9]))
    answers = []
    for offset in (0, later):
        sides = [
            side_of(
                model, [type(row)(tuple(m + offset for m in row.moments), row.weights, row.key) for row in some], knobs
            )
            for model, some in zip((one, other), rows, strict=True)
        ]
        events = (side.events() for side in sides)
        answers.append(pairs_of(wa.timing_join(*events, wa.within(d), min_confidence=TINY)))
    assert answers[0] == answers[1]


CLOCKS = {
    "microseconds": (pa.timestamp("us"), 1, "us"),
    "instants": (pa.timestamp("us", "Asia/Kathmandu"), 1, "us"),
    "nanoseconds": (pa.timestamp("ns"), 1000, "ns"),
    "milliseconds": (pa.timestamp("ms"), 1, "ms"),
    "seconds with a zone": (pa.timestamp("s", "UTC"), 1, "s"),
}


@pytest.mark.parametrize(("kind", "scale", "unit"), CLOCKS.values(), ids=CLOCKS)
@given(data=st.data())
def test_pairs__do_not_depend_on_how_time_is_written(kind, scale, unit, data):
    """Ticks as whole numbers, and the same ticks as timestamps of any unit, with and without a zone."""
    ends = [[sorted(pair) for pair in data.draw(TICKS)] for _ in range(2)]
    d = data.draw(st.sampled_from([0, 1, 7]))
    strategy = data.draw(st.sampled_from(["auto", "eager", "partition"]))
    answers = []
    for stamps in (False, True):
        by, clock = (scale, kind) if stamps else (1, pa.int64())
        sides = (
            wa.events(
                pa.table(
                    {
                        "id": range(len(rows)),
                        "lo": pa.array([lo * by for lo, _ in rows], clock),
                        "hi": pa.array([hi * by for _, hi in rows], clock),
                    }
                ),
                id="id",
                time=wa.between("lo", "hi"),
            )
            for rows in ends
        )
        length = f"{d * scale}{unit}" if stamps else d
        answers.append(pairs_of(wa.timing_join(*sides, wa.within(length), min_confidence=0.01, strategy=strategy)))
    assert answers[1] == {pair: pytest.approx(p, abs=1e-12) for pair, p in answers[0].items()}


TICKS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=5)
