"""Write tables."""

from __future__ import annotations

import json
import math
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from whenabouts.errors import BadArgument
from whenabouts.io.formats import format_of
from whenabouts.io.timestamps import without_timestamps

_ROWS_AT_ONCE = 1 << 16


def write(table: pa.Table, path: str | PathLike[str]) -> Path:
    """Write a table to a .parquet, .csv, .jsonl, .ndjson or .json file; its folder is made where it is missing."""
    target = Path(path)
    kind = format_of(target)
    if target.is_dir():
        raise BadArgument(f"{str(target)!r} is a folder. Remove it, or choose another name for the file.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _WRITERS[kind](table, target)
    except OSError as error:
        raise BadArgument(f"{str(target)!r} cannot be written: {error.strerror or error}.") from error
    return target


def _write_csv(table: pa.Table, target: Path) -> None:
    nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
    if nested:
        raise BadArgument(
            f"CSV cannot hold the arrays of {nested[0]!r}. Write {target.with_suffix('.parquet').name!r} instead."
        )
    pa_csv.write_csv(without_timestamps(table), target)


def _write_json(table: pa.Table, target: Path) -> None:
    with target.open("w", encoding="utf-8") as file:
        for batch in without_timestamps(table).to_batches(max_chunksize=_ROWS_AT_ONCE):
            file.writelines(
                f"{json.dumps(_finite(row), default=str, ensure_ascii=False)}\n" for row in batch.to_pylist()
            )


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    return value


_WRITERS = {"parquet": pq.write_table, "csv": _write_csv, "json": _write_json}
