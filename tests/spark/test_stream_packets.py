"""How groups are named, so that Spark spreads them, and how blobs leave a turn."""

from __future__ import annotations

import pytest

from whenabouts.spark.streaming import turns
from whenabouts.spark.streaming.packets import _spark_hash, group_labels


@pytest.mark.parametrize(("value", "hashed"), [(0, 933211791), (1, -559580957), (2, 1765031574), (42, 29417773)])
def test_hash__is_that_of_spark(value, hashed):
    """Golden values of `SELECT hash(CAST(value AS INT))`."""
    assert _spark_hash(value) == hashed


@pytest.mark.parametrize("partitions", [1, 2, 3, 8, 50])
def test_labels__fill_every_partition_once_and_begin_with_zero(partitions):
    labels = group_labels(partitions, partitions)
    assert labels[0] == 0
    assert sorted(_spark_hash(label) % partitions for label in labels) == list(range(partitions))


def test_outlet__sends_many_blobs_in_one_frame_and_large_ones_with_enough_empty_rows_to_be_let_go(monkeypatch):
    monkeypatch.setattr(turns, "ENOUGH", 8)
    out = turns.Outlet(5)
    assert list(out.send("result", -1, b"1234")) == []
    (large,) = out.send("late", 1, b"5678")
    assert list(large["kind"]) == ["result", "late", None, None, None, None]
    assert list(large["blob"].dropna()) == [b"1234", b"5678"]
    assert list(out.send("result", -1, b"9")) == []
    last = out.last([1.0, 2.0])
    assert list(last["kind"]) == ["result", "counts"]
    assert list(last["blob"]) == [b"9", None]
    assert list(last["counts"]) == [None, [1.0, 2.0]]
