import contextlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import moments
from whenabouts import io

LOG = pa.table(
    {
        "id": [1, 2, 3, 4], "kind": ["Start", "CPU", "CPU", "End"], "node": ["x", "x", "y", "x"],
        "load": [None, 97.0, 99.0, None], "lo": moments(0, 2, 2, 9), "hi": moments(4, 6, 6, 9),
    }
)  # fmt: skip
QUERY = "PATTERN SEQ(Start a, CPU b, End c) WHERE [node] AND b.load > 95\nWITHIN 15 seconds RETURN b.load AS load"
COLUMNS = ("--time", "between(lo, hi)", "--type", "kind")


@pytest.fixture
def log(tmp_path):
    (tmp_path / "query.wq").write_text(QUERY)
    return io.write(LOG, tmp_path / "log.parquet"), tmp_path / "query.wq", tmp_path / "matches.parquet"


def test_match__writes_the_matches_of_a_query_file(run, log):
    events, query, out = log
    result = run("match", events, query, *COLUMNS, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "1 matches in" in result.stdout
    (row,) = io.read(str(out)).to_pylist()
    assert row["signature"] == [1, 2, 4]
    assert row["confidence"] == pytest.approx(1 - (2 * 2 / 2) / 16)
    assert row["load"] == 97.0


def test_match__takes_a_query_and_a_threshold_on_the_command_line(run, log):
    events, _, out = log
    result = run(
        "match", events, QUERY, *COLUMNS, "--min-confidence", 0.9, "--tick", "500ms", "--out", out.with_suffix(".jsonl")
    )
    assert result.exit_code == 0, result.stderr
    assert "emitted" in result.stdout


def test_match__explains_without_running(run, log):
    events, query, _ = log
    result = run("match", events, query, *COLUMNS, "--explain")
    assert "partition key  a.node = b.node = c.node" in result.stdout


@pytest.mark.parametrize(("name", "encoding"), [("pattern.wq", "utf-8"), ("overload.wq", "utf-8-sig")])
def test_match__reads_a_query_file_of_any_name_with_or_without_a_byte_order_mark(run, log, name, encoding):
    file = log[0].with_name(name)
    file.write_text(QUERY, encoding=encoding)
    with contextlib.chdir(file.parent):
        result = run("match", log[0], name, *COLUMNS, "--explain")
    assert result.exit_code == 0, result.stderr


def test_match__says_that_a_query_file_is_not_utf_8(run, log):
    file = log[0].with_name("latin.wq")
    file.write_text("PATTERN SEQ(Früh a)", encoding="latin-1")
    result = run("match", log[0], file, *COLUMNS)
    assert result.exit_code == 2
    assert "is no text in UTF-8" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["PATTERN SEQ(Start a) WERE a.x = 1"], "Did you mean 'WHERE'?"),
        (["PATTERN SEQ(Start a) WHERE a.laod > 1"], "Did you mean 'load'?"),
        (["nowhere.wq"], "neither a readable file"),
        ([QUERY, "--out", "matches.csv"], "CSV cannot hold the ids of a match"),
        ([QUERY, "--rejected", "bad.parquet"], "--rejected needs --bad-rows quarantine"),
        ([QUERY, "--method", "point"], "Pass tick= as well"),
    ],
)
def test_match__tells_mistakes_in_words(run, log, change, words):
    result = run("match", log[0], *change, *COLUMNS)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


STREAM = ("--stream", "--max-delay", "1m", "--max-width", "4s", "--until-done")


@pytest.mark.spark
def test_match_stream__finds_in_a_folder_what_is_in_the_file(run, log):
    events, query, out = log
    folder = events.with_name("parts")
    folder.mkdir()
    io.write(LOG.slice(2), folder / "1.parquet")
    io.write(LOG.slice(0, 2), folder / "2.parquet")
    matches, checkpoint = out.with_suffix(""), out.with_name("checkpoint")
    result = run("match", folder, query, *COLUMNS, *STREAM, "--out", matches, "--checkpoint", checkpoint)
    assert result.exit_code == 0, result.output
    assert "matches in" in result.output
    assert [row["signature"] for row in pq.read_table(matches).to_pylist()] == [[1, 2, 4]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "out"], "--stream needs --out and --checkpoint, two folders: for the matches"),
        (["--rejected", "bad.parquet"], "--stream say --side-output"),
    ],
)
def test_match_stream__says_what_is_missing(run, log, options, said):
    result = run("match", log[0], log[1], *COLUMNS, *STREAM, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
