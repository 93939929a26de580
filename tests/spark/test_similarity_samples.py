"""Samples travel as one array of numbers, or as they are: what arrives is what was sent."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import whenabouts as wa
from tests.similarity_cases import answers
from whenabouts.schema.objects import ObjectContract
from whenabouts.spark.similarity_samples import fitting, flat_of, flattened, unflattened
from whenabouts.spark.wire import as_they_are

pytestmark = pytest.mark.spark

CLOUDS = [
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    [[1.0, 0.0, 3.0]],
    [[1.0, 2.0], [1.0, 2.0, 3.0, 4.0]],
    [[float("nan"), 1.0, 1.0]],
    [[1.0, None, 2.0]],
    [None, [1.0, 2.0, 3.0]],
    [[7.0, 8.0, 9.0]],
    [[]],
    [],
    None,
]
FLAT = [True, True, False, True, True, False, True, False, False, False]


@pytest.fixture(scope="module")
def rows():
    samples = pa.array(CLOUDS, pa.list_(pa.list_(pa.float64())))
    return pa.table({"id": range(len(CLOUDS)), "n": range(len(CLOUDS)), "samples": samples})


def test_samples__arrive_as_they_were_however_they_travel(spark, rows):
    contract = ObjectContract("id", "n", None, samples="samples", dimension=3)
    data = spark.createDataFrame(rows)
    rows_that_fit = data.withColumn("fits", fitting(data, contract))
    carried = as_they_are(data, data.columns) | flattened(data, contract, F.col("fits"))
    assert list(carried) == [*data.columns, flat_of(contract)]
    sent = rows_that_fit.orderBy("id").select(*(column.alias(name) for name, (_, column) in carried.items())).toArrow()
    assert [bool(flat) for flat in sent[flat_of(contract)].to_pylist()] == FLAT
    arrived = unflattened(sent, contract)
    assert arrived.column_names == rows.column_names
    assert str(arrived["samples"].to_pylist()) == str(CLOUDS)


def packed(*numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


PACKED = [
    packed(1, 2, 3, 4, 5, 6),
    packed(1, 0, 3),
    packed(1, 2),
    packed(float("nan"), 1, 1),
    b"?",
    packed(7, 8, 9),
    b"",
    None,
]


@pytest.mark.parametrize("layout", ["nested", "packed"])
def test_quarantine__on_spark_keeps_the_objects_that_it_keeps_here(spark, rows, layout):
    if layout == "packed":
        rows = pa.table({"id": range(len(PACKED)), "n": range(len(PACKED)), "samples": PACKED})
    model = {"id": "id", "seq": "n", "samples": "samples", "dimensions": 3, "bad_rows": "quarantine"}
    question = {"distance": 20.0, "min_confidence": 0.5, "window": 20}
    here, there = wa.objects(rows, **model), wa.objects(spark.createDataFrame(rows), **model)
    found = wa.similarity_join(there, **question).toArrow()
    assert answers(found) == answers(wa.similarity_join(here, **question))
    assert len(found) == 3
    rejected = [sorted(table.select(["id", "reason"]).to_pylist(), key=str) for table in
                (there.rejected.toArrow(), here.rejected)]  # fmt: skip
    assert rejected[0] == rejected[1] != []
