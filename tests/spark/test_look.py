"""A look: few rows stand for all of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as F

from whenabouts.spark.look import Asked, LookTask, look_at, thinned


def asked(data, buckets=1):
    return Asked(data, F.col("key") % buckets, buckets, F.col("lo"))


def events(spark, count, first=0.0):
    rows = pa.table({
        "id": np.arange(count), "key": np.arange(count, dtype=np.int32), "lo": first + np.arange(count, dtype=float)
    })  # fmt: skip
    return spark.createDataFrame(rows).repartition(3)


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 10_000])
def test_thinned__is_spread_evenly(count):
    few = thinned(np.arange(count))
    assert len(few) == min(count, 256)
    inside, before, after = np.diff(few), few[0], count - 1 - few[-1]
    assert np.all((count // len(few) <= inside) & (inside <= count // len(few) + 1))
    assert abs(before - after) <= 1


def test_look_task__leaves_out_rows_without_a_moment():
    begins = pa.array([1.0, None, float("nan"), float("inf"), -float("inf"), 2.0])
    batch = pa.record_batch([pa.array([0] * 6), pa.array([0] * 6), begins], names=["side", "bucket", "begins"])
    (seen,) = LookTask(2)([batch])
    assert seen.column("rows").to_pylist() == [2]
    assert np.frombuffer(seen.column("begins")[0].as_py()).tolist() == [1.0, 2.0]


def test_look_task__tells_sides_apart_that_share_a_partition():
    batch = pa.record_batch([pa.array([1, 0, 1]), pa.array([0] * 3), pa.array([5.0, 6.0, 4.0])], names=list("sbt"))
    seen = {batch.column("side")[0].as_py(): batch for batch in LookTask(2)([batch])}
    assert {side: np.frombuffer(one.column("begins")[0].as_py()).tolist() for side, one in seen.items()} == {
        0: [6.0],
        1: [4.0, 5.0],
    }


def test_look_task__says_nothing_of_no_rows():
    assert list(LookTask(2)([])) == []


@pytest.mark.spark
def test_look__stands_for_all_rows(spark):
    few, many = look_at([asked(events(spark, 1_000, first=1e6)), asked(events(spark, 40_000), 8)], 1 / 4)
    assert few.rows == pytest.approx(1_000, rel=0.3)
    assert many.rows == pytest.approx(40_000, rel=0.05)
    assert many.weight.sum() == pytest.approx(many.rows, abs=3)
    assert few.moment.min() >= 1e6
    assert len(many.moment) <= 3 * 256
    assert np.bincount(many.bucket, many.weight, 8) == pytest.approx(np.full(8, 5_000), rel=0.2)
    assert np.average(many.moment, weights=many.weight) == pytest.approx(20_000, rel=0.05)
    assert many.quantiles(4) == pytest.approx([0, 10_000, 20_000, 30_000, 40_000], abs=1_000)
    assert len(many.earlier(float("inf")).moment) == 0
    assert many.earlier(5.0).moment.tolist() == (many.moment - 5.0).tolist()
