"""The join in this process, held to brute force over samples in exact arithmetic."""

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive_similarity
from tests.similarity_cases import METRICS, REACH, THRESHOLD, answers, assert_agrees, rows, table_of
from whenabouts.kernels._jit import ENABLED

METHODS = ["auto", "grid", "wop"]
DIMENSIONS = [2] if ENABLED else [1, 2, 3]
"""Every dimension, metric and kind of weights has kernels of its own. Without the JIT all are tried, which costs
nothing then; with it only some, since compiling each would take longer than all the tests."""


def objects(stream, weighted=True, keys=1, **options):
    return wa.objects(
        table_of(stream), id="id", seq="n", samples="points", weights="p" if weighted else None,
        by="key" if keys > 1 else None, **options,
    )  # fmt: skip


@st.composite
def questions(draw, streams: int, keys: int = 1, weighted: bool = not ENABLED):
    dimension = draw(st.sampled_from(DIMENSIONS))
    return (
        [draw(rows(dimension, keys=keys)) for _ in range(streams)],
        draw(REACH),
        draw(THRESHOLD),
        draw(st.sampled_from([1, 2, 5, 100, None])),
        draw(st.sampled_from(METRICS if not ENABLED else METRICS[:1])),
        draw(st.booleans()) if weighted else False,
    )


def assert_same(one, other):
    """The same pairs and lives; a sum of masses may depend on its order in the last digit."""
    assert one.keys() == other.keys()
    for key, (confidence, *life) in one.items():
        assert other[key][0] == pytest.approx(confidence, abs=1e-14)
        assert list(other[key][1:]) == life


def exact(streams, eps, alpha, window, metric, weighted, **options):
    objects = [[row.exact(weighted) for row in stream] for stream in streams]
    return naive_similarity.join(objects, eps, alpha, window, metric=metric, **options)


@given(question=questions(2, weighted=True))
def test_join__agrees_with_the_oracle_whatever_the_weights(question):
    streams, eps, alpha, window, metric, weighted = question
    left, right = (objects(stream, weighted) for stream in streams)
    got = wa.similarity_join(left, right, distance=eps, min_confidence=alpha, window=window, metric=metric)
    assert_agrees(answers(got), exact(streams, eps, alpha, window, metric, weighted))


@pytest.mark.parametrize("method", METHODS)
@given(question=questions(2, keys=2))
def test_join__agrees_with_the_oracle_on_any_question(method, question):
    streams, eps, alpha, window, metric, weighted = question
    left, right = (objects(stream, weighted, keys=2) for stream in streams)
    got = wa.similarity_join(
        left, right, distance=eps, min_confidence=alpha, window=window, metric=metric, method=method
    )
    assert_agrees(answers(got), exact(streams, eps, alpha, window, metric, weighted))


@pytest.mark.parametrize("method", METHODS)
@given(question=questions(1))
def test_self_join__gives_every_pair_once_with_the_earlier_object_first(method, question):
    streams, eps, alpha, window, metric, weighted = question
    got = wa.similarity_join(
        objects(streams[0], weighted), distance=eps, min_confidence=alpha, window=window, metric=metric, method=method
    )
    assert_agrees(answers(got), exact(streams, eps, alpha, window, metric, weighted), itself=True)


@given(question=questions(3))
def test_several_streams__are_joined_in_all_pairs(question):
    streams, eps, alpha, window, metric, weighted = question
    sides = [objects(stream, weighted) for stream in streams]
    got = wa.similarity_join(*sides, distance=eps, min_confidence=alpha, window=window, metric=metric)
    assert_agrees(answers(got), exact(streams, eps, alpha, window, metric, weighted))


@given(question=questions(2), batch=st.integers(2, 5))
def test_grid__gives_the_same_when_objects_arrive_in_batches(question, batch):
    streams, eps, alpha, window, metric, weighted = question
    left, right = (objects(stream, weighted) for stream in streams)
    for sides in ((left, right), (left,)):
        alone, together = (
            wa.similarity_join(
                *sides, distance=eps, min_confidence=alpha, window=window, metric=metric, method="grid", batch=size
            )
            for size in (1, batch)
        )
        assert_same(answers(alone), answers(together))


@given(question=questions(2))
def test_pairs__are_the_same_when_the_confidence_is_not_wanted(question):
    streams, eps, alpha, window, metric, weighted = question
    left, right = (objects(stream, weighted) for stream in streams)
    options = {"distance": eps, "min_confidence": alpha, "window": window, "metric": metric}
    measured = wa.similarity_join(left, right, **options)
    for method in METHODS:
        plain = wa.similarity_join(left, right, confidence=False, method=method, **options)
        assert "confidence" not in plain.column_names
        assert answers(plain).keys() == answers(measured).keys()


@pytest.mark.parametrize("method", METHODS)
@given(question=questions(2), within=st.integers(0, 6))
def test_both_doubts__multiply(method, question, within):
    streams, eps, alpha, window, metric, weighted = question
    left, right = (objects(stream, weighted, time=wa.between("lo", "hi")) for stream in streams)
    got = wa.similarity_join(
        left, right, distance=eps, min_confidence=alpha, window=window, within=within, metric=metric, method=method
    )
    assert_agrees(answers(got), exact(streams, eps, alpha, window, metric, weighted, within=within))


@given(question=questions(2), within=st.integers(0, 6))
def test_places__are_the_latest_moments_where_windows_slide_over_uncertain_times(question, within):
    streams, eps, alpha, window, metric, _ = question
    sides = [wa.objects(table_of(stream), id="id", time=wa.between("lo", "hi"), samples="points") for stream in streams]
    got = wa.similarity_join(*sides, distance=eps, min_confidence=alpha, window=window, within=within, metric=metric)
    moved = [
        [naive_similarity.Object(o.id, row.hi, o.cloud, None, o.time) for row in stream for o in [row.exact(False)]]
        for stream in streams
    ]
    want = naive_similarity.join(moved, eps, alpha, window, metric=metric, within=within)
    assert_agrees(answers(got), want)


def certain(points, places=None, start=0):
    places = places or range(len(points))
    ids = range(start, start + len(points))
    return pa.table({"id": list(ids), "n": list(places), "at": [[list(point)] for point in points]})


def test_windows__hold_an_object_until_just_before_its_place_plus_their_length():
    x = wa.objects(certain([(0.0, 0.0)], [10]), id="id", seq="n", samples="at")
    y = wa.objects(certain([(0.0, 0.0)] * 5, [7, 8, 10, 12, 13]), id="id", seq="n", samples="at")
    got = wa.similarity_join(x, y, distance=0, min_confidence=1, window=3).sort_by("right_id")
    assert got["right_id"].to_pylist() == [1, 2, 3]
    assert got["enters"].to_pylist() == [10, 10, 12]
    assert got["expires"].to_pylist() == [11, 13, 13]


@pytest.mark.parametrize("metric", METRICS[:1] if ENABLED else METRICS)
def test_certain_points__give_a_plain_distance_join(metric):
    points = [(float(a), float(b)) for a in range(4) for b in range(4)]
    side = wa.objects(certain(points), id="id", seq="n", samples="at")
    got = wa.similarity_join(side, side, distance=1.5, min_confidence=1.0, window=None, metric=metric)
    length = {
        "euclidean": lambda a, b: ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5,
        "manhattan": lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]),
        "chebyshev": lambda a, b: max(abs(a[0] - b[0]), abs(a[1] - b[1])),
    }[metric]
    want = {(i, j) for i, a in enumerate(points) for j, b in enumerate(points) if length(a, b) <= 1.5}
    assert set(zip(got["left_id"].to_pylist(), got["right_id"].to_pylist(), strict=True)) == want
    assert set(got["confidence"].to_pylist()) == {1.0}


def test_distance__that_equals_the_threshold_counts_though_decimals_are_rounded():
    x = wa.objects(certain([(0.1, 0.0)]), id="id", seq="n", samples="at")
    y = wa.objects(certain([(0.4, 0.0)]), id="id", seq="n", samples="at")
    assert 0.4 - 0.1 > 0.3
    assert len(wa.similarity_join(x, y, distance=0.3, min_confidence=1, window=1)) == 1


def test_far_from_the_origin__small_clouds_lose_nothing():
    points = [[[1e9 + a * 1e-3, -1e9 + b * 1e-3] for a in range(4) for b in range(4)] for _ in range(3)]
    table = pa.table({"id": [0, 1, 2], "n": [0, 1, 2], "at": points})
    side = wa.objects(table, id="id", seq="n", samples="at")
    cloud = naive_similarity.cloud(points[0])
    want = naive_similarity.confidence(cloud, cloud, 2e-3)
    for method in METHODS:
        got = wa.similarity_join(side, distance=2e-3, min_confidence=0.1, window=9, method=method)
        assert len(got) == 3
        assert all(abs(Fraction(p) - want) < 1e-9 for p in got["confidence"].to_pylist())


@given(question=questions(2))
def test_changelog__enters_and_expires_in_the_order_that_a_life_has(question):
    streams, eps, alpha, window, metric, weighted = question
    sides = [objects(stream, weighted) for stream in streams]
    options = {"distance": eps, "min_confidence": alpha, "window": window, "metric": metric}
    pairs = wa.similarity_join(*sides, **options)
    log = wa.similarity_join(*sides, changes=True, **options)
    last = max((row.place for stream in streams for row in stream), default=0)
    want = {("enters", row["enters"], row["left_id"], row["right_id"]) for row in pairs.to_pylist()}
    want |= {
        ("expires", row["expires"], row["left_id"], row["right_id"])
        for row in pairs.to_pylist()
        if row["expires"] is not None and row["expires"] <= last
    }
    got = [(row["change"], row["at"], row["left_id"], row["right_id"]) for row in log.to_pylist()]
    assert len(got) == len(want)
    assert set(got) == want


def test_stats__count_every_pair_of_the_windows_by_what_settled_it():
    points = [(float(i % 7), float(i % 5)) for i in range(40)]
    side = wa.objects(certain(points), id="id", seq="n", samples="at")
    for method in METHODS:
        stats = wa.Stats()
        got = wa.similarity_join(
            side, side, distance=1, min_confidence=0.5, window=10, method=method, stats=stats, threads=1
        )
        assert stats.window_pairs == sum(abs(i - j) < 10 for i in range(40) for j in range(40))
        assert stats.object_pruned + stats.candidates == stats.window_pairs
        assert stats.candidates == stats.sample_pruned + stats.surely_yes + stats.computed
        assert stats.emitted == len(got)
        assert 0.0 <= stats.pruning_power["objects"] <= 1.0


def test_threads__change_nothing():
    table = wa.blur(
        pa.table({"id": range(2000), "n": range(2000), "x": [i % 37 / 3 for i in range(2000)], "y": [0.0] * 2000}),
        points=["x", "y"], radius=0.5, samples=20, id="id",
    )  # fmt: skip
    side = wa.objects(table, id="id", seq="n", samples="samples")
    options = {"distance": 0.6, "min_confidence": 0.3, "window": 100}
    one, two = (wa.similarity_join(side, threads=threads, **options) for threads in (1, 3))
    assert len(one) > 1000
    assert answers(one) == answers(two)
