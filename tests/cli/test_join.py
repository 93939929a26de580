"""`whenabouts join` answers as the library does, in every format, and explains mistakes."""

import re

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.cli.conftest import BADGES, DOORS, moments
from whenabouts import io

TIMES = ["--left-time", "between(lo, hi)", "--right-time", "around(t, 1s)", "--right-id", "badge"]
QUESTION = [*TIMES, "--within", "2s", "--min-confidence", "0.3"]


def expected(**options):
    left = wa.events(DOORS, id="id", time=wa.between("lo", "hi"))
    right = wa.events(BADGES, id="badge", time=wa.around("t", "1s"))
    options = {"min_confidence": 0.3, **options}
    return wa.timing_join(left, right, options.pop("predicate", wa.within("2s")), **options)


def rows(table):
    return sorted(map(tuple, (row.values() for row in table.to_pylist())))


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_join__gives_the_pairs_of_the_library_in_every_format(run, files, tmp_path, suffix):
    out = tmp_path / f"pairs{suffix}"
    result = run("join", *files(suffix), *QUESTION, "--out", out)
    assert result.exit_code == 0, result.output
    assert rows(io.read(out)) == rows(expected())


@pytest.mark.parametrize(
    ("option", "predicate"),
    [
        (("--deadline", "3s"), wa.deadline("3s")),
        (("--delay", "1s"), wa.delay("1s")),
        (("--within", "500ms"), wa.within("500ms")),
    ],
)
def test_join__knows_every_predicate(run, files, tmp_path, option, predicate):
    out = tmp_path / "pairs.parquet"
    run("join", *files(), *TIMES, *option, "--min-confidence", "0.2", "--out", out)
    assert rows(io.read(out)) == rows(expected(predicate=predicate, min_confidence=0.2))


def test_join__takes_keys_carried_columns_and_no_confidence(run, files, tmp_path):
    out = tmp_path / "pairs.parquet"
    more = ["--by", "room=room", "--carry-left", "who,room", "--carry-right", "t", "--no-confidence"]
    result = run("join", *files(), *QUESTION, *more, "--out", out)
    assert result.exit_code == 0, result.output
    answer = expected(by="room", left_columns=["who", "room"], right_columns=["t"], confidence=False)
    assert io.read(out).column_names == answer.column_names
    assert rows(io.read(out)) == rows(answer)


def test_strategy__changes_nothing_in_the_pairs(run, files, tmp_path):
    run("join", *files(), *QUESTION, "--strategy", "lookup", "--out", tmp_path / "pairs.parquet")
    assert {row[:2] for row in rows(io.read(tmp_path / "pairs.parquet"))} == {row[:2] for row in rows(expected())}


def test_numbers__are_joined_with_plain_durations(run, tmp_path):
    path = io.write(pa.table({"id": [1, 2], "t": [0.0, 5.0]}), tmp_path / "x.csv")
    out = tmp_path / "pairs.csv"
    run("join", path, path, "--time", "around(t, 1.5)", "--within", "3", "--min-confidence", "0.9", "--out", out)
    assert [row[:2] for row in rows(io.read(out))] == [(1, 1), (2, 2)]


def test_summary__counts_what_went_on(run, files):
    result = run("join", *files(), *QUESTION)
    words = re.sub(r"\s+", " ", result.stdout)
    assert "rows 3 x 3 9 possible pairs" in words
    for name in ("surely no", "candidates", "surely yes", "probed", "rejected 0", "seconds", "pairs/s"):
        assert name in words
    assert f"emitted {len(expected())} " in words


def test_bad_rows__stop_the_join_unless_they_are_set_aside(run, files, tmp_path):
    broken = DOORS.set_column(2, "hi", moments(5, 3, 75))
    paths, out, rejected = files(doors=broken), tmp_path / "pairs.parquet", tmp_path / "rejected.csv"
    stopped = run("join", *paths, *QUESTION, "--out", out)
    assert stopped.exit_code == 2
    assert "'lo' is after 'hi'" in stopped.stderr
    assert "--bad-rows quarantine" in stopped.stderr
    assert not out.exists()
    result = run("join", *paths, *QUESTION, "--out", out, "--bad-rows", "quarantine", "--rejected", rejected)
    assert result.exit_code == 0, result.output
    assert [(row["side"], row["id"], row["reason"]) for row in io.read(rejected).to_pylist()] == [
        ("left", 2, "'lo' is after 'hi'")
    ]
    assert 2 not in io.read(out)["left_id"].to_pylist()


def test_rejected_rows__of_both_sides_fit_into_one_file(run, files, tmp_path):
    broken = DOORS.set_column(2, "hi", moments(5, 3, 75))
    badges = BADGES.rename_columns(["id", "t", "room"]).set_column(
        1, "t", pa.array([None, *moments(1, 2).to_pylist()], moments().type)
    )
    rejected = tmp_path / "rejected.parquet"
    more = ["--left-time", "between(lo, hi)", "--right-time", "at(t)", "--within", "2s", "--min-confidence", "0.3"]
    result = run("join", *files(doors=broken, badges=badges), *more, "--bad-rows", "quarantine", "--rejected", rejected)
    assert result.exit_code == 0, result.output
    assert [(row["side"], row["id"]) for row in io.read(rejected).to_pylist()] == [("left", "2"), ("right", "p")]


def test_explain__shows_the_plan_and_joins_nothing(run, files, tmp_path):
    out = tmp_path / "pairs.parquet"
    result = run("join", *files(), *QUESTION, "--explain", "--out", out)
    assert result.exit_code == 0, result.output
    assert "|X - Y| <= 2s" in result.stdout
    assert not out.exists()


MISTAKES = [
    ([*TIMES, "--min-confidence", "0.3"], "choose one of --within"),
    ([*TIMES, "--within", "2s", "--delay", "2s", "--min-confidence", "0.3"], "2 of them were given"),
    (["--within", "2s", "--min-confidence", "0.3"], "When did the left events happen"),
    ([*QUESTION[:-1], "1.5"], "min_confidence must be in"),
    ([*QUESTION, "--out", "pairs.xlsx"], "must be one of .parquet"),
    ([*QUESTION, "--rejected", "rejected.csv"], "--rejected needs --bad-rows quarantine"),
    ([*QUESTION, "--left-id", "idd"], "Did you mean 'id'?"),
    ([*QUESTION, "--strategy", "lokup"], "Did you mean 'lookup'?"),
    ([*QUESTION, "--left-time", "betwen(lo, hi)"], "Did you mean 'between'?"),
    ([*QUESTION, "--left-time", "between(lo, hii)"], "'hii' is not in events"),
    ([*TIMES, "--within", "2 parsecs", "--min-confidence", "0.3"], "cannot be read"),
    ([*TIMES, "--within", "2", "--min-confidence", "0.3"], "'2s'"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES)
def test_mistakes__are_told_in_words_without_a_traceback(run, files, arguments, words):
    result = run("join", *files(), *arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_files_that_cannot_be_written__are_told_in_words(run, tmp_path):
    source, rejected = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,t\n1,0\n")
    (tmp_path / "file").write_text("")
    question = ("join", source, source, "--time", "at(t)", "--within", 1, "--min-confidence", 0.5)
    for options, words in (
        (["--out", source], "is read here, and would be overwritten"),
        (["--out", rejected, "--rejected", rejected, "--bad-rows", "quarantine"], "are both"),
        (["--out", tmp_path / "file" / "x.csv"], "cannot be written"),
    ):
        result = run(*question, *options)
        assert result.exit_code == 2, result.output
        assert words in " ".join(result.stderr.split())
    assert source.read_text() == "id,t\n1,0\n"


def test_columns_of_one_name__are_told_in_words(run, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("id,id,t\n1,2,3\n")
    result = run("join", source, source, "--time", "at(t)", "--within", 1, "--min-confidence", 0.5)
    assert result.exit_code == 2
    assert "several columns called 'id'" in result.stderr


def test_missing_file__is_told_with_the_nearest(run, files):
    doors, badges = files()
    result = run("join", doors.with_name("door.parquet"), badges, *QUESTION)
    assert result.exit_code == 2
    assert "Did you mean 'doors.parquet'?" in result.stderr


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_spark__gives_the_same_pairs(run, files, tmp_path, suffix):
    out = tmp_path / f"pairs{suffix}"
    result = run("join", *files(suffix), *QUESTION, "--engine", "spark", "--out", out)
    assert result.exit_code == 0, result.output
    assert [row[:2] for row in rows(io.read(out))] == [row[:2] for row in rows(expected())]
    assert f"{len(expected())} pairs in" in result.stdout
