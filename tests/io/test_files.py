"""Tables survive the way through files, and a file that cannot be read says why."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whenabouts import io
from whenabouts.errors import BadArgument

UTC = dt.UTC
INSTANTS = [dt.datetime(2026, 1, 1, 8, 0, 1, 123456, tzinfo=UTC), None, dt.datetime(2026, 1, 1, tzinfo=UTC)]
TABLE = pa.table(
    {
        "id": [1, 2, 3],
        "name": ["a", 'ü, "b"', None],
        "at": pa.array(INSTANTS, pa.timestamp("us", "UTC")),
        "local": pa.array([one and one.replace(tzinfo=None) for one in INSTANTS], pa.timestamp("us")),
        "value": [0.1, -2.5e-9, None],
    }
)
FLAT = ["x.parquet", "x.csv", "x.jsonl", "x.ndjson", "x.json", "X.CSV"]


@pytest.mark.parametrize("name", FLAT)
def test_write_then_read__gives_the_same_table(tmp_path, name):
    path = io.write(TABLE, tmp_path / "new folder" / name)
    assert io.read(path).equals(TABLE)


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_arrays__survive_where_the_format_has_them(tmp_path, name):
    moments = [[dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 1, 0, 0, 0, 5)], [dt.datetime(2026, 1, 2)]]
    table = pa.table({"edges": pa.array(moments, pa.list_(pa.timestamp("us"))), "mass": [[1.0], [0.5, 0.5]]})
    assert io.read(io.write(table, tmp_path / name)).equals(table)


def test_csv__refuses_arrays_and_offers_parquet(tmp_path):
    with pytest.raises(BadArgument, match=r"'mass'.*'x\.parquet'"):
        io.write(pa.table({"mass": [[1.0]]}), tmp_path / "x.csv")


def test_json__writes_what_is_not_finite_as_null(tmp_path):
    path = io.write(
        pa.table({"a": [float("nan"), float("inf"), 1.0], "b": [[float("nan")], [2.0], []]}), tmp_path / "x.jsonl"
    )
    assert io.read(path).to_pylist() == [{"a": None, "b": [None]}, {"a": None, "b": [2.0]}, {"a": 1.0, "b": []}]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2026-01-01T08:00:00", "2026-01-01 08:00:00.25"], pa.timestamp("us")),
        (["2026-01-01T08:00:00Z", "2026-01-01T10:00:00.5+02:00"], pa.timestamp("us", "UTC")),
        (["2026-01-01T08:00:00Z", "2026-01-01T10:00:00+02:00"], pa.timestamp("us", "UTC")),
        (["2026-01-01T08:00:00", "never"], pa.string()),
        (["2026-01-01T08:00:00", "2026-01-01T08:00:00Z"], pa.string()),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl"])
def test_text__becomes_timestamps_only_where_all_of_it_is(tmp_path, name, texts, expected):
    path = io.write(pa.table({"id": [1, 2], "t": texts}), tmp_path / name)
    assert io.read(path).schema.field("t").type == expected


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl"])
def test_zone__is_never_dropped(tmp_path, name):
    path = io.write(pa.table({"id": [1], "t": ["2026-01-01T10:00:00+02:00"]}), tmp_path / name)
    assert io.read(path)["t"].to_pylist() == [dt.datetime(2026, 1, 1, 8, tzinfo=UTC)]


def test_nanoseconds__are_kept_where_they_say_more(tmp_path):
    (tmp_path / "x.csv").write_text("id,t\n1,2026-01-01T08:00:00.123456789\n")
    assert io.read(tmp_path / "x.csv")["t"].cast(pa.int64())[0].as_py() % 1000 == 789


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["7", "42", ""], [7, 42, None]),
        (["0", "-0", "10"], [0, 0, 10]),
        (["007", "42", ""], ["007", "42", None]),
        (["7", "-01"], ["7", "-01"]),
        (["12345678901234567890", "1"], ["12345678901234567890", "1"]),
        (["12345678901234567890", "1.5"], [12345678901234567890.0, 1.5]),
        (["0.5", "00.25"], [0.5, 0.25]),
        (["1e3", "5"], [1000.0, 5.0]),
        (["", ""], [None, None]),
    ],
)
def test_csv__keeps_the_digits_of_whole_numbers(tmp_path, texts, expected):
    (tmp_path / "x.csv").write_text("id,n\n" + "".join(f"{text},1\n" for text in texts))
    table = io.read(tmp_path / "x.csv")
    assert table["id"].to_pylist() == expected
    assert table.column_names == ["id", "n"]
    assert table["n"].to_pylist() == [1] * len(texts)


def test_csv__has_text_in_all_parts_where_one_part_has(tmp_path):
    for part, text in enumerate(["8", "007", "1.5"]):
        (tmp_path / f"{part}.csv").write_text(f"id,n\n{text},{part}\n")
    assert io.read(tmp_path).to_pydict() == {"id": ["8", "007", "1.5"], "n": [0, 1, 2]}


def test_folder__is_read_as_its_parts(tmp_path):
    for part in range(3):
        io.write(TABLE.slice(part, 1), tmp_path / "pairs.parquet" / f"part-{part}.snappy.parquet")
    (tmp_path / "pairs.parquet" / "_SUCCESS").touch()
    (tmp_path / "pairs.parquet" / ".part-0.crc").touch()
    assert io.read(tmp_path / "pairs.parquet").equals(TABLE)


def test_folder__may_be_partitioned_by_a_column(tmp_path):
    pq.write_to_dataset(TABLE, tmp_path / "days", partition_cols=["id"])
    assert sorted(io.read(tmp_path / "days")["id"].to_pylist()) == [1, 2, 3]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_pattern__reads_all_that_match(tmp_path, suffix):
    rows = TABLE.select(["id", "at"])
    for part in range(3):
        io.write(rows.slice(part, 1), tmp_path / f"day-{part}{suffix}")
    assert io.read(tmp_path / f"day-*{suffix}")["id"].to_pylist() == [1, 2, 3]


def test_missing_file__offers_the_nearest(tmp_path):
    io.write(TABLE, tmp_path / "doors.parquet")
    with pytest.raises(BadArgument, match=r"no file .*Did you mean 'doors\.parquet'"):
        io.read(tmp_path / "door.parquet")
    with pytest.raises(BadArgument, match="no folder"):
        io.read(tmp_path / "nowhere" / "door.parquet")


@pytest.mark.parametrize("name", ["x.xlsx", "x"])
def test_unknown_suffix__names_those_that_are_known(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(BadArgument, match=r"\.parquet, \.csv, \.jsonl"):
        io.read(tmp_path / name)
    with pytest.raises(BadArgument, match=r"\.parquet, \.csv, \.jsonl"):
        io.write(TABLE, tmp_path / name)


def test_nothing_matched__is_an_error(tmp_path):
    with pytest.raises(BadArgument, match="No file matches"):
        io.read(tmp_path / "*.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadArgument, match="no data files"):
        io.read(tmp_path / "empty")


def test_files_that_do_not_fit_together__are_an_error(tmp_path):
    io.write(pa.table({"id": [1]}), tmp_path / "a.parquet")
    io.write(pa.table({"id": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(BadArgument, match="do not fit together"):
        io.read(tmp_path / "*.parquet")
    io.write(pa.table({"id": ["x"]}), tmp_path / "c.csv")
    with pytest.raises(BadArgument, match="several formats"):
        io.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.parquet", "hello", "as parquet"),
        ("x.csv", "a,b\n1\n", "Expected 2 columns"),
        ("x.csv", "", "Empty"),
        ("x.json", "[1, 2]", "one object a line"),
    ],
)
def test_broken_file__says_what_is_wrong_with_it(tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(BadArgument, match=words):
        io.read(tmp_path / name)


def test_write__never_replaces_a_folder(tmp_path):
    (tmp_path / "pairs.parquet").mkdir()
    with pytest.raises(BadArgument, match="is a folder"):
        io.write(TABLE, tmp_path / "pairs.parquet")
