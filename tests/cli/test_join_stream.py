"""`whenabouts join --stream` joins folders as files appear in them, and goes on where it stopped."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whenabouts as wa
from tests.agreement import pairs_of
from tests.cli.conftest import BADGES, DOORS
from whenabouts import io

TIMES = ["--left-time", "between(lo, hi)", "--right-time", "around(t, 1s)", "--right-id", "badge"]
QUESTION = [*TIMES, "--within", "2s", "--min-confidence", "0.3"]
WAITING = ["--stream", "--max-delay", "10m", "--max-width", "6s", "--until-done"]


@pytest.mark.spark
def test_join_stream__goes_on_where_it_stopped(run, tmp_path):
    doors, badges, out = tmp_path / "doors", tmp_path / "badges", tmp_path / "pairs"
    for folder in (doors, badges):
        folder.mkdir()
    io.write(DOORS.slice(0, 2), doors / "1.csv")
    pq.write_table(BADGES, badges / "1.parquet")
    command = ["join", doors, badges, *QUESTION, *WAITING, "--out", out, "--checkpoint", tmp_path / "checkpoint"]
    first = run(*command)
    assert first.exit_code == 0, first.output
    io.write(DOORS.slice(2), doors / "2.csv")
    second = run(*command)
    assert second.exit_code == 0, second.output
    assert "left events" in second.output

    left = wa.events(DOORS, id="id", time=wa.between("lo", "hi"))
    right = wa.events(BADGES, id="badge", time=wa.around("t", "1s"))
    expected = pairs_of(wa.timing_join(left, right, wa.within("2s"), min_confidence=0.3))
    parts = [pq.read_table(path) for path in out.glob("*.parquet")]
    got = pairs_of(pa.concat_tables(parts))
    assert {(int(one), other): p for (one, other), p in got.items()} == pytest.approx(expected, abs=1e-9)
    assert len(expected) == 3


@pytest.mark.spark
def test_join_stream__keeps_the_zeros_that_ids_begin_with(run, tmp_path):
    rows, out = tmp_path / "rows", tmp_path / "pairs"
    rows.mkdir()
    (rows / "1.csv").write_text("id,t\n007,1.0\n08,2.0\n")
    times = ["--time", "at(t)", "--within", "0.5", "--min-confidence", "1"]
    waiting = [
        "--stream",
        "--max-delay",
        "1",
        "--max-width",
        "1",
        "--until-done",
        "--checkpoint",
        tmp_path / "checkpoint",
    ]
    result = run("join", rows, rows, *times, *waiting, "--out", out)
    assert result.exit_code == 0, result.output
    found = pa.concat_tables([pq.read_table(path) for path in out.glob("*.parquet")])
    assert sorted(found["left_id"].to_pylist()) == ["007", "08"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "out"], "--stream needs --out and --checkpoint"),
        (["--rejected", "bad.csv"], "--stream say --side-output"),
    ],
)
def test_join_stream__says_what_is_missing(run, tmp_path, options, said):
    result = run("join", tmp_path, tmp_path, *QUESTION, *WAITING, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
