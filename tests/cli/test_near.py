"""`whenabouts near` answers as the library does, and explains mistakes."""

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts import io

POINTS = pa.table({"id": range(6), "seq": range(6), "x": [0.0, 5.0, 0.5, 5.5, 9.0, 0.0], "y": [0.0] * 6})
QUESTION = ["--distance", "1", "--min-confidence", "0.3", "--window", "4"]


def clouds(seed):
    return wa.blur(POINTS, points=["x", "y"], radius=0.5, samples=12, seed=seed).drop_columns(["x", "y"])


@pytest.fixture
def paths(tmp_path):
    return [io.write(clouds(seed), tmp_path / f"{seed}.parquet") for seed in (1, 2)]


def expected(*seeds, **options):
    sides = [wa.objects(clouds(seed), id="id", seq="seq", samples="samples") for seed in seeds]
    return wa.similarity_join(*sides, distance=1, min_confidence=0.3, window=4, **options)


def test_near__gives_the_pairs_of_the_library(run, paths, tmp_path):
    out = tmp_path / "pairs.parquet"
    result = run("near", *paths, *QUESTION, "--out", out)
    assert result.exit_code == 0, result.output
    assert io.read(out).to_pylist() == expected(1, 2).to_pylist()
    assert "pruned by objects" in result.stdout
    assert f"{len(expected(1, 2))} pairs in" in result.stdout.replace("\n", "")


def test_near__of_one_file_joins_it_with_itself_and_tells_changes(run, paths, tmp_path):
    out = tmp_path / "changes.jsonl"
    result = run("near", paths[0], *QUESTION, "--changes", "--out", out)
    assert result.exit_code == 0, result.output
    assert io.read(out).to_pylist() == expected(1, changes=True).to_pylist()


def test_near__reads_one_row_a_sample_and_sets_bad_rows_aside(run, tmp_path):
    rows = pa.table({"id": [0, 0, 1, 2], "n": [0, 0, 1, 2], "x": [0.0, 1.0, 0.5, None], "y": [0.0, 0.0, 0.0, 0.0]})
    path, rejected = io.write(rows, tmp_path / "rows.csv"), tmp_path / "rejected.csv"
    columns = ["--samples", "x,y", "--seq", "n", "--bad-rows", "quarantine", "--rejected", rejected]
    result = run("near", path, *QUESTION, *columns)
    assert result.exit_code == 0, result.output
    assert io.read(rejected)["id"].to_pylist() == [2]


def test_near__reads_clouds_that_are_packed(run, tmp_path):
    clouds = wa.blur(POINTS, points=["x", "y"], radius=0.5, samples=12, seed=1, layout="packed")
    path, out = io.write(clouds.drop_columns(["x", "y"]), tmp_path / "packed.parquet"), tmp_path / "pairs.parquet"
    assert "such as dimensions=2" in run("near", path, *QUESTION).stderr.replace("\n", " ")
    result = run("near", path, *QUESTION, "--dimensions", "2", "--out", out)
    assert result.exit_code == 0, result.output
    assert io.read(out).to_pylist() == expected(1).to_pylist()


def test_near__explains_mistakes(run, paths):
    result = run("near", *paths, "--distance", "-1", "--min-confidence", "0.3", "--window", "4")
    assert result.exit_code == 2
    assert "zero or more" in result.stderr
    assert "--distance" in run("near", *paths, "--min-confidence", "0.3").stderr


def test_near__takes_points_on_a_line_one_row_a_sample(run, tmp_path):
    rows = io.write(pa.table({"id": [1, 1, 2], "seq": [1, 1, 2], "x": [0.0, 9.0, 0.5]}), tmp_path / "rows.csv")
    out = tmp_path / "pairs.csv"
    result = run("near", rows, *QUESTION, "--samples", "x,", "--out", out)
    assert result.exit_code == 0, result.output
    assert io.read(out).column("confidence").to_pylist() == [0.5]
