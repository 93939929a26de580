"""`--stream`: folders in which files appear, joined or searched as they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whenabouts.cli.words import number_or_text
from whenabouts.errors import BadArgument

_NUMBERS = ("integer", "long", "decimal", "double")
"""What Spark takes digits for."""


@dataclass(frozen=True)
class Waiting:
    """What the command line says of streams."""

    max_delay: str | None
    max_width: str | None
    idle_after: str | None
    checkpoint: Path | None
    every: str
    until_done: bool
    side_output: bool

    def declared(self) -> dict[str, Any]:
        """The options of `wa.events` that were given."""
        given = {"max_delay": self.max_delay, "max_width": self.max_width, "idle_after": self.idle_after}
        return {name: number_or_text(text) for name, text in given.items() if text is not None}


def run_stream(
    sources: Sequence[tuple[str, dict[str, Any]]],
    ask: Callable[..., Any],
    waiting: Waiting,
    out: Path | None,
    rejected: Path | None,
    found: str,
) -> None:
    """Ask a question of growing folders, and show how it goes until it is stopped or, if asked, all files are used up.

    A source is a folder and what its columns mean; `found` says in a word what the answers are.
    """
    if rejected is not None:
        raise BadArgument("--rejected is for files. With --stream say --side-output: one sink keeps all, exactly once.")
    if out is None or waiting.checkpoint is None:
        raise BadArgument(f"--stream needs --out and --checkpoint, two folders: for the {found}, and to go on from.")
    import whenabouts as wa
    from whenabouts.cli import show
    from whenabouts.spark.session import local_session
    from whenabouts.spark.streaming.watch import watch

    console = show.out()
    spark = local_session()
    inputs = [wa.events(_growing(spark, path), **columns, **waiting.declared()) for path, columns in sources]
    frame = ask(*inputs, side_output=waiting.side_output)
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(waiting.checkpoint))
    if waiting.side_output:
        writer = writer.partitionBy("disposition")
    trigger = {"availableNow": True} if waiting.until_done else {"processingTime": waiting.every}
    query = writer.trigger(**trigger).start(str(out))
    try:
        watch(query, console=console)
    finally:
        query.stop()
    console.print(f"{found} in {out}; go on any time with the same --checkpoint", markup=False, soft_wrap=True)


def _growing(spark: Any, path: str) -> Any:
    """A folder as a stream of its files. What is there at the start tells the columns and their types."""
    from whenabouts.io import format_of, read
    from whenabouts.spark.columns import named

    folder = Path(path)
    files = sorted(one for one in folder.iterdir() if not one.name.startswith(("_", "."))) if folder.is_dir() else []
    if not files:
        raise BadArgument(f"{path!r} must be a folder with at least one file, which tells the columns of the stream.")
    kind = format_of(files[0])
    options = {"header": True, "inferSchema": True} if kind == "csv" else {}
    first = spark.read.format(kind).options(**options).load(str(files[0]))
    if kind == "csv":  # of which Spark would read 007 as a number
        texts = {field.name for field in read(files[0]).schema if field.type == "string"}
        spoilt = [one.name for one in first.schema if one.name in texts and one.dataType.typeName() in _NUMBERS]
        first = first.withColumns({name: named(name).cast("string") for name in spoilt})
    schema = first.schema
    return spark.readStream.schema(schema).format(kind).options(**options).load(path)
