"""What people see of a running stream."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from whenabouts.spark.streaming.watch import Told, watch

METRICS = {
    "left_rows": 1000.0, "left_late": 1.0, "left_too_wide": 0.0, "left_malformed": 2.0,
    "right_rows": 900.0, "right_late": 0.0, "right_too_wide": 0.0, "right_malformed": 0.0,
    "left_watermark": "2026-11-15T22:00:01.123Z", "right_watermark": None, "emitted": 4000.0, "buffered": 320.0,
    "state_bytes": 12345.0, "candidates": 6000.0, "surely_yes": 1000.0, "probed": 5000.0, "computed": 4000.0,
    "lookup_hits": 1000.0, "response_total": 6200.0,
}  # fmt: skip


class Observed(dict):
    def asDict(self):
        return dict(self)


def progress(batch, **changed):
    observed = {"whenabouts": Observed(METRICS | changed)}
    return {"batchId": batch, "observedMetrics": observed, "durationMs": {"triggerExecution": 500}}


def shown(view):
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(view)
    return [line.split() for line in console.export_text().splitlines()]


def test_watch__shows_rates_buffers_probes_watermarks_and_response_times():
    told = Told()
    told.hear(progress(3))
    lines = shown(told.table())
    assert ["left", "events", "1,000", "1,000", "2,000", "events/s"] in lines
    assert ["results", "4,000", "4,000", "8,000", "a", "second"] in lines
    assert ["look-up", "hits", "1,000", "1,000", "20%", "of", "probes"] in lines
    assert ["left", "watermark", "2026-11-15", "22:00:01.123"] in lines
    assert ["right", "watermark", "none", "yet"] in lines
    assert any(line[:3] == ["response", "1.55", "s"] for line in lines)
    assert ["malformed", "2", "2"] in lines


def test_watch__adds_batches_up_and_hears_each_once():
    told = Told()
    for batch in (1, 1, 2, 1, 2):
        told.hear(progress(batch, left_late=5.0))
    lines = shown(told.table())
    assert ["late", "5", "10"] in lines
    assert ["left", "events", "1,000", "2,000", "2,000", "events/s"] in lines


def test_watch__reads_what_spark_connect_tells():
    """There a row of metrics comes as its values and its schema."""
    told = Told()
    apart = Observed(values=list(METRICS.values()), schema={"fields": [{"name": name} for name in METRICS]})
    told.hear(progress(0) | {"observedMetrics": {"whenabouts": apart}})
    assert told.metrics == METRICS


class Query:
    """A query that ends by itself, well or with an error."""

    def __init__(self, error=None):
        self.asked = 0
        self.recentProgress = [progress(0)]
        self.error = error

    @property
    def isActive(self):
        self.asked += 1
        return self.asked < 3

    def exception(self):
        return self.error


def test_watch__ends_with_the_query_and_tells_its_error():
    console = Console(file=io.StringIO())
    query = Query()
    watch(query, console=console)
    assert query.asked == 3
    with pytest.raises(RuntimeError, match="broken"):
        watch(Query(RuntimeError("broken")), console=console)
