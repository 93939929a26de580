"""Thresholds and the k surest, and that all methods agree on streams too long for the oracle."""

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.testing import cluster_monitoring, number_series

METHODS = ["sorted", "query_order", "any_state", "selectivity"]
QUERY = """PATTERN SEQ(ANY a, ANY b, ANY c)
WHERE a.value % 11 = 0 AND b.value % 13 = 0 AND c.value % 7 = 0 AND skip_till_{}_match(a, b, c) WITHIN 20"""


@pytest.fixture(scope="module")
def series():
    return wa.events(number_series(150, delta=4), id="id", time=wa.between("lo", "hi"))


def as_mapping(table):
    return {tuple(row["signature"]): row for row in table.to_pylist()}


def check_equal(one, other):
    assert set(one) == set(other)
    for signature, row in one.items():
        twin = other[signature]
        assert (row["earliest"], row["latest"]) == (twin["earliest"], twin["latest"])
        assert row["confidence"] == pytest.approx(twin["confidence"], abs=1e-12)


@pytest.mark.parametrize("strategy", ["any", "next"])
@pytest.mark.parametrize("tick", [None, 1])
def test_methods__agree_on_a_stream(series, strategy, tick):
    query = QUERY.format(strategy)
    expected = as_mapping(wa.match(series, query, tick=tick))
    assert len(expected) > 10
    for method in METHODS + (["point"] if tick else []):
        check_equal(as_mapping(wa.match(series, query, tick=tick, method=method)), expected)


@pytest.mark.parametrize("method", METHODS)
def test_min_confidence__keeps_exactly_the_surer_ones(series, method):
    everything = as_mapping(wa.match(series, QUERY.format("any")))
    stats = wa.Stats()
    sure = as_mapping(wa.match(series, QUERY.format("any"), min_confidence=0.3, method=method, stats=stats))
    check_equal(sure, {key: row for key, row in everything.items() if row["confidence"] >= 0.3 - 1e-12})
    assert 0 < len(sure) < len(everything)
    assert stats.emitted == len(sure)


@pytest.mark.parametrize("method", METHODS)
def test_top__gives_the_surest_first(series, method):
    everything = wa.match(series, QUERY.format("next"))
    best = wa.match(series, QUERY.format("next"), top=5, method=method)["confidence"].to_pylist()
    assert best == pytest.approx(sorted(everything["confidence"].to_pylist(), reverse=True)[:5], abs=1e-12)


def test_negation__is_sure_where_nothing_can_come_between():
    table = pa.table(
        {
            "id": ["a", "b", "n", "m"],
            "kind": ["A", "B", "N", "N"],
            "lo": [0.0, 4.0, 1.0, 8.0],
            "hi": [2.0, 6.0, 3.0, 9.0],
        }
    )
    events = wa.events(table, id="id", type="kind", time=wa.between("lo", "hi"))
    (row,) = wa.match(events, "PATTERN SEQ(A a, !N n, B b) WITHIN 10").to_pylist()
    # The absent event surely precedes b, so it must precede a: two times on [0, 2] and [1, 3].
    assert row["confidence"] == pytest.approx(1 / 8)


def test_a_key__keeps_nodes_apart():
    events = wa.events(
        cluster_monitoring(10, nodes=3, seed=2), id="id", type="type", time=wa.between("earliest", "latest")
    )
    query = """PATTERN SEQ(TaskStart a, CPU b, TaskFinish c) WHERE a.task = c.task{} AND b.value > 95 WITHIN 1 minute
    RETURN a.node AS a, b.node AS b, c.node AS c"""
    by_key = wa.match(events, query.format(" AND [node]")).to_pylist()
    by_hand = [row for row in wa.match(events, query.format("")).to_pylist() if row["a"] == row["b"]]
    assert by_key
    check_equal(*({tuple(row["signature"]): row for row in rows} for rows in (by_key, by_hand)))
