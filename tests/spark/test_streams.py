"""The timing join of streams on Spark: the same pairs as the batch, side output, restarts, and what is refused."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.agreement import pairs_of
from tests.spark.readings import DECLARED, MODEL, readings, write_parts

pytestmark = pytest.mark.spark


def stream_of(spark, folder):
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def run(frame, folder, **options):
    """Write a stream out until all input is used up."""
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.options(path=str(folder / "out"), **options).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def result_of(spark, folder):
    return spark.read.parquet(str(folder / "out")).toArrow()


@pytest.mark.parametrize("by", [None, "key"])
def test_stream__gives_the_pairs_of_the_batch(spark, tmp_path, by):
    sides = [readings(seed, 3) for seed in (1, 2)]
    for name, tables in zip(("left", "right"), sides, strict=True):
        write_parts(tmp_path / name, tables)
    left, right = (wa.events(stream_of(spark, tmp_path / name), **MODEL, **DECLARED) for name in ("left", "right"))
    question = {"min_confidence": 0.6, "by": by, "left_columns": ["key"]}
    query = run(wa.timing_join(left, right, wa.within("1s"), **question), tmp_path)
    batch = [wa.events(pa.concat_tables(tables), **MODEL) for tables in sides]
    expected = wa.timing_join(*batch, wa.within("1s"), **question)
    result = result_of(spark, tmp_path)
    assert result.column_names == ["left_id", "right_id", "confidence", "left_key"]
    assert pairs_of(result) == pytest.approx(pairs_of(expected), abs=1e-9)
    assert len(expected) > 300

    told = [progress["observedMetrics"]["whenabouts"].asDict() for progress in query.recentProgress]
    assert sum(one["emitted"] for one in told) == len(expected)
    assert sum(one["left_rows"] + one["right_rows"] for one in told) == 1800
    assert sum(one["left_late"] + one["right_late"] for one in told) == 0
    latest = max(table["hi"].to_pylist()[-1] for table in sides[0])
    shown = dt.datetime.fromisoformat(told[-1]["left_watermark"])
    assert shown == latest - dt.timedelta(seconds=10)
    assert 0 < told[-1]["buffered"] < 200
    assert told[-1]["probed"] > 0
    assert told[-1]["response_total"] / told[-1]["emitted"] > 1e6, "these events are years old"


def test_stream__keeps_rows_that_are_late_too_wide_or_malformed_with_all_their_columns(spark, tmp_path):
    rows = {
        "id": ["a", "b", "late", "wide", "bad"],
        "lo": [100.0, 1000.0, 100.0, 1000.0, 1000.0],
        "hi": [101.0, 1001.0, 101.0, 1050.0, 999.0],
        "reason": [1, 2, 3, 4, 5],
    }
    table = pa.table(rows)
    write_parts(tmp_path / "left", [table.slice(0, 2), table.slice(2, 3)])
    write_parts(tmp_path / "right", [table.slice(0, 2)])
    declared = {**MODEL, "max_delay": 50, "max_width": 10}
    left, right = (wa.events(stream_of(spark, tmp_path / name), **declared) for name in ("left", "right"))
    frame = wa.timing_join(left, right, wa.within(5), min_confidence=0.5, side_output=True)
    query = run(frame, tmp_path)
    out = result_of(spark, tmp_path).to_pylist()
    pairs = {(row["left_id"], row["right_id"]) for row in out if row["disposition"] == "result"}
    assert pairs == {("a", "a"), ("b", "b")}
    aside = {row["disposition"]: row for row in out if row["disposition"] != "result"}
    assert len(aside) == len(out) - 2
    assert {name: row["left_event"] for name, row in aside.items()} == {
        name: table.slice(at, 1).to_pylist()[0] for name, at in (("late", 2), ("too wide", 3), ("malformed", 4))
    }
    assert aside["malformed"]["reason"] == "'lo' is after 'hi'"
    assert aside["too wide"]["reason"] == "its time is wider than max_width=10"
    assert "watermark" in aside["late"]["reason"]
    told = query.lastProgress["observedMetrics"]["whenabouts"].asDict()
    assert {name: told[f"left_{name}"] for name in ("rows", "late", "too_wide", "malformed")} == {
        "rows": 3, "late": 1, "too_wide": 1, "malformed": 1,
    }  # fmt: skip


@pytest.mark.parametrize("moving", ["left", "right"])
def test_stream__joins_a_table_that_does_not_move(spark, tmp_path, moving):
    sides = {name: readings(seed, 2) for name, seed in (("left", 3), ("right", 4))}
    events = {}
    for name, tables in sides.items():
        write_parts(tmp_path / name, tables)
        data = stream_of(spark, tmp_path / name) if name == moving else spark.read.parquet(str(tmp_path / name))
        events[name] = wa.events(data, **MODEL)
    by = "key" if moving == "right" else None
    frame = wa.timing_join(events["left"], events["right"], wa.within("1s"), min_confidence=0.6, by=by)
    query = run(frame, tmp_path)
    batch = [wa.events(pa.concat_tables(sides[name]), **MODEL) for name in ("left", "right")]
    expected = pairs_of(wa.timing_join(*batch, wa.within("1s"), min_confidence=0.6, by=by))
    assert pairs_of(result_of(spark, tmp_path)) == pytest.approx(expected, abs=1e-9)
    told = [progress["observedMetrics"]["whenabouts"].asDict() for progress in query.recentProgress]
    assert sum(one[f"{moving}_rows"] for one in told) == 600


def test_stream__goes_on_from_its_checkpoint_and_refuses_that_of_another_question(spark, tmp_path):
    sides = {name: readings(seed, 3) for name, seed in (("left", 5), ("right", 6))}

    def frame(seconds):
        left, right = (wa.events(stream_of(spark, tmp_path / name), **MODEL, **DECLARED) for name in sides)
        return wa.timing_join(left, right, wa.within(seconds), min_confidence=0.6)

    for at in range(3):
        for name, tables in sides.items():
            write_parts(tmp_path / name, tables[at : at + 1])
        run(frame("1s"), tmp_path)
    batch = [wa.events(pa.concat_tables(tables), **MODEL) for tables in sides.values()]
    expected = pairs_of(wa.timing_join(*batch, wa.within("1s"), min_confidence=0.6))
    assert pairs_of(result_of(spark, tmp_path)) == pytest.approx(expected, abs=1e-9)

    for name in sides:
        write_parts(tmp_path / name, readings(7, 1))
    with pytest.raises(Exception, match=r"StateMismatch(.|\n)*band: the checkpoint has"):
        run(frame("2s"), tmp_path)
    spark.conf.set("spark.sql.shuffle.partitions", 3)
    try:
        with pytest.raises(Exception, match=r"StateMismatch(.|\n)*groups: the checkpoint has '2', this query '3'"):
            run(frame("1s"), tmp_path)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", 2)


def test_stream__may_be_asked_to_stop_at_a_bad_row(spark, tmp_path):
    for name in ("left", "right"):
        write_parts(tmp_path / name, [pa.table({"id": [1], "lo": [5.0], "hi": [4.0]})])
    left, right = (
        wa.events(stream_of(spark, tmp_path / name), **MODEL, max_delay=5, max_width=5, bad_rows="raise")
        for name in ("left", "right")
    )
    with pytest.raises(Exception, match="'lo' is after 'hi': 1 row"):
        run(wa.timing_join(left, right, wa.within(1), min_confidence=0.5), tmp_path)


def test_stream__says_at_the_start_what_must_be_declared(spark, tmp_path):
    write_parts(tmp_path / "left", readings(1, 1))
    data = stream_of(spark, tmp_path / "left")
    declared = wa.events(data, **MODEL, **DECLARED)
    with pytest.raises(wa.WhenaboutsError, match=r"right events are a stream: say how late .*max_delay="):
        wa.timing_join(declared, wa.events(data, **MODEL, max_width="2s"), wa.within("1s"), min_confidence=0.5)
    with pytest.raises(wa.WhenaboutsError, match=r"right events are a stream, and .*max_width="):
        wa.timing_join(declared, wa.events(data, **MODEL, max_delay="2s"), wa.within("1s"), min_confidence=0.5)
    with pytest.raises(wa.WhenaboutsError, match="unique_ids=True needs all rows at once"):
        wa.events(data, **MODEL, unique_ids=True)
    with pytest.raises(wa.WhenaboutsError, match="stats= is for batches"):
        wa.timing_join(declared, declared, wa.within("1s"), min_confidence=0.5, stats=wa.Stats())
    with pytest.raises(wa.WhenaboutsError, match="'end' is not in events"):
        wa.events(data, id="id", time=wa.between("lo", "end"))
    explained = str(wa.explain(wa.timing_join, declared, declared, wa.within("1s"), min_confidence=0.5))
    assert "2 that take turns with slices of time" in explained
    exact = wa.events(data, id="id", time=wa.at("hi"), max_delay="1s")
    assert wa.timing_join(exact, exact, wa.within("1s"), min_confidence=0.5).isStreaming
