"""`whenabouts join --stream`: folders in which files appear, joined as they do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whenabouts.cli.words import number_or_text
from whenabouts.errors import BadArgument

if TYPE_CHECKING:
    from whenabouts.model.predicate import Timing


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
    sources: tuple[str, str],
    sides: tuple[dict[str, Any], dict[str, Any]],
    predicate: Timing,
    question: dict[str, Any],
    waiting: Waiting,
    out: Path | None,
) -> None:
    """Join two growing folders, and show how it goes until it is stopped or, if asked, all files are used up."""
    if out is None or waiting.checkpoint is None:
        raise BadArgument("--stream needs --out and --checkpoint, two folders: for the pairs, and to go on from.")
    import whenabouts as wa
    from whenabouts.cli import show
    from whenabouts.spark.session import local_session
    from whenabouts.spark.streaming.watch import watch

    console = show.out()
    spark = local_session()
    left, right = (
        wa.events(_growing(spark, path), **side, **waiting.declared())
        for path, side in zip(sources, sides, strict=True)
    )
    frame = wa.timing_join(left, right, predicate, side_output=waiting.side_output, **question)
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(waiting.checkpoint))
    if waiting.side_output:
        writer = writer.partitionBy("disposition")
    trigger = {"availableNow": True} if waiting.until_done else {"processingTime": waiting.every}
    query = writer.trigger(**trigger).start(str(out))
    try:
        watch(query, console=console)
    finally:
        query.stop()
    console.print(f"pairs in {out}; go on any time with the same --checkpoint", markup=False, soft_wrap=True)


def _growing(spark: Any, path: str) -> Any:
    """A folder as a stream of its files. What is there at the start tells the columns and their types."""
    from whenabouts.io import format_of

    folder = Path(path)
    files = sorted(one for one in folder.iterdir() if not one.name.startswith(("_", "."))) if folder.is_dir() else []
    if not files:
        raise BadArgument(f"{path!r} must be a folder with at least one file, which tells the columns of the stream.")
    kind = format_of(files[0])
    options = {"header": True, "inferSchema": True} if kind == "csv" else {}
    schema = spark.read.format(kind).options(**options).load(str(files[0])).schema
    return spark.readStream.schema(schema).format(kind).options(**options).load(path)
