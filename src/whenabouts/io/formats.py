"""The formats of files, told by the suffix of their path."""

from __future__ import annotations

from pathlib import Path

from whenabouts.errors import BadArgument, nearest

SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json"}


def format_of(path: Path) -> str:
    """The format of a path; raises for a suffix that is not known."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        problem = f"ends in {suffix!r}" if suffix else "has no suffix"
        raise BadArgument(
            f"{str(path)!r} {problem}; it must be one of {', '.join(SUFFIXES)}.{nearest(suffix, SUFFIXES)}"
        )
    return SUFFIXES[suffix]
