"""Patterns over streams on Spark: the same matches as the batch, what is set aside, and what is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.spark.readings import DECLARED, MODEL, readings, write_parts
from tests.spark.test_match import matches, same
from tests.spark.test_streams import result_of, run, stream_of

pytestmark = pytest.mark.spark


NEXT = "PATTERN SEQ(ANY a, ANY b) WHERE [key] AND skip_till_next_match(a, b) WITHIN 4 seconds RETURN a, b.key"
ANY = "PATTERN SEQ(ANY a, ANY b) WHERE a.key < b.key WITHIN 300ms RETURN a.key AS k"


@pytest.mark.parametrize("query", [NEXT, ANY], ids=["next, by key", "any, by time"])
def test_stream__gives_the_matches_of_the_batch(spark, tmp_path, query):
    tables = readings(3, 3)
    write_parts(tmp_path / "events", tables)
    whole = pa.concat_tables(tables)
    events = wa.events(stream_of(spark, tmp_path / "events"), **MODEL, **DECLARED)
    progress = run(wa.match(events, query, min_confidence=0.3), tmp_path).recentProgress
    expected = matches(wa.match(wa.events(whole, **MODEL), query, min_confidence=0.3))
    found = matches(result_of(spark, tmp_path))
    if query is ANY:
        same(found, expected)
    else:
        last = max(whole["hi"].to_pylist())
        waiting = {one for one, row in expected.items() if (last - row["latest"]).total_seconds() > 16}
        assert waiting <= found.keys(), "only the last few matches still wait"
        same(found, {one: row for one, row in expected.items() if one in found})
    assert len(found) > 100
    told = [one["observedMetrics"]["whenabouts"].asDict() for one in progress]
    assert sum(one["emitted"] for one in told) == len(found)
    assert sum(one["events_rows"] for one in told) == len(whole)
    assert 0 < told[-1]["buffered"] < len(whole)


def test_stream__refuses_what_it_could_never_finish(spark, tmp_path):
    write_parts(tmp_path / "events", readings(3, 1, rows=20))
    data = stream_of(spark, tmp_path / "events")
    events = wa.events(data, **MODEL, **DECLARED)
    with pytest.raises(wa.WhenaboutsError, match="add WITHIN to the query"):
        wa.match(events, "PATTERN SEQ(ANY a, ANY b)")
    with pytest.raises(wa.WhenaboutsError, match="a stream never ends"):
        wa.match(events, ANY, top=3)
    with pytest.raises(wa.WhenaboutsError, match="say how late they may come"):
        wa.match(wa.events(data, **MODEL), ANY)
    assert "by key" in str(wa.explain(wa.match, events, NEXT))
