"""Patterns on Spark: every match is found, and found once, however the data is cut; equal to this process."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.spark import grid as grids
from whenabouts.spark.explain_match import described_slices
from whenabouts.spark.match_slices import Look

pytestmark = pytest.mark.spark


@pytest.fixture
def tiny_slices(monkeypatch):
    """Cut data of a few hundred rows as if it were hundreds of millions."""
    monkeypatch.setattr(grids, "TARGET", 100.0)
    monkeypatch.setattr(grids, "SMALL", 20)
    monkeypatch.setattr("whenabouts.spark.match_slices._SHARE", 1.0)
    monkeypatch.setattr("whenabouts.spark.match_slices.BUCKETS", 4)


def tasks(count: int, seed: int, timestamps: bool = False) -> pa.Table:
    random = np.random.default_rng(seed)
    lo = random.uniform(0, count / 2, count).round(2)
    hi = lo + random.choice([0.0, 1.0, 4.0], count)
    if timestamps:
        ticks = ((1_750_000_000_000_000 + t * 1_000_000).round().astype(np.int64) for t in (lo, hi))
        lo, hi = (pa.array(t).cast(pa.timestamp("us", "UTC")) for t in ticks)
    return pa.table(
        {
            "id": [f"e{n}" for n in range(count)], "kind": random.choice(["A", "B", "C"], count),
            "node": pa.array(random.integers(0, 5, count), mask=random.uniform(size=count) < 0.05),
            "other": random.integers(0, 5, count), "value": random.integers(0, 100, count).astype(float),
            "lo": lo, "hi": hi,
        }
    )  # fmt: skip


def matches(frame) -> dict:
    table = frame.toArrow() if hasattr(frame, "toArrow") else frame
    rows = table.to_pylist()
    found = {tuple(row.pop("signature")): row for row in rows}
    assert len(found) == len(rows), "a match was found twice"
    return found


def same(one: dict, other: dict) -> None:
    assert one.keys() == other.keys()
    for signature, row in one.items():
        twin = dict(other[signature])
        assert row["confidence"] == pytest.approx(twin.pop("confidence"), abs=1e-9)
        assert {name: value for name, value in row.items() if name != "confidence"} == twin


QUERIES = {
    "keyed": "PATTERN SEQ(A a, B b, C c) WHERE [node] AND b.value > 20 WITHIN 30",
    "keys by type": "PATTERN SEQ(A a, B b) WHERE a.node = b.other AND a.value < b.value WITHIN 20 RETURN a.value, b",
    "a row has two keys": "PATTERN SEQ(ANY a, ANY b) WHERE a.node = b.other AND a.value > 70 AND b.value > 60 WITHIN 9",
    "no key": "PATTERN SEQ(A a, B b) WHERE a.value % 7 = 0 AND b.value % 5 = 0 AND a.value + b.value < 120 WITHIN 12",
    "next": "PATTERN SEQ(A a, B b, C c) WHERE [node] AND skip_till_next_match(a, b, c) WITHIN 25 RETURN a.id AS first",
    "absent": "PATTERN SEQ(A a, !B n, C c) WHERE [node] AND n.value > a.value WITHIN 10 RETURN c.value",
    "no window": "PATTERN SEQ(A a, C c) WHERE a.value > 60 AND c.value > 60 AND [node]",
    "one type twice": "PATTERN SEQ(A a, A b) WHERE [node] AND skip_till_next_match(a, b) WITHIN 15 RETURN b.value",
    "never": "PATTERN SEQ(A a, B b) WHERE 1 = 2 WITHIN 15",
}


@pytest.mark.parametrize("name", QUERIES)
def test_slices__find_every_match_once(spark, tiny_slices, name):
    table = tasks(300, 7)
    options = {"id": "id", "time": wa.between("lo", "hi"), "type": "kind"}
    expected = matches(wa.match(wa.events(table, **options), QUERIES[name]))
    stats = wa.Stats()
    data = wa.events(spark.createDataFrame(table).repartition(2), **options)
    same(matches(wa.match(data, QUERIES[name], stats=stats)), expected)
    assert name == "never" or (stats.slices > 1 and expected), "the test should cut the data and find something"
    assert stats.emitted == len(expected)


def test_timestamps_ticks_and_thresholds__are_those_of_this_process(spark, tiny_slices):
    table = tasks(300, 8, timestamps=True)
    options = {"id": "id", "time": wa.between("lo", "hi"), "type": "kind"}
    here, there = wa.events(table, **options), wa.events(spark.createDataFrame(table), **options)
    query = "PATTERN SEQ(A a, B b, C c) WHERE [node] AND skip_till_next_match(a, b, c) WITHIN 30 seconds RETURN a.lo"
    for more in ({"min_confidence": 0.4}, {"tick": "500ms"}, {"top": 7}):
        expected = matches(wa.match(here, query, **more))
        assert expected
        same(matches(wa.match(there, query, **more)), expected)


def test_bad_rows__are_an_error_or_set_aside(spark, tiny_slices):
    table = tasks(100, 9)
    bad = table.set_column(
        5, "lo", pa.array([None if n in (3, 50) else v for n, v in enumerate(table["lo"].to_pylist())])
    )
    query = "PATTERN SEQ(ANY a, ANY b) WITHIN 3 RETURN a.id AS x"
    data = spark.createDataFrame(bad)
    strict = wa.events(data, id="id", time=wa.between("lo", "hi"), type="kind")
    with pytest.raises(Exception, match="'lo' is null: 2 rows"):
        wa.match(strict, query).toArrow()
    lenient = wa.events(data, id="id", time=wa.between("lo", "hi"), type="kind", bad_rows="quarantine")
    stats = wa.Stats()
    found = matches(wa.match(lenient, query, stats=stats))
    here = wa.events(bad, id="id", time=wa.between("lo", "hi"), type="kind", bad_rows="quarantine")
    same(found, matches(wa.match(here, query)))
    assert stats.rejected == 2


def test_explain__shows_slices_keys_and_the_physical_plan(spark):
    data = wa.events(spark.createDataFrame(tasks(50, 1)), id="id", time=wa.between("lo", "hi"), type="kind")
    text = str(wa.explain(wa.match, data, QUERIES["keyed"], min_confidence=0.5))
    for words in ("a.node = b.node = c.node", "kind = 'B' AND b.value > 20", "pushed down", "slices", "MapInArrow"):
        assert words in text


@pytest.mark.parametrize(
    ("rows", "keys", "words"),
    [
        (100, [], "one: there are too few events to share out"),
        (1_000_000, [], "one, so one core does all: nothing but time parts the events"),
        (1_000_000, ["node"], "one bucket of node has them all"),
    ],
)
def test_explain__says_why_there_is_one_slice(rows, keys, words):
    one = grids.Grid([grids.Level(np.zeros(1), np.zeros(1), 1, np.zeros(1, dtype=np.int64))])
    assert words in described_slices(Look(one, rows, 2.0), keys)


def test_columns__may_have_the_names_that_slices_work_with(spark, tiny_slices):
    names = ["__own", "__slice", "__fits", "__code", "__task", "__first", "__last"]
    table = tasks(300, 7).rename_columns(names)
    options = {"id": "__own", "time": wa.between("__first", "__last"), "type": "__slice", "unique_ids": True}
    query = "PATTERN SEQ(A a, B b) WHERE a.__fits = b.__code AND a.__task < b.__task WITHIN 20 RETURN a.__task, b"
    here, there = (wa.match(wa.events(frame, **options), query) for frame in (table, spark.createDataFrame(table)))
    assert matches(here)
    same(matches(there), matches(here))


@pytest.mark.spark
def test_match__counts_beside_returned_timestamps_in_any_session_zone(spark):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        rows = spark.range(6).selectExpr("id", "timestamp_seconds(1700000000 + id) AS t")
        stats = wa.Stats()
        query = "PATTERN SEQ(ANY a, ANY b) WHERE a.id = 1 AND b.id = 3 WITHIN 10 s RETURN a.t"
        found = wa.match(wa.events(rows, id="id", time=wa.at("t")), query, stats=stats).toArrow()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert [moment.timestamp() for moment in found.column(found.num_columns - 1).to_pylist()] == [1_700_000_001]
    assert (stats.left_rows, stats.emitted) == (2, 1), "only two rows can be part of a match"
