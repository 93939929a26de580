"""Certain times: whenabouts next to Esper and Flink's MATCH_RECOGNIZE, on one pattern and equal match counts.

Esper gets its events as objects that are made as they are sent, and has five runs to warm up in, of which the best
counts. Flink runs in an interpreter of its own, named in ``WHENABOUTS_FLINK_PYTHON``: ``pip install apache-flink``
wants other versions of what this one has. It has one run, of a minute, in which it is warm nearly all the time; what it
takes to start a job and read the stream is measured apart and not counted.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from benchmarks.data import Scale, short
from benchmarks.esper_match import NoEsper, run_esper
from benchmarks.match import DIVISORS, matcher, measured, query_for, stream
from benchmarks.measure import Row, row, skipped

BENCHMARK = "match_peers"
SCRIPT = Path(__file__).with_name("flink_match.py")


def run(scale: Scale) -> list[Row]:
    """All engines on the same events; how many times as long as ours the others take."""
    count = 200_000 if scale == "full" else 20_000
    case = f"{short(count)} events with certain times, skip till next match, one core"
    query = query_for(DIVISORS[1], "next")
    timings, matches = measured({"whenabouts": matcher(stream(count, 0), query)}, 5)
    ours, timing = matches["whenabouts"], timings["whenabouts"]
    rate = count / timing.median / 1e3
    rows = [row(BENCHMARK, case, "whenabouts", rate, "k events/s", better="higher", timing=timing, pairs=ours)]
    return [*rows, *_esper(case, count, ours, timing.median), *_flink(case, count, ours, timing.median)]


def _esper(case: str, count: int, matches: int, ours: float) -> list[Row]:
    name = "Esper match_recognize"
    try:
        runs = run_esper(count, 5, DIVISORS[1])
    except NoEsper as reason:
        return [skipped(BENCHMARK, case, name, str(reason))]
    assert all(one["matches"] == matches for one in runs), (runs, matches)
    return _beside(case, name, count, min(one["seconds"] for one in runs), ours)


def _flink(case: str, count: int, matches: int, ours: float) -> list[Row]:
    name = "Flink MATCH_RECOGNIZE"
    python = os.environ.get("WHENABOUTS_FLINK_PYTHON")
    if python is None:
        return [skipped(BENCHMARK, case, name, "WHENABOUTS_FLINK_PYTHON is not set")]
    done = subprocess.run(
        [python, str(SCRIPT), str(count), "1", *map(str, DIVISORS[1])], capture_output=True, text=True, check=True
    )
    *runs, reading = json.loads(done.stdout.strip().splitlines()[-1])
    assert all(one["matches"] == matches for one in runs), (runs, matches)
    return _beside(case, name, count, min(one["seconds"] for one in runs) - reading["reading"], ours)


def _beside(case: str, name: str, count: int, seconds: float, ours: float) -> list[Row]:
    """A peer's own rate, and how many times as long as ours it takes."""
    return [
        row(BENCHMARK, case, name, count / seconds / 1e3, "k events/s", better="higher"),
        row(BENCHMARK, case, f"{name.split()[0]} over whenabouts", seconds / ours, "x ours", better="higher"),
    ]
