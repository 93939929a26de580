"""Slices: every pair is met, and met once, however the data is cut."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.spark import grid as grids

KEYS = [("left_id", "ascending"), ("right_id", "ascending")]


@pytest.fixture
def tiny_slices(monkeypatch):
    """Cut data of a few thousand rows as if it were hundreds of millions."""
    monkeypatch.setattr(grids, "TARGET", 400.0)
    monkeypatch.setattr(grids, "SMALL", 50)
    monkeypatch.setattr("whenabouts.spark.slices._SHARE", 1.0)


def uniform(count: int, seed: int) -> pa.Table:
    random = np.random.default_rng(seed)
    lo = random.uniform(0, 50_000, count)
    return pa.table({"id": np.arange(count), "lo": lo, "hi": lo + random.uniform(0, 300, count)})


def bursts(count: int, seed: int) -> pa.Table:
    """Nearly everything happens within seconds of a year."""
    random = np.random.default_rng(seed)
    centre = random.choice([1e3, 1e7, 3.0e7], count, p=[0.01, 0.95, 0.04])
    lo = centre + random.uniform(0, 100, count)
    return pa.table({"id": np.arange(count), "lo": lo, "hi": lo + random.uniform(0, 1, count)})


def one_instant(count: int, seed: int) -> pa.Table:
    random = np.random.default_rng(seed)
    lo = np.where(random.uniform(size=count) < 0.9, 500.0, random.uniform(0, 1000, count))
    return pa.table({"id": np.arange(count), "lo": lo, "hi": lo})


def one_wide(count: int, seed: int) -> pa.Table:
    table = uniform(count, seed)
    lo, hi = table["lo"].to_numpy().copy(), table["hi"].to_numpy().copy()
    lo[0], hi[0] = 0.0, 50_000.0
    return pa.table({"id": table["id"], "lo": lo, "hi": hi})


def assert_equal_to_this_process(
    spark, left, right, predicate, *, times=None, schema=None, least_slices=2, unique_ids=False, **options
):
    models = [{"id": "id", "time": time, "unique_ids": unique_ids} for time in times or (wa.between("lo", "hi"),) * 2]
    tables = (left, right)
    here = [wa.events(table, **model) for table, model in zip(tables, models, strict=True)]
    there = [
        wa.events(spark.createDataFrame(table, schema), **model) for table, model in zip(tables, models, strict=True)
    ]
    stats = wa.Stats()
    expected = wa.timing_join(*here, predicate, **options).sort_by(KEYS)
    found = wa.timing_join(*there, predicate, stats=stats, **options).toArrow().cast(expected.schema).sort_by(KEYS)
    assert len(expected) > 0
    assert found.equals(expected)
    assert stats.slices >= least_slices
    assert (stats.left_rows, stats.right_rows) == (len(left), len(right))
    return stats


@pytest.mark.spark
@pytest.mark.parametrize(
    "predicate", [wa.within(250), wa.within(60), wa.within(20_000), wa.deadline(-49_000), wa.delay(48_000)]
)
def test_slices__own_every_pair_once(spark, tiny_slices, predicate):
    assert_equal_to_this_process(spark, uniform(1500, 1), uniform(1500, 2), predicate, min_confidence=0.3)


@pytest.mark.spark
@pytest.mark.parametrize("make", [bursts, one_wide])
def test_slices__survive_bursts_and_wide_events(spark, tiny_slices, make):
    assert_equal_to_this_process(spark, make(1500, 3), make(1500, 4), wa.within(2), min_confidence=0.2)


@pytest.mark.spark
def test_slices__deal_a_hot_instant_out_to_several_tasks(spark, tiny_slices, monkeypatch):
    stats = assert_equal_to_this_process(
        spark, one_instant(1500, 5), one_instant(1500, 6), wa.within(1), min_confidence=1.0, least_slices=6
    )
    assert stats.emitted > 1_000_000


@pytest.mark.spark
def test_slices__cut_a_hot_key_by_time(spark, tiny_slices):
    random = np.random.default_rng(7)
    keys = [
        np.where(random.uniform(size=1500) < 0.8, "hot", random.integers(0, 50, 1500).astype(str)) for _ in range(2)
    ]
    left, right = (uniform(1500, 8 + n).append_column("key", pa.array(keys[n])) for n in range(2))
    assert_equal_to_this_process(spark, left, right, wa.within(250), min_confidence=0.3, by="key")


@pytest.mark.spark
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_slices__cut_timestamps_alike_in_any_session_zone(spark, tiny_slices, zone):
    """The hour that New York skips in March does not move anything."""
    random = np.random.default_rng(9)
    begin = np.datetime64("2024-03-10T00:00:00", "us").astype(np.int64)

    def table(seed):
        lo = begin + np.random.default_rng(seed).integers(0, 8 * 3600 * 10**6, 1500)
        hi = lo + random.integers(0, 60 * 10**6, 1500)
        kind = pa.timestamp("us", zone)
        return pa.table({"id": np.arange(1500), "lo": pa.array(lo).cast(kind), "hi": pa.array(hi).cast(kind)})

    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        kind = "timestamp" if zone else "timestamp_ntz"
        schema = f"id long, lo {kind}, hi {kind}"
        assert_equal_to_this_process(
            spark, table(10), table(11), wa.within("30s"), schema=schema, min_confidence=0.4, left_columns=["lo"]
        )
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.spark
def test_slices__route_every_model_of_time(spark, tiny_slices):
    random = np.random.default_rng(12)
    count = 1500
    first = random.uniform(0, 30_000, count)
    edges = [[t, t + 10, t + 10, t + 40] for t in first]
    points = [[t + 7, t, t + 90] for t in first]
    table = pa.table({
        "id": np.arange(count), "t": first, "wobble": random.uniform(0, 50, count),
        "sensor": random.choice(["a", "b"], count), "edges": edges, "mass": [[0.5, 0.0, 0.5]] * count,
        "points": points, "share": [[0.2, 0.3, 0.5]] * count,
    })  # fmt: skip
    latency = {"a": wa.Histogram([0, 20], [1]), "b": wa.Histogram([5, 10, 60], [0.9, 0.1])}
    models = [
        wa.at("t"), wa.around("t", 15), wa.around("t", "wobble"), wa.rounded("t", 60, "down"),
        wa.detected("t", latency, by="sensor"), wa.histogram("edges", "mass"), wa.pmf("points", "share"),
    ]  # fmt: skip
    for one, other in zip(models, [*models[3:], *models[:3]], strict=True):
        assert_equal_to_this_process(spark, table, table, wa.within(60), times=(one, other), min_confidence=0.4)


@pytest.mark.spark
def test_carried_columns__come_along_with_ids_of_any_type(spark, tiny_slices):
    left = uniform(800, 13).set_column(0, "id", pa.array([f"l{n}" for n in range(800)]))
    right = uniform(800, 14)
    assert_equal_to_this_process(
        spark, left, right, wa.within(250), min_confidence=0.3, left_columns=["lo"], right_columns=["hi", "lo"]
    )


@pytest.mark.spark
@pytest.mark.parametrize(
    ("names", "unique_ids"),
    [(["id", "__first", "__occurs"], True), (["id", "bucket", "marks"], False), (["id", "c0", "deal"], False)],
)
def test_columns__may_have_the_names_that_slices_work_with(spark, tiny_slices, names, unique_ids):
    left, right = (uniform(800, seed).rename_columns(names) for seed in (15, 16))
    assert_equal_to_this_process(
        spark, left, right, wa.within(250), times=(wa.between(*names[1:]),) * 2, min_confidence=0.3,
        left_columns=[names[2]], unique_ids=unique_ids,
    )  # fmt: skip


@pytest.mark.spark
def test_explain__does_not_claim_to_know_the_size_of_a_small_table(spark):
    few, many = (wa.events(spark.createDataFrame(uniform(rows, 17)), id="id", time=wa.at("lo")) for rows in (5, 64_000))
    lines = dict(wa.explain(wa.timing_join, few, many, wa.within(1), min_confidence=0.5).lines)
    left, right = lines["rows"].split(" x ")
    assert left == "some hundred at most"
    assert int(right.removeprefix("about ").replace(",", "")) == pytest.approx(64_000, rel=0.2)


def evenly(rows: int, points: int, shift: float = 0.0) -> grids.Sample:
    """Rows that lie evenly in a unit of time, of which some were seen."""
    return grids.Sample.of(1, np.zeros(points, dtype=np.int64), (np.arange(points) + shift) / points, rows)


def test_partners__are_known_where_points_lie_further_apart_than_the_band():
    found = grids.partners(evenly(300_000, 256, 0.3), evenly(300_000, 256), 1 / 1500)
    assert found[:-1] == pytest.approx(200)  # the last one begins after all that were seen


def test_partners__of_an_instant_are_all_who_are_there():
    instant = grids.Sample.of(1, np.zeros(100, dtype=np.int64), np.full(100, 7.0), 1000)
    assert grids.partners(instant, instant, 0.0).tolist() == [1000.0] * 100


@pytest.mark.parametrize(("rows", "slices"), [(60_000, 4), (1_000_000, 4), (1_500_000, 8), (9_700_000, 32)])
def test_slices__come_in_waves_of_equal_work(rows, slices):
    side = evenly(rows, 4096)
    grid = grids.grid_of(side, side, 0.0)
    begins = [0.0, *(moment for _, moment in grid.boundaries), 1.0]
    assert grid.tasks == slices
    assert np.diff(begins) == pytest.approx(1 / slices, abs=1 / 128)
