"""Interval queries over streams, without Spark: whatever the order of arrival, the answers are those of the batch."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whenabouts as wa
from tests.state.streams import Stream
from whenabouts.api.interval_query import plan_query
from whenabouts.spark.streaming.intervals import IntervalStream
from whenabouts.state.intervals.machine import Waiting
from whenabouts.state.route import BUCKET
from whenabouts.state.watermark import Patience

SHARING = "AT LEAST 2 a INTERSECTS SOME b"
FAR = 10_000


def events(side, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for key in range(4):
        count = 2 * int(rng.integers(1, 4))
        times = 20 * key + np.cumsum(rng.integers(1, 6, count))
        kept = [n for n in range(count) if n in (0, count - 1) or rng.random() > 0.3]
        rows += [(f"{side}{key}", n + 1, int(times[n]), count) for n in kept]
    key, seq, time, total = zip(*rows, strict=True)
    return pa.table({"k": key, "n": seq, "t": time, "total": total})


def hashed(table):
    buckets = [sum(map(ord, key)) for key in table.column("k").to_pylist()]
    return table.append_column(BUCKET, pa.array(buckets, pa.int64()))


def asked(left, right, **options):
    made = [wa.segments(table, key="k", seq="n", time="t", expected="total") for table in (left, right)]
    return made, plan_query(*made, SHARING, None, options.get("min_confidence"), True, "lattice", None, None, None)


def stream_of(
    question, *, timeout=math.inf, keep=math.inf, updates=False, groups=1, delay=FAR / 2, pairs=None, widths=(0.0, 0.0)
):
    plan = IntervalStream(
        question, (Patience(delay), Patience(delay)), Waiting(timeout, keep, widths), updates, groups, pairs
    )  # fmt: skip
    return Stream(plan.inlets(), plan.keeper, groups)


def answers(stream):
    return [row for table in stream.results for row in table.to_pylist()]


def by_pair(rows):
    return {(row["left_key"], row["right_key"]): row["confidence"] for row in rows}


END = pa.table({"k": ["~end", "~end"], "n": [1, 2], "t": [FAR, FAR + 1], "total": [2, 2]})


@settings(max_examples=15)
@given(st.integers(0, 50), st.randoms(use_true_random=False), st.sampled_from([1, 2, 4]))
def test_stream__gives_the_answers_of_the_batch_in_any_order_of_arrival(seed, random, groups):
    left, right = events("l", seed), events("r", seed + 1000)
    made, question = asked(left, right)
    stream = stream_of(question, groups=groups)
    rows = [random.sample(range(len(table)), len(table)) for table in (left, right)]
    for part in range(3):
        stream.turn(
            *(hashed(t.take(pa.array(r[part::3], pa.int64()))) for t, r in zip((left, right), rows, strict=True))
        )
    assert answers(stream) == []
    stream.turn(hashed(END), hashed(END))
    found = answers(stream)
    assert by_pair(found) == by_pair(wa.interval_query(*made, SHARING).to_pylist())
    assert len(found) == 16


def test_a_pair__is_final_when_both_of_its_ends_are_in():
    left = pa.table({"k": ["x"] * 4, "n": [1, 2, 3, 4], "t": [0, 10, 20, 30], "total": [4] * 4})
    right = pa.table({"k": ["y"] * 4, "n": [1, 2, 3, 4], "t": [5, 15, 25, 35], "total": [4] * 4})
    _, question = asked(left, right)
    stream = stream_of(question, delay=0.0)
    for row in range(4):
        stream.turn(hashed(left.slice(row, 1)), hashed(right.slice(row, 1)))
        assert len(answers(stream)) == (1 if row == 3 else 0)
    assert by_pair(answers(stream)) == {("x", "y"): 1.0}


def test_timeout__closes_a_key_and_counts_what_comes_later_as_lost():
    left = pa.table({"k": ["x"] * 4, "n": [1, 2, 3, 4], "t": [0, 10, 20, 30], "total": [4] * 4})
    right = pa.table({"k": ["y"] * 2, "n": [1, 2], "t": [22, 24], "total": [2] * 2})
    made, question = asked(left.take([0, 1, 2]), right)
    stream = stream_of(question, timeout=50.0, delay=100.0)
    nothing = hashed(left.slice(0, 0))
    stream.turn(hashed(left.slice(0, 3)), hashed(right))
    later = pa.table({"k": ["z"], "n": [1], "t": [190], "total": [2]})
    stream.turn(hashed(later), hashed(later))
    assert by_pair(answers(stream)) == by_pair(wa.interval_query(*made, SHARING).to_pylist())
    stream.turn(hashed(left.slice(3, 1)), nothing)
    assert stream.counts[-1]["left_late"] + stream.counts[-1]["after_closing"] == 1.0
    assert len(answers(stream)) == 1


def test_updates__tell_a_provisional_confidence_at_every_change():
    left = pa.table({"k": ["x"] * 4, "n": [1, 2, 3, 4], "t": [0, 10, 20, 30], "total": [4] * 4})
    right = pa.table({"k": ["y"] * 4, "n": [1, 2, 3, 4], "t": [5, 15, 25, 35], "total": [4] * 4})
    _, question = asked(left, right)
    stream = stream_of(question, delay=0.0, updates=True)
    for row in range(4):
        stream.turn(hashed(left.slice(row, 1)), hashed(right.slice(row, 1)))
    told = [(row["final"], row["confidence"]) for row in answers(stream)]
    assert [final for final, _ in told] == [False, False, True]
    assert 0.0 < told[0][1] < 1.0
    assert told[-1][1] == 1.0


def test_updates__of_a_pair_go_on_until_it_is_final_though_it_falls_below_the_threshold():
    left = pa.table({"k": ["x"] * 4, "n": [1, 4, 2, 3], "t": [0, 100, 1, 2], "total": [4] * 4})
    right = pa.table({"k": ["y"] * 4, "n": [1, 4, 2, 3], "t": [5, 95, 6, 7], "total": [4] * 4})
    _, question = asked(left, right, min_confidence=0.3)
    stream = stream_of(question, delay=200.0, updates=True)
    for part in (slice(0, 2), slice(2, 4)):
        stream.turn(*(hashed(table.take(list(range(4))[part])) for table in (left, right)))
    stream.turn(hashed(END), hashed(END))
    told = [(row["final"], row["confidence"]) for row in answers(stream) if row["left_key"] == "x"]
    assert told[0][1] >= 0.3
    assert told[1:] == [(False, 0.0), (True, 0.0)]


def test_keep__forgets_closed_keys_that_have_waited_long_enough():
    left = pa.table({"k": ["x", "x"], "n": [1, 2], "t": [0, 10], "total": [2, 2]})
    right = pa.table({"k": ["y", "y"], "n": [1, 2], "t": [200, 210], "total": [2, 2]})
    _, question = asked(left, right)
    kept, forgotten = (stream_of(question, delay=0.0, keep=keep) for keep in (math.inf, 50.0))
    for stream in (kept, forgotten):
        stream.turn(hashed(left), hashed(right.slice(0, 1)))
        stream.turn(hashed(left.slice(0, 0)), hashed(right.slice(1, 1)))
    assert len(answers(kept)) == 1
    assert answers(forgotten) == []


def test_pairs__are_all_that_is_answered():
    left, right = events("l", 3), events("r", 4)
    _, question = asked(left, right)
    wanted = pa.table({"left_key": ["l1", "l2"], "right_key": ["r1", "r9"]})
    stream = stream_of(question, pairs=wanted)
    stream.turn(hashed(left), hashed(right))
    stream.turn(hashed(END), hashed(END))
    assert set(by_pair(answers(stream))) == {("l1", "r1")}
    named = [sum(key in keys for key in table.column("k").to_pylist())
             for table, keys in ((left, ("l1", "l2")), (right, ("r1", "r9")))]  # fmt: skip
    assert stream.counts[-1]["buffered"] == sum(named)


def test_bad_keys__stop_the_stream_when_they_are_closed_unless_they_are_set_aside():
    bad = pa.table({"k": ["x", "x"], "n": [1, 2], "t": [7, 3], "total": [2, 2]})
    right = events("r", 4)
    _, question = asked(bad, right)
    stream = stream_of(question)
    stream.turn(hashed(bad), hashed(right))
    with pytest.raises(wa.WhenaboutsError, match="does not come after"):
        stream.turn(hashed(END), hashed(END))


def test_bad_keys__that_are_set_aside_are_counted_once_however_many_groups_have_them():
    bad = pa.table({"k": ["x", "x", "l", "l"], "n": [1, 2, 1, 2], "t": [7, 3, 4, 5], "total": [2] * 4})
    made = [wa.segments(t, key="k", seq="n", time="t", expected="total", bad_rows="quarantine") for t in (bad, END)]
    stream = stream_of(plan_query(*made, SHARING, None, None, True, "lattice", None, None, None), groups=4)
    stream.turn(hashed(bad), hashed(events("r", 4)))
    stream.turn(hashed(END), hashed(END))
    assert sum(turn["in_bad_keys"] for turn in stream.counts) == 2
    assert {row["left_key"] for row in answers(stream)} == {"l"}


def test_after_closing__a_row_is_counted_once_however_many_groups_have_it():
    left = pa.table({"k": ["x", "x", "~"], "n": [1, 2, 1], "t": [0, 10, 20], "total": [2, 2, 2]})
    _, question = asked(left, left)
    stream = stream_of(question, delay=0.0, groups=4)
    stream.turn(hashed(left), hashed(left))
    stream.turn(hashed(left.slice(2).set_column(0, "k", pa.array(["x"]))), hashed(left.slice(0, 0)))
    assert sum(turn["after_closing"] for turn in stream.counts) == 1


def test_an_uncertain_key__is_open_until_no_event_that_began_before_its_last_one_can_come():
    rows = {"k": ["x"] * 4, "n": [4, 1, 2, 3], "lo": [9, 0, 3, 6], "hi": [10, 1, 4, 14], "total": [4] * 4}
    later = pa.table({"k": ["~"], "n": [1], "lo": [13], "hi": [13], "total": [2]})
    end = later.set_column(2, "lo", pa.array([99])).set_column(3, "hi", pa.array([99]))
    table = pa.table(rows)
    made = [wa.segments(table, key="k", seq="n", time=wa.between("lo", "hi"), expected="total")] * 2
    stream = stream_of(
        plan_query(*made, SHARING, None, None, True, "lattice", None, None, None), delay=0.0, widths=(8.0, 8.0)
    )
    for part in (table.take([1, 2, 0]), later, table.take([3]), end):
        stream.turn(hashed(part), hashed(part))
    assert sum(turn["after_closing"] for turn in stream.counts) == 0
    assert by_pair(answers(stream)) == by_pair(wa.interval_query(*made, SHARING).to_pylist())
    wide = stream.inlets[0].take(hashed(end.set_column(2, "lo", pa.array([90]))))
    assert [disposition for disposition, _ in wide.refusals] == ["too wide"]


def test_rows_without_a_time__stop_no_stream():
    rows = pa.table({"k": ["x", "x"], "n": [1, 2], "t": pa.array([None, 3], pa.int64()), "total": [2, 2]})
    _, question = asked(rows, rows)
    taken = stream_of(question).inlets[0].take(hashed(rows))
    assert [disposition for disposition, _ in taken.refusals] == ["malformed"]
    assert taken.code.tolist() == [1, 0]


def test_state__of_other_pairs_is_refused():
    left = events("l", 3)
    _, question = asked(left, left)
    streams = [stream_of(question, pairs=pa.table({"left_key": ["l1"], "right_key": [key]})) for key in ("l1", "l2")]
    streams[0].turn(hashed(left), hashed(left))
    with pytest.raises(wa.WhenaboutsError, match="pairs: the checkpoint has"):
        streams[1].make_keeper().restore(streams[0].snapshots[0])
