"""How groups are named, so that Spark spreads them and a changed number of them is noticed."""

from __future__ import annotations

import pytest

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
