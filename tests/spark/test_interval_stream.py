"""The interval query of streams on Spark: the answers of the batch, and what is refused."""

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.spark.readings import write_parts
from tests.state.test_interval_machine import END, SHARING, by_pair, events

pytestmark = pytest.mark.spark


def segments(data, **options):
    return wa.segments(data, key="k", seq="n", time="t", **{"expected": "total", "max_delay": 5000, **options})


def stream_of(spark, folder, tables):
    write_parts(folder, tables)
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def test_stream__gives_the_answers_of_the_batch(spark, tmp_path):
    tables = {side: events(side, seed) for side, seed in (("l", 11), ("r", 12))}
    parts = {side: [table.take(list(range(1, len(table), 2))), table.take(list(range(0, len(table), 2))), END]
             for side, table in tables.items()}  # fmt: skip
    left, right = (segments(stream_of(spark, tmp_path / side, parts[side])) for side in ("l", "r"))
    frame = wa.interval_query(left, right, SHARING)
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.option("path", str(tmp_path / "out")).trigger(availableNow=True).start()
    query.awaitTermination()
    found = spark.read.parquet(str(tmp_path / "out")).toArrow().to_pylist()
    batch = [wa.segments(tables[side], key="k", seq="n", time="t", expected="total") for side in ("l", "r")]
    assert by_pair(found) == by_pair(wa.interval_query(*batch, SHARING).to_pylist())


def test_stream__must_say_how_late_events_are_and_which_is_the_last(spark, tmp_path):
    data = stream_of(spark, tmp_path / "one", [END])
    good = segments(data)
    for options, words in (({"max_delay": None}, "How late"), ({"expected": None}, "last event")):
        with pytest.raises(wa.WhenaboutsError, match=words):
            wa.interval_query(segments(data, **options), good, SHARING)
    pairs = spark.createDataFrame(pa.table({"left_key": ["a"], "right_key": ["b"]}))
    with pytest.raises(wa.WhenaboutsError, match="toArrow"):
        wa.interval_query(good, good, SHARING, pairs=pairs)
    with pytest.raises(wa.WhenaboutsError, match="choose"):
        wa.interval_query(good, good, SHARING, emit="sometimes")
