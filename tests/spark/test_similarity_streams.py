"""The similarity join of streams on Spark: the pairs of the batch, its changelog, and every pair once though killed."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whenabouts as wa
from tests.similarity_cases import answers, laid_out
from tests.spark.readings import write_parts
from tests.spark.test_stream_kills import PATIENCE, kill_in_a_batch, start
from tests.spark.test_streams import result_of, run, stream_of

pytestmark = pytest.mark.spark

SCRIPT = Path(__file__).with_name("similarity_stream_script.py")
QUESTION = {"distance": 1.0, "min_confidence": 0.5, "window": 50}
MODEL = {"id": "id", "seq": "n", "samples": "samples", "dimensions": 2}


def walkers(seed, files, rows=120):
    """A stream of clouds around a wandering point, in files; rows are up to 20 places late."""
    draw = np.random.default_rng(seed)
    count = files * rows
    steps = np.cumsum(draw.normal(scale=0.3, size=(count, 2)), axis=0) % 6.0
    late = np.argsort(np.arange(count) + draw.integers(0, 19, count), kind="stable")
    when = [dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=int(n)) for n in range(count)]
    table = pa.table(
        {"id": np.arange(count), "n": np.arange(count), "t": when, "x": steps[:, 0], "y": steps[:, 1]}
    ).take(pa.array(late))
    clouds = wa.blur(table, points=["x", "y"], radius=(0.2, 0.8), samples=20, id="id", seed=seed)
    return [clouds.slice(number * rows, rows) for number in range(files)]


def test_stream__gives_the_pairs_of_the_batch_and_their_changelog(spark, tmp_path):
    sides = [walkers(seed, 3) for seed in (1, 2)]
    for name, tables in zip(("left", "right"), sides, strict=True):
        write_parts(tmp_path / name, tables)
    batch = [wa.objects(pa.concat_tables(tables), **MODEL) for tables in sides]
    expected = wa.similarity_join(*batch, **QUESTION)
    assert len(expected) > 100
    streams = [wa.objects(stream_of(spark, tmp_path / name), **MODEL, max_delay=20) for name in ("left", "right")]

    query = run(wa.similarity_join(*streams, **QUESTION), tmp_path)
    assert answers(result_of(spark, tmp_path)) == answers(expected)
    told = [progress["observedMetrics"]["whenabouts"].asDict() for progress in query.recentProgress]
    assert sum(one["emitted"] for one in told) == len(expected)
    assert sum(one["left_late"] + one["right_late"] for one in told) == 0
    assert 0 < told[-1]["buffered"] < 2 * 120

    run(wa.similarity_join(*streams, changes=True, **QUESTION), tmp_path / "log")
    log = result_of(spark, tmp_path / "log").to_pylist()
    pairs = {(row["left_id"], row["right_id"]): row for row in expected.to_pylist()}
    mark = 3 * 120 - 1 - 20
    want = {("enters", row["enters"], *pair) for pair, row in pairs.items()}
    want |= {("expires", row["expires"], *pair) for pair, row in pairs.items() if row["expires"] <= mark}
    got = [(row["change"], row["at"], row["left_id"], row["right_id"]) for row in log]
    assert sorted(got) == sorted(want)


def test_time_windows__slide_over_timestamps_in_batch_and_stream_of_packed_clouds(spark, tmp_path):
    nested = walkers(3, 2)
    tables = [laid_out(table, "packed", "samples") for table in nested]
    write_parts(tmp_path / "left", tables)
    model = {"id": "id", "time": "t", "samples": "samples", "dimensions": 2}
    question = {"distance": 1.0, "min_confidence": 0.5, "window": "50s"}
    here = wa.similarity_join(wa.objects(pa.concat_tables(tables), **model), **question)
    counted = wa.similarity_join(wa.objects(pa.concat_tables(nested), **MODEL), **QUESTION)
    assert {key[1::2] for key in answers(here)} == {key[1::2] for key in answers(counted)}
    assert here["enters"].type == pa.timestamp("us", "UTC")
    there = wa.similarity_join(wa.objects(spark.read.parquet(str(tmp_path / "left")), **model), **question)
    assert answers(there.toArrow()) == answers(here)
    stream = wa.objects(stream_of(spark, tmp_path / "left"), **model, max_delay="20s")
    run(wa.similarity_join(stream, **question), tmp_path)
    assert answers(result_of(spark, tmp_path)) == answers(here)


@pytest.mark.slow
def test_stream__that_is_killed_in_a_batch_writes_every_pair_once(tmp_path):
    sides = {name: walkers(seed, 6) for name, seed in (("left", 4), ("right", 5))}
    for name, tables in sides.items():
        write_parts(tmp_path / name, tables)
    assert kill_in_a_batch(tmp_path, random.Random(1), script=SCRIPT), "the kill hit no batch"
    assert start(tmp_path, script=SCRIPT).wait(PATIENCE) == 0, (tmp_path / "log").read_text()[-2000:]
    batch = [wa.objects(pa.concat_tables(tables), **MODEL) for tables in sides.values()]
    assert answers(pq.read_table(tmp_path / "result.parquet")) == answers(wa.similarity_join(*batch, **QUESTION))


@pytest.mark.parametrize(
    ("options", "words"), [({}, "max_delay"), ({"max_delay": 5, "dimensions": None}, "how many coordinates")]
)
def test_stream__must_be_declared(spark, tmp_path, options, words):
    write_parts(tmp_path / "left", walkers(1, 1, rows=5))
    side = wa.objects(stream_of(spark, tmp_path / "left"), **{**MODEL, **options})
    with pytest.raises(wa.WhenaboutsError, match=words):
        wa.similarity_join(side, **QUESTION)


def test_stream__does_not_meet_a_table(spark, tmp_path):
    write_parts(tmp_path / "left", walkers(1, 1, rows=5))
    moving = wa.objects(stream_of(spark, tmp_path / "left"), **MODEL, max_delay=5)
    table = wa.objects(spark.read.parquet(str(tmp_path / "left")), **MODEL, max_delay=5)
    with pytest.raises(wa.WhenaboutsError, match="Some DataFrames are streaming"):
        wa.similarity_join(moving, table, **QUESTION)
