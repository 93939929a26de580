"""`whenabouts intervals`."""

import pyarrow as pa
import pytest

from whenabouts import io

EVENTS = pa.table(
    {"key": ["A"] * 4 + ["B"] * 2 + ["C"] * 2, "seq": [1, 2, 3, 4, 1, 4, 1, 2], "time": [0, 2, 4, 6, 1, 10, 20, 30]}
)
QUERY = "AT LEAST 2 a INTERSECTS SOME b"


@pytest.fixture
def events(tmp_path):
    return io.write(EVENTS, tmp_path / "events.parquet")


def test_intervals__relates_the_keys_of_a_file_to_each_other(run, events, tmp_path):
    out = tmp_path / "pairs.parquet"
    result = run("intervals", events, "--query", QUERY, "--out", out)
    assert result.exit_code == 0, result.output
    assert "0.703704" in result.stdout
    found = io.read(out).to_pylist()
    assert {(row["left_key"], row["right_key"]) for row in found} == {("A", "B"), ("A", "C"), ("B", "C")}


def test_intervals__takes_two_files_pairs_and_a_threshold(run, events, tmp_path):
    pairs = io.write(pa.table({"left_key": ["A", "C"], "right_key": ["B", "B"]}), tmp_path / "pairs.csv")
    options = ("--query", QUERY, "--right", events, "--pairs", pairs, "--min-confidence", "0.5")
    result = run("intervals", events, *options, "--method", "simpmatch")
    assert result.exit_code == 0, result.output
    assert "1 pairs" in result.stdout


def test_intervals__takes_bounds_that_are_numbers(run, tmp_path):
    begun = pa.table({"key": ["A", "B", "B"], "seq": [2, 1, 2], "time": [10, 5, 20]})
    events = io.write(begun, tmp_path / "events.parquet")
    result = run("intervals", events, "--query", "SOME a CONTAINS OR OVERLAPS SOME b", "--bounds", "0,20")
    assert result.exit_code == 0, result.output
    assert "0.5" in result.stdout


def test_intervals__sets_bad_keys_aside(run, tmp_path):
    bad = pa.concat_tables([EVENTS, pa.table({"key": ["D", "D"], "seq": [1, 2], "time": [5, 4]})])
    events, rejected = io.write(bad, tmp_path / "events.jsonl"), tmp_path / "rejected.csv"
    result = run("intervals", events, "--query", QUERY, "--bad-rows", "quarantine", "--rejected", rejected)
    assert result.exit_code == 0, result.output
    assert io.read(rejected).column("key").to_pylist() == ["D", "D"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--query", "AT LEAST a"), "AT LEAST a"),
        (("--query", QUERY, "--bounds", "lo"), "two columns"),
        (("--query", QUERY, "--rejected", "x.csv"), "--bad-rows quarantine"),
        (("--query", QUERY, "--key", "sector"), "'sector' is not in segments"),
    ],
)
def test_intervals__tells_mistakes_in_words(run, events, options, words):
    result = run("intervals", events, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_intervals__takes_bounds_that_are_timestamps(run, tmp_path):
    hours = [f"2024-05-01T0{hour}:00:00" for hour in (1, 2, 3)]
    events = io.write(pa.table({"key": ["A", "B", "B"], "seq": [1, 1, 2], "time": hours}), tmp_path / "e.csv")
    ask = ("intervals", events, "--query", "SOME a PRECEDES SOME b", "--expected", "2", "--bounds")
    result = run(*ask, "2024-05-01T00:00:00,2024-05-01T05:00:00")
    assert result.exit_code == 0, result.output
    assert "0.25" in result.stdout
