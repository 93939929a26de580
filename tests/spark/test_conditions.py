"""Conditions as Columns say what the same conditions say in this process."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.query.typed import SCHEMA, conditions, row
from whenabouts.model.pattern import Component, Pattern
from whenabouts.ops.conditions.masks import Reader
from whenabouts.query import parse_pattern
from whenabouts.query.conditions import normalised
from whenabouts.query.typing import check_types
from whenabouts.schema.kinds import kinds_of

pytestmark = pytest.mark.spark
KINDS = kinds_of(SCHEMA)


def answers(reader, node, rows):
    found = reader.evaluate(node)
    true = np.broadcast_to(found.true, rows).tolist()
    unknown = np.zeros(rows, bool) if found.unknown is None else np.broadcast_to(found.unknown, rows)
    return [None if missing else truth for truth, missing in zip(true, unknown, strict=True)]


def spark_answers(data, nodes, schema, kinds, positive=False):
    from whenabouts.spark.conditions import Columns

    columns = Columns(schema, kinds)
    named = [columns.condition(node, positive=positive).alias(f"c{n}") for n, node in enumerate(nodes)]
    found = data.select("row", *named).toArrow().sort_by("row")
    return [found.column(f"c{n}").to_pylist() for n in range(len(nodes))]


@given(st.lists(conditions(["a"]), min_size=40, max_size=40), st.lists(row(), min_size=30, max_size=30))
@settings(max_examples=3)
def test_random_conditions__are_the_same_on_spark(spark, wheres, rows):
    table = pa.Table.from_pylist(rows, SCHEMA)
    pattern = Pattern((Component(None, "a"),))
    nodes = [normalised(check_types(Pattern(pattern.components, one), KINDS).where, pattern) for one in wheres]
    data = spark.createDataFrame(table.append_column("row", pa.array(range(len(rows)))))
    expected = [answers(Reader(table, KINDS, 1000), node, len(rows)) for node in nodes]
    for node, found, wanted in zip(nodes, spark_answers(data, nodes, SCHEMA, KINDS), expected, strict=True):
        assert found == wanted, node
    positive = spark_answers(data, nodes, SCHEMA, KINDS, positive=True)
    for node, found, wanted in zip(nodes, positive, expected, strict=True):
        assert [one is True for one in found] == [one is True for one in wanted], node


TABLE = pa.table(
    {
        "row": [0, 1, 2],
        "short": pa.array([1, None, 3], pa.int16()),
        "single": pa.array([0.1, float("nan"), 2.0], pa.float32()),
        "price": pa.array([None, 1, 2], pa.decimal128(10, 2)),
        "local": pa.array([dt.datetime(2026, 1, 1, 1), None, dt.datetime(2026, 1, 2)], pa.timestamp("us")),
        "day": pa.array([dt.date(2026, 1, 1), None, dt.date(2026, 1, 2)]),
        "wait": pa.array([dt.timedelta(seconds=1), None, dt.timedelta(days=2)], pa.duration("us")),
        "odd `name.x": ["a", None, "b"],
    }
)
TEXTS = [
    "a.short % 2 = 1", "a.short IN (1, 2)", "a.single > 0.1", "a.single = 2", "a.single IS NULL", "a.price >= 1.5",
    "a.price + 1 = 2", "a.local > '2026-01-01 00:30:00'", "a.local - a.day < 2 hours", "a.day = '2026-01-01'",
    "a.day + 1 hour >= a.local", "a.wait > 1 second", "a.wait / 2 seconds = 0.5", "-a.wait < 1ms",
    "a.wait * 2 >= 4 days", "a.local BETWEEN '2026-01-01' AND '2026-01-01 02:00:00'", "a.short / 2 = 0.5",
    "a.single NOT IN (2, 3.5)", "NOT a.short IN (a.short + 1, 3)", "a.price IS NOT NULL",
]  # fmt: skip


def test_columns_of_all_kinds__are_the_same_on_spark(spark):
    kinds = kinds_of(TABLE.schema)
    nodes = []
    for text in TEXTS:
        pattern = check_types(parse_pattern(f"PATTERN SEQ(ANY a) WHERE {text}"), kinds, 1000)
        nodes.append(normalised(pattern.where, pattern))
    data = spark.createDataFrame(TABLE)
    expected = [answers(Reader(TABLE, kinds, 1000), node, 3) for node in nodes]
    assert dict(zip(TEXTS, spark_answers(data, nodes, TABLE.schema, kinds), strict=True)) == dict(
        zip(TEXTS, expected, strict=True)
    )
    assert all(None in answer or "NULL" in text for text, answer in zip(TEXTS, expected, strict=True))


def test_simple_comparisons__reach_the_source(spark, tmp_path):
    """What a row must fit is pushed into the scan of a file."""
    import contextlib
    import io

    import pyarrow.parquet as pq

    from whenabouts.spark.conditions import Columns

    table = pa.table(
        {"kind": ["A", "B"], "value": [1.0, 2.0], "n": [1, 2], "at": pa.array([0, 1], pa.timestamp("us", "UTC"))}
    )
    pq.write_table(table, tmp_path / "events.parquet")
    data = spark.read.parquet(str(tmp_path / "events.parquet"))
    kinds = kinds_of(table.schema)
    pushed = {
        "TRUE": "EqualTo(kind,A)",
        "a.value > 1.5": "GreaterThan(value,1.5)",
        "a.n IN (1, 2)": "In(n, [1,2])",
        "a.at < '2026-01-01 00:00:00Z'": "LessThan(at,2026-01-01",
    }
    for text, part in pushed.items():
        pattern = check_types(parse_pattern(f"PATTERN SEQ({'A' if text == 'TRUE' else 'ANY'} a) WHERE {text}"), kinds)
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            fits = Columns(table.schema, kinds).fits(
                pattern.components[0], (normalised(pattern.where, pattern),), "kind"
            )
            data.select("kind", "value", "n", "at").where(fits).explain()
        assert part in words.getvalue().split("PushedFilters")[1], words.getvalue()
