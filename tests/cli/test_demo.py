"""`whenabouts demo` leaves data, pairs and charts behind, and its printed command works."""

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from whenabouts import io
from whenabouts.cli.comparison import Score, pair_keys, score

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_demo__goes_from_data_to_charts(run, tmp_path):
    out = tmp_path / "demo"
    result = run("demo", "--engine", "process", "--events", 3000, "--out", out)
    assert result.exit_code == 0, result.output
    pairs = io.read(out / "pairs.parquet")
    assert pairs.column_names == ["left_id", "right_id", "confidence"]
    assert min(pairs["confidence"].to_pylist()) >= 0.6 - 1e-12
    for name, least in (("pairs.html", 300_000), ("ranges.html", 300_000), ("pair.png", 20_000)):
        assert (out / name).stat().st_size > least
        assert str(out / name) in result.stdout
    words = re.sub(r"\s+", " ", result.stdout)
    assert f"emitted {len(pairs):,}" in words
    assert "precision recall" in words

    command = result.stdout.split("by hand:")[1].replace("\\\n", " ")
    again = run(*shlex.split(command)[1:])
    assert again.exit_code == 0, again.output
    assert io.read(out / "pairs.parquet").equals(pairs)


def test_demo__of_very_few_events_still_ends_well(run, tmp_path):
    result = run("demo", "--engine", "process", "--events", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output


@pytest.mark.spark
@pytest.mark.slow
def test_demo__on_spark_replaces_an_earlier_run(run, tmp_path):
    for engine in ("process", "spark", "process"):
        result = run("demo", "--engine", engine, "--events", 2000, "--out", tmp_path)
        assert result.exit_code == 0, result.output
        assert re.sub(r"\s+", " ", result.stdout).count("possible pairs") == 1


def test_score__counts_right_wrong_and_missed():
    answer, truth = (
        pa.table({"left_id": left, "right_id": right})
        for left, right in (([0, 0, 1], [0, 1, 1]), ([0, 1, 2], [1, 1, 0]))
    )
    one = score(pair_keys(answer, 3), pair_keys(truth, 3))
    assert one == Score(right=2, wrong=1, missed=1)
    assert (one.precision, one.recall) == (2 / 3, 2 / 3)


def test_quickstart__prints_a_table(capsys):
    runpy.run_path(str(EXAMPLES / "quickstart.py"))
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].split() == ["left_id", "right_id", "confidence"]
    assert "0.888889" in printed


@pytest.mark.spark
@pytest.mark.slow
def test_sensors_example__runs_on_spark():
    report = subprocess.run([sys.executable, str(EXAMPLES / "sensors_spark.py")], capture_output=True, text=True)
    assert report.returncode == 0, report.stderr
    assert "possible intrusions" in report.stdout
    assert "Stats(" in report.stdout
