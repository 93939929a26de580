"""Read tables: one file, a folder of Parquet parts, or all files that match a pattern."""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from whenabouts.errors import BadArgument, nearest
from whenabouts.io.formats import format_of
from whenabouts.io.timestamps import in_place_of, with_timestamps


def read(path: str | PathLike[str]) -> pa.Table:
    """Read a table.

    Parameters
    ----------
    path : path
        A file that ends in .parquet, .csv, .jsonl, .ndjson or .json (a JSON object a line); a folder of such files,
        as Spark writes them; or a pattern such as `events/*.parquet`. Text in CSV and JSON that reads as ISO 8601
        timestamps, in every row, becomes timestamps. A column of CSV with whole numbers that begin with a zero, or
        that 64 bits cannot hold, stays text: such are names, like 007.
    """
    target = Path(path)
    files = _files(target)
    kinds = {format_of(file) for file in files}
    if len(kinds) > 1:
        raise BadArgument(
            f"{str(path)!r} holds files of several formats ({', '.join(sorted(kinds))}); read them apart."
        )
    kind = kinds.pop()
    if target.is_dir() and kind == "parquet":
        return _read_file(target, kind)
    tables = [_read_file(file, kind) for file in files]
    if kind == "csv":
        tables = _alike(tables, files)
    return tables[0] if len(tables) == 1 else _concatenate(tables, files)


def _files(target: Path) -> list[Path]:
    """The files that a path stands for, at least one."""
    if target.is_file():
        return [target]
    if target.is_dir():
        return _parts(target)
    if not glob.has_magic(str(target)):
        raise BadArgument(_missing(target))
    files = [Path(name) for name in sorted(glob.glob(str(target), recursive=True)) if Path(name).is_file()]
    if not files:
        raise BadArgument(f"No file matches {str(target)!r}. Patterns are read from the folder you are in.")
    return files


def _parts(folder: Path) -> list[Path]:
    """The data files below a folder; names that begin with a dot or an underscore are Spark's own."""
    parts = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not any(name.startswith((".", "_")) for name in file.relative_to(folder).parts)
    ]
    if not parts:
        raise BadArgument(f"The folder {str(folder)!r} holds no data files.")
    return parts


def _missing(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"There is no file {str(path)!r}: there is no folder {str(folder)!r}."
    return f"There is no file {str(path)!r}.{nearest(path.name, (file.name for file in folder.iterdir()))}"


def _read_file(path: Path, kind: str) -> pa.Table:
    try:
        return _READERS[kind](path)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        hint = " A file of JSON lines holds one object a line." if kind == "json" else ""
        raise BadArgument(f"{str(path)!r} cannot be read as {kind}: {reason}.{hint}") from error


def _read_csv(path: Path, as_text: Sequence[str] = ()) -> pa.Table:
    """A table of comma-separated text, whose digits are kept: 007 is no number, and neither is one of 30 digits."""
    table = pa_csv.read_csv(path, convert_options=_csv_options(as_text))
    numbers = [name for name in _numbers(table) if table.column_names.count(name) == 1]
    if numbers:
        written = pa_csv.read_csv(path, convert_options=_csv_options(numbers, numbers))
        spoilt = [name for name in numbers if _loses_digits(written[name], table.schema.field(name).type)]
        if spoilt:
            table = pa_csv.read_csv(path, convert_options=_csv_options([*as_text, *spoilt]))
    return with_timestamps(table)


def _alike(tables: Sequence[pa.Table], files: Sequence[Path]) -> list[pa.Table]:
    """The same files, columns that are text in one being text in all: 8 is a name where another file has 007."""
    texts = {field.name for table in tables for field in table.schema if pa.types.is_string(field.type)}
    spoilt = [[name for name in _numbers(table) if name in texts] for table in tables]
    return [
        _read_csv(file, names) if names else table for table, file, names in zip(tables, files, spoilt, strict=True)
    ]


def _numbers(table: pa.Table) -> list[str]:
    """The columns that were taken for numbers."""
    return [field.name for field in table.schema if pa.types.is_integer(field.type) or pa.types.is_float64(field.type)]


def _csv_options(as_text: Sequence[str] = (), only: Sequence[str] = ()) -> pa_csv.ConvertOptions:
    """Empty is null, where it is not quoted."""
    return pa_csv.ConvertOptions(
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        column_types=dict.fromkeys(as_text, pa.string()),
        include_columns=only,
    )


def _loses_digits(texts: pa.ChunkedArray, kind: pa.DataType) -> bool:
    """Whether whole numbers of this type would not be written as they were: leading zeros, or more than 64 bits."""
    if pa.types.is_integer(kind):
        return pc.any(pc.match_substring_regex(texts, r"^\s*[+-]?0\d")).as_py() is True
    return pc.all(pc.match_substring_regex(texts, r"^\s*[+-]?\d+\s*$")).as_py() is True


def _read_json(path: Path) -> pa.Table:
    """A table of JSON lines, in which Arrow takes no text for a timestamp: it would drop the zone."""
    inferred = pa_json.read_json(path).schema
    as_text = pa.schema(
        [
            field.with_type(in_place_of(field.type, pa.types.is_timestamp, pa.string()) or field.type)
            for field in inferred
        ]
    )
    if as_text == inferred:
        return with_timestamps(pa_json.read_json(path))
    return with_timestamps(pa_json.read_json(path, parse_options=pa_json.ParseOptions(explicit_schema=as_text)))


_READERS: dict[str, Callable[[Path], pa.Table]] = {"parquet": pq.read_table, "csv": _read_csv, "json": _read_json}


def _concatenate(tables: Sequence[pa.Table], files: Sequence[Path]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise BadArgument(
            f"{files[0].name!r} and the {len(files) - 1} files after it do not fit together: {error}"
        ) from error
