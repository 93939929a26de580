"""What the timing join means, on every engine."""

import datetime as dt

import pyarrow as pa
import pytest

import whenabouts as wa

CLOCK = pa.timestamp("us", "UTC")


def intervals(*rows, **more):
    """(id, lo, hi) rows of plain numbers."""
    ids, lo, hi = zip(*rows, strict=True)
    return pa.table({"id": ids, "lo": [float(x) for x in lo], "hi": [float(x) for x in hi], **more})


BETWEEN = {"id": "id", "time": wa.between("lo", "hi")}


def test_timing_join__gives_pairs_with_their_confidence(engine):
    left = engine.events(intervals((1, 0, 10), (2, 100, 110)), **BETWEEN)
    right = engine.events(intervals((7, 10, 20), (8, 100, 100)), **BETWEEN)
    result = engine.collect(wa.timing_join(left, right, wa.within(10), min_confidence=0.5))
    assert result.column_names == ["left_id", "right_id", "confidence"]
    assert sorted(map(tuple, (row.values() for row in result.to_pylist()))) == [(1, 7, 0.5), (2, 8, 1.0)]


def test_timing_join__without_confidence_has_no_such_column(engine):
    left = engine.events(intervals((1, 0, 10)), **BETWEEN)
    result = engine.collect(wa.timing_join(left, left, wa.within(10), min_confidence=0.5, confidence=False))
    assert result.to_pylist() == [{"left_id": 1, "right_id": 1}]


def test_timing_join__touching_intervals_overlap_in_nothing(engine):
    """X on [0, 10] and Y on [10, 20]: Y is surely no earlier, and the chance that it is no later is zero."""
    left, right = (engine.events(intervals(row), **BETWEEN) for row in ((1, 0, 10), (2, 10, 20)))
    assert engine.join(left, right, wa.delay(0), min_confidence=1.0) == {(1, 2): 1.0}
    assert engine.join(left, right, wa.deadline(0), min_confidence=1e-6) == {}
    assert engine.join(left, right, wa.within(0), min_confidence=1e-6) == {}


def test_timing_join__touching_points_meet(engine):
    left = engine.events(pa.table({"id": [1], "t": [5]}), id="id", time=wa.at("t"))
    for predicate in (wa.within(0), wa.deadline(0), wa.delay(0)):
        assert engine.join(left, left, predicate, min_confidence=1.0) == {(1, 1): 1.0}


@pytest.mark.parametrize(
    ("predicate", "pairs"),
    [
        (wa.within(3), {(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)}),
        (wa.deadline(3), {(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)}),
        (wa.deadline(-3), {(2, 1), (3, 1), (3, 2)}),
        (wa.delay(3), {(1, 2), (1, 3), (2, 3)}),
        (wa.delay(-3), {(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)}),
        (wa.delay(4), {(1, 3)}),
    ],
    ids=str,
)
def test_timing_join__knows_before_and_after(engine, predicate, pairs):
    """Events 1, 2, 3 at 0, 3, 6: X is the left time, and a delay of 3 means that Y came at least 3 later."""
    events = engine.events(pa.table({"id": [1, 2, 3], "t": [0, 3, 6]}), id="id", time=wa.at("t"))
    assert set(engine.join(events, events, predicate, min_confidence=1.0)) == pairs


def test_timing_join__counts_a_probability_that_equals_the_threshold(engine):
    left = engine.events(intervals((1, 0, 10)), **BETWEEN)
    right = engine.events(intervals((7, 10, 20)), **BETWEEN)
    assert engine.join(left, right, wa.within(10), min_confidence=0.5) == {(1, 7): 0.5}
    assert engine.join(left, right, wa.within(10), min_confidence=0.5 + 1e-9) == {}


def test_timing_join__is_exact_when_the_window_is_narrower_than_the_events(engine):
    """P(|X - Y| <= 1) for two uniform on [0, 4] is 1 - (3/4)^2; the papers rule out d < pi, we need not."""
    events = engine.events(intervals((1, 0, 4)), **BETWEEN)
    assert engine.join(events, events, wa.within(1), min_confidence=0.1) == {(1, 1): pytest.approx(7 / 16, abs=1e-12)}


@pytest.mark.parametrize("strategy", ["auto", "simple", "sorted", "eager", "lazy", "lookup", "partition"])
def test_timing_join__gives_the_same_pairs_by_every_strategy(engine, strategy):
    left = engine.events(intervals(*((k, 7 * k % 50, 7 * k % 50 + k % 5) for k in range(30))), **BETWEEN)
    right = engine.events(intervals(*((k, 11 * k % 50, 11 * k % 50 + k % 7) for k in range(30))), **BETWEEN)
    plain = engine.join(left, right, wa.within(4), min_confidence=0.4, strategy="sweep")
    assert len(plain) > 100
    chosen = engine.join(left, right, wa.within(4), min_confidence=0.4, strategy=strategy, block_size=7)
    assert chosen == {pair: pytest.approx(p, abs=1e-9) for pair, p in plain.items()}


MODELS = {
    "at": ({"t": [12]}, wa.at("t"), {wa.within(2): 1.0, wa.delay(3): 0.0}),
    "between": ({"lo": [8], "hi": [12]}, wa.between("lo", "hi"), {wa.delay(0): 0.5, wa.within(1): 0.5}),
    "around": ({"t": [10]}, wa.around("t", 4), {wa.delay(0): 0.5, wa.within(2): 0.5}),
    "around a column": ({"t": [10], "d": [4]}, wa.around("t", "d"), {wa.delay(0): 0.5, wa.within(2): 0.5}),
    "rounded": ({"t": [10]}, wa.rounded("t", 4), {wa.delay(0): 0.5, wa.within(1): 0.5}),
    "rounded down": ({"t": [10]}, wa.rounded("t", 4, how="down"), {wa.delay(0): 1.0, wa.within(1): 0.25}),
    "rounded up": ({"t": [10]}, wa.rounded("t", 4, how="up"), {wa.deadline(0): 1.0, wa.within(1): 0.25}),
    "detected": (
        {"t": [14]},
        wa.detected("t", wa.Histogram([0, 2, 8], [0.5, 0.5])),
        {wa.delay(0): pytest.approx(0.5 + 0.5 * 2 / 6), wa.delay(2): 0.5},
    ),
    "detected by sensor": (
        {"t": [14], "sensor": ["b"]},
        wa.detected("t", {"a": wa.Histogram([0, 1], [1]), "b": wa.Histogram([4, 4], [1])}, by="sensor"),
        {wa.within(0): 1.0},
    ),
    "histogram": (
        {"e": [[6.0, 8.0, 14.0]], "m": [[0.25, 0.75]]},
        wa.histogram("e", "m"),
        {wa.delay(0): 0.5, wa.delay(-2): 0.75},
    ),
    "pmf": (
        {"p": [[15.0, 10.0, 4.0]], "m": [[0.25, 0.25, 0.5]]},
        wa.pmf("p", "m"),
        {wa.within(0): 0.25, wa.delay(0): 0.5, wa.deadline(0): 0.75},
    ),
}


@pytest.mark.parametrize(("columns", "model", "answers"), MODELS.values(), ids=MODELS)
def test_timing_join__reads_every_model_of_time(engine, columns, model, answers):
    """Against an event that surely happened at 10."""
    ten = engine.events(pa.table({"id": [0], "t": [10]}), id="id", time=wa.at("t"))
    events = engine.events(pa.table({"id": [1], **columns}), id="id", time=model)
    for predicate, p in answers.items():
        expected = {(0, 1): p} if p != 0.0 else {}
        assert engine.join(ten, events, predicate, min_confidence=1e-6) == expected


def moments(*seconds):
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    return pa.array([start + dt.timedelta(seconds=s) for s in seconds], CLOCK)


def test_timing_join__takes_timestamps_and_durations(engine):
    left = engine.events(
        pa.table({"id": [1, 2], "a": moments(0, 60), "b": moments(4, 64)}), id="id", time=wa.between("a", "b")
    )
    right = engine.events(
        pa.table({"id": [7, 8], "t": moments(5, 62.5)}), id="id", time=wa.rounded("t", "1s", how="down")
    )
    for length in ("3s", "3000ms", dt.timedelta(seconds=3)):
        assert engine.join(left, right, wa.within(length), min_confidence=0.3) == {
            (1, 7): pytest.approx(0.375, abs=1e-12),
            (2, 8): pytest.approx(1 - 0.25 / 8, abs=1e-12),
        }


def test_timing_join__counts_latencies_in_seconds_when_times_are_timestamps(engine):
    latency = wa.Histogram([0, 1, 3], [0.5, 0.5])
    left = engine.events(pa.table({"id": [1], "t": moments(10)}), id="id", time=wa.detected("t", latency))
    right = engine.events(pa.table({"id": [7], "t": moments(9)}), id="id", time=wa.at("t"))
    assert engine.join(left, right, wa.deadline("0s"), min_confidence=0.1) == {(1, 7): pytest.approx(0.5, abs=1e-12)}
    assert engine.join(left, right, wa.delay("1s"), min_confidence=0.1) == {(1, 7): pytest.approx(0.25, abs=1e-12)}


@pytest.mark.parametrize(
    ("by", "right_name"), [("room", "room"), (["room"], "room"), ({"room": "place"}, "place")], ids=str
)
def test_timing_join__meets_only_equal_keys_and_a_null_equals_nothing(engine, by, right_name):
    left = engine.events(
        pa.table({"id": [1, 2, 3, 4], "t": [0, 0, 0, 0], "room": ["a", "b", None, "z"]}), id="id", time=wa.at("t")
    )
    right = engine.events(
        pa.table({"id": [5, 6, 7, 8], "t": [0, 0, 0, 0], right_name: ["b", "a", None, "a"]}), id="id", time=wa.at("t")
    )
    assert set(engine.join(left, right, wa.within(1), min_confidence=1.0, by=by)) == {(1, 6), (1, 8), (2, 5)}


def test_timing_join__takes_several_keys_of_several_types(engine):
    events = engine.events(
        pa.table({"id": [1, 2, 3, 4], "t": [0] * 4, "a": ["x", "x", "y", "x"], "b": [1, 2, 1, None]}),
        id="id",
        time=wa.at("t"),
    )
    assert set(engine.join(events, events, wa.within(1), min_confidence=1.0, by=["a", "b"])) == {(1, 1), (2, 2), (3, 3)}


def test_timing_join__carries_columns(engine):
    left = engine.events(
        pa.table({"id": [1, 2], "t": [0, 50], "name": ["one", None], "n": pa.array([7, 8], pa.int32())}),
        id="id",
        time=wa.at("t"),
    )
    right = engine.events(
        pa.table({"key": ["p", "q"], "t": [0, 50], "ok": [True, False], "when": moments(1, 2)}),
        id="key",
        time=wa.at("t"),
    )
    result = engine.collect(
        wa.timing_join(
            left, right, wa.within(1), min_confidence=1.0, left_columns=["name", "n", "t"], right_columns=["ok", "when"]
        )
    )
    assert result.column_names == [
        "left_id", "right_id", "confidence", "left_name", "left_n", "left_t", "right_ok", "right_when",
    ]  # fmt: skip
    assert result.schema.field("left_n").type == pa.int32()
    rows = sorted(result.to_pylist(), key=lambda row: row["left_id"])
    first, second = moments(1, 2).to_pylist()
    assert [list(row.values()) for row in rows] == [
        [1, "p", 1.0, "one", 7, 0, True, first],
        [2, "q", 1.0, None, 8, 50, False, second],
    ]


@pytest.mark.parametrize(
    ("ids", "kind"),
    [([3, 4], pa.int64()), ([3, 4], pa.int32()), (["x", "yy"], pa.string()), ([2**62, -(2**62)], pa.int64())],
    ids=str,
)
def test_timing_join__keeps_the_type_of_ids(engine, ids, kind):
    events = engine.events(pa.table({"id": pa.array(ids, kind), "t": [0, 9]}), id="id", time=wa.at("t"))
    result = engine.collect(wa.timing_join(events, events, wa.within(1), min_confidence=1.0))
    assert result.schema.field("left_id").type == result.schema.field("right_id").type == kind
    assert set(zip(result["left_id"].to_pylist(), result["right_id"].to_pylist(), strict=True)) == {
        (one, one) for one in ids
    }


def test_timing_join__lets_an_id_stand_for_many_rows(engine):
    events = engine.events(pa.table({"id": [1, 1], "t": [0, 9]}), id="id", time=wa.at("t"))
    result = engine.collect(wa.timing_join(events, events, wa.within(1), min_confidence=1.0))
    assert result["left_id"].to_pylist() == [1, 1]


@pytest.mark.parametrize("empty", ["left", "right", "both"])
@pytest.mark.parametrize("by", [None, "key"])
def test_timing_join__of_nothing_is_nothing_with_the_right_columns(engine, empty, by):
    full = pa.table({"id": [1], "t": [0.0], "key": ["a"]})
    none = full.slice(0, 0)
    left = engine.events(none if empty in ("left", "both") else full, id="id", time=wa.at("t"))
    right = engine.events(none if empty in ("right", "both") else full, id="id", time=wa.at("t"))
    result = engine.collect(
        wa.timing_join(left, right, wa.within(1), min_confidence=0.5, by=by, left_columns=["key"], right_columns=["t"])
    )
    assert result.num_rows == 0
    assert result.schema.names == ["left_id", "right_id", "confidence", "left_key", "right_t"]
    assert result.schema.types == [pa.int64(), pa.int64(), pa.float64(), pa.string(), pa.float64()]


def test_timing_join__of_unordered_rows_is_that_of_ordered_ones(engine):
    rows = [(k, 3.0 * k, 3.0 * k + k % 4) for k in range(40)]
    ordered = engine.events(intervals(*rows), **BETWEEN)
    shuffled = engine.events(intervals(*(rows[(17 * k) % 40] for k in range(40))), **BETWEEN)
    one = engine.join(ordered, ordered, wa.within(5), min_confidence=0.2)
    assert one == engine.join(shuffled, shuffled, wa.within(5), min_confidence=0.2)
    assert len(one) > 100


def test_timing_join__of_far_apart_epochs_keeps_its_digits(engine):
    """Epochs in microseconds since 1970 as plain integers; the answer depends on the last digit."""
    epoch = 1_767_225_600_000_000
    left = engine.events(pa.table({"id": [1, 2], "lo": [epoch, 0], "hi": [epoch + 3, 2]}), **BETWEEN)
    right = engine.events(pa.table({"id": [7, 8], "lo": [epoch + 1, 0], "hi": [epoch + 5, 4]}), **BETWEEN)
    assert engine.join(left, right, wa.deadline(0), min_confidence=0.01) == {
        (1, 7): pytest.approx(2 * 2 / (2 * 3 * 4), abs=1e-12),
        (1, 8): 1.0,
        (2, 8): pytest.approx(0.25, abs=1e-12),
    }
