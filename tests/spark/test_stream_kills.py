"""Exactly once: killed in the middle of a batch, again and again, a stream loses no pair and writes none twice."""

from __future__ import annotations

import datetime as dt
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whenabouts as wa
from tests.agreement import pairs_of
from tests.spark.readings import MODEL, readings, write_parts
from tests.spark.test_match import matches, same

SCRIPT = Path(__file__).with_name("stream_script.py")
KILLS = int(os.environ.get("WHENABOUTS_KILLS", "2"))
FILES = 4 + 2 * KILLS
PATIENCE = 240


def start(folder, *question, script=SCRIPT):
    """A process group of its own, so that Python and Java die together."""
    log = (folder / "log").open("ab")
    command = [sys.executable, script, folder, *question]
    return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def batches(folder, what):
    """The batches that were begun (offsets) or ended (commits)."""
    path = folder / "checkpoint" / what
    return {int(one.name) for one in path.iterdir() if one.name.isdigit()} if path.is_dir() else set()


def kill_in_a_batch(folder, draw, *question, script=SCRIPT):
    """Wait until a batch beyond those of earlier lives has begun and not ended, and a little longer; then SIGKILL."""
    ended = batches(folder, "commits")
    process = start(folder, *question, script=script)
    wanted = max(ended, default=-1) + draw.randint(1, 2)
    end = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end and process.poll() is None:
            if max(batches(folder, "offsets"), default=-1) >= wanted:
                break
            time.sleep(0.005)
        assert process.poll() is None, (folder / "log").read_text()[-2000:]
        time.sleep(draw.uniform(0.0, 0.4))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return bool(batches(folder, "offsets") - batches(folder, "commits"))


@pytest.mark.spark
@pytest.mark.slow
def test_stream__that_is_killed_in_its_batches_writes_every_pair_once(tmp_path):
    sides = {name: readings(seed, FILES, rows=200) for name, seed in (("left", 11), ("right", 12))}
    for name, tables in sides.items():
        write_parts(tmp_path / name, tables)
    draw = random.Random(KILLS)
    interrupted = [kill_in_a_batch(tmp_path, draw) for _ in range(KILLS)]
    assert any(interrupted), "no kill hit a batch"
    last = start(tmp_path)
    assert last.wait(PATIENCE) == 0, (tmp_path / "log").read_text()[-2000:]

    batch = [wa.events(pa.concat_tables(tables), **MODEL) for tables in sides.values()]
    expected = pairs_of(wa.timing_join(*batch, wa.within("1s"), min_confidence=0.6))
    got = pairs_of(pq.read_table(tmp_path / "result.parquet"))
    assert got.keys() == expected.keys()
    assert got == pytest.approx(expected, abs=1e-9)


@pytest.mark.spark
@pytest.mark.slow
def test_stream__of_a_pattern_that_is_killed_writes_every_match_once(tmp_path):
    """Under skip-till-next-match, so that what is not final yet must survive in the state."""
    query = "PATTERN SEQ(ANY a, ANY b) WHERE [key] AND skip_till_next_match(a, b) WITHIN 4 seconds RETURN a.key"
    tables = readings(13, 6, rows=200)
    much_later = [dt.datetime(2100, 1, 1, tzinfo=dt.UTC)]
    end = {"id": [-1], "lo": much_later, "hi": much_later, "key": ["none"]}
    tables.append(pa.table(end, schema=tables[0].schema))
    write_parts(tmp_path / "left", tables)
    assert kill_in_a_batch(tmp_path, random.Random(1), query), "the kill hit no batch"
    last = start(tmp_path, query)
    assert last.wait(PATIENCE) == 0, (tmp_path / "log").read_text()[-2000:]

    expected = matches(wa.match(wa.events(pa.concat_tables(tables), **MODEL), query))
    assert len(expected) > 100
    same(matches(pq.read_table(tmp_path / "result.parquet")), expected)
