"""The same join on Spark Connect, and on two executors in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("session_script.py")
on_connect = pytest.mark.parametrize("report", ["connect"], indirect=True)


@pytest.fixture(scope="module", params=["connect", "cluster"])
def report(request):
    run = subprocess.run([sys.executable, str(SCRIPT), request.param], capture_output=True, text=True, timeout=600)
    lines = [line for line in run.stdout.splitlines() if "REPORT " in line]
    assert lines, run.stderr[-4000:]
    return request.param, json.loads(lines[0].split("REPORT ", 1)[1])


@pytest.mark.spark
def test_session__is_of_the_kind_that_was_asked_for(report):
    kind, facts = report
    assert facts["session"].startswith("pyspark.sql.connect") == (kind == "connect")
    assert facts["executors"] == (1 if kind == "connect" else 2)


@pytest.mark.spark
def test_timing_join__gives_what_this_process_gives_on_any_session(report):
    _, facts = report
    assert facts["equal"]
    assert facts["slices"] > 1
    assert facts["emitted"] == facts["pairs"] > 100_000


@pytest.mark.spark
def test_bad_rows__are_an_error_with_its_reason_on_any_session(report):
    _, facts = report
    assert "'lo' is after 'hi': 1 row, for example id=1, lo=5.0, hi=3.0" in facts["error"]
    assert facts["rejected"] == ["'lo' is after 'hi'"]


@on_connect
@pytest.mark.spark
def test_timing_join__of_streams_gives_the_same_pairs_on_connect(report):
    _, facts = report
    found, told, expected = facts["streamed"]
    assert found == told == expected > 3000


@on_connect
@pytest.mark.spark
def test_match__gives_what_this_process_gives_on_connect(report):
    _, facts = report
    there, both, here = facts["matched"]
    assert there == both == here > 100


@on_connect
@pytest.mark.spark
def test_interval_query__gives_what_this_process_gives_on_connect(report):
    _, facts = report
    assert facts["related"] == [True, 66, 2]


@on_connect
@pytest.mark.spark
def test_similarity_join__gives_what_this_process_gives_on_connect(report):
    _, facts = report
    same, pairs, rejected = facts["near"]
    assert same
    assert pairs > 10
    assert rejected == 1
