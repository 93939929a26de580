"""Certain times: whenabouts next to Flink's MATCH_RECOGNIZE, on one pattern, one stream and equal match counts.

Flink runs in an interpreter of its own, named in ``WHENABOUTS_FLINK_PYTHON``: ``pip install apache-flink`` wants other
versions of what this one has. The time that Flink takes to start a job and read the stream is measured apart and not
counted.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from benchmarks.data import Scale, short
from benchmarks.match import DIVISORS, matcher, measured, query_for, stream
from benchmarks.measure import Row, row, skipped

BENCHMARK = "match_peers"
SCRIPT = Path(__file__).with_name("flink_match.py")


def run(scale: Scale) -> list[Row]:
    """Both engines on the same events; how many times as long Flink takes an event."""
    count = 200_000 if scale == "full" else 20_000
    case = f"{short(count)} events with certain times, skip till next match, one core"
    query = query_for(DIVISORS[1], "next")
    timings, matches = measured({"whenabouts": matcher(stream(count, 0), query)}, 5)
    ours, timing = matches["whenabouts"], timings["whenabouts"]
    rate = count / timing.median / 1e3
    rows = [row(BENCHMARK, case, "whenabouts", rate, "k events/s", better="higher", timing=timing, pairs=ours)]
    python = os.environ.get("WHENABOUTS_FLINK_PYTHON")
    if python is None:
        return [*rows, skipped(BENCHMARK, case, "Flink MATCH_RECOGNIZE", "WHENABOUTS_FLINK_PYTHON is not set")]
    done = subprocess.run(
        [python, str(SCRIPT), str(count), "2", *map(str, DIVISORS[1])], capture_output=True, text=True, check=True
    )
    *runs, reading = json.loads(done.stdout.strip().splitlines()[-1])
    assert all(one["matches"] == ours for one in runs), (runs, ours)
    seconds = min(one["seconds"] for one in runs) - reading["reading"]
    rows.append(row(BENCHMARK, case, "Flink MATCH_RECOGNIZE", count / seconds / 1e3, "k events/s", better="higher"))
    rows.append(row(BENCHMARK, case, "Flink over whenabouts", seconds / timing.median, "x ours", better="higher"))
    return rows
