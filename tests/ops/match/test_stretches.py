"""Nanoseconds apart and years apart in one table: every tick counts."""

import pyarrow as pa
import pytest

import whenabouts as wa

YEAR = 365 * 86_400 * 10**9


@pytest.mark.parametrize("strategy", ["any", "next"])
@pytest.mark.parametrize("method", ["auto", "any_state", "point"])
def test_nanoseconds__are_told_apart_years_later(strategy, method):
    moments = [0, 5, 3 * YEAR + 1, 3 * YEAR + 2, 3 * YEAR + 9, 3 * YEAR + 9]
    table = pa.table(
        {"id": range(6), "kind": ["A", "B", "A", "B", "A", "B"], "t": pa.array(moments, pa.timestamp("ns", "UTC"))}
    )
    events = wa.events(table, id="id", type="kind", time=wa.at("t"))
    query = f"PATTERN SEQ(A a, B b) WHERE skip_till_{strategy}_match(a, b) WITHIN 1 microsecond"
    stats = wa.Stats()
    found = wa.match(events, query, method=method, stats=stats)
    signatures = sorted(map(tuple, found["signature"].to_pylist()))
    assert signatures == ([(0, 1), (2, 3), (2, 5)] if strategy == "any" else [(0, 1), (2, 3)])
    assert stats.emitted == len(found)
    assert found["earliest"].cast("int64").to_pylist() == [moments[one[0]] for one in found["signature"].to_pylist()]


def test_top__is_taken_over_all_stretches():
    moments = [0, 5, 3 * YEAR, 3 * YEAR + 5]
    stamps = pa.array(moments, pa.timestamp("ns", "UTC"))
    table = pa.table({"id": range(4), "kind": ["A", "B", "A", "B"], "t": stamps})
    events = wa.events(table, id="id", type="kind", time=wa.at("t"))
    found = wa.match(events, "PATTERN SEQ(A a, B b) WITHIN 1 microsecond", top=1)
    assert found["signature"].to_pylist() == [[0, 1]]
