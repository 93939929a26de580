"""Run a join where it was asked to run, in this process or in local Spark, showing how far it has come."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whenabouts.errors import BadArgument

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from whenabouts.api import Events, Segments
    from whenabouts.api.objects import Objects

    Side = Events | Objects | Segments


class Engine(StrEnum):
    """Where a join runs."""

    process = "process"
    spark = "spark"


@dataclass
class Runner:
    """Reads files, computes frames and writes them, in one engine."""

    engine: Engine
    console: Console
    seconds: float = 0.0
    spark: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.engine is Engine.spark:
            from whenabouts.spark.session import local_session

            with self.step("Starting Spark"):
                self.spark = local_session()

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Say what is going on, and for how long, while it goes on."""
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        with Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal) as progress:
            progress.add_task(title, total=None)
            yield

    @contextmanager
    def working(self, title: str) -> Iterator[None]:
        """A step that computes: timed, and on Spark with its tasks."""
        start = time.perf_counter()
        if self.engine is Engine.spark:
            from whenabouts.spark.progress import watched
            from whenabouts.spark.raised import spark_errors

            with spark_errors(), watched(self.spark, self.console, title):
                yield
        else:
            with self.step(title):
                yield
        self.seconds += time.perf_counter() - start

    def read(self, path: str) -> Any:
        """A file as a frame of the engine; Spark reads Parquet itself, and lazily."""
        from whenabouts import io

        if self.engine is Engine.process:
            return io.read(path)
        if Path(path).suffix == ".parquet" and Path(path).exists():
            return self.spark.read.parquet(path)
        return self.spark.createDataFrame(io.read(path))

    def write(self, frame: Any, path: Path) -> None:
        """A frame to a file; Spark writes Parquet itself, as a folder of parts."""
        from whenabouts import io

        if self.engine is Engine.spark and path.suffix == ".parquet":
            frame.write.mode("overwrite").parquet(str(path))
        else:
            io.write(self.collect(frame), path)

    def clear(self, path: Path) -> None:
        """Remove what an earlier run left: Spark's folder of parts is in the way of a file, and the other way round."""
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def save(self, table: pa.Table, path: Path) -> None:
        """An Arrow table to a file."""
        from whenabouts import io

        io.write(table, path)

    def read_back(self, frame: Any, path: Path | None) -> pa.Table:
        """A frame as an Arrow table: what was just written, so that Spark does not compute it again."""
        from whenabouts import io

        return self.collect(frame) if path is None or self.engine is Engine.process else io.read(path)

    def collect(self, frame: Any) -> pa.Table:
        """A frame as an Arrow table in this process."""
        return frame.toArrow() if self.engine is Engine.spark else frame

    def compute(self, frame: Any, out: Path | None) -> pa.Table:
        """A frame as an Arrow table, having written it to a file if one is given."""
        if out is not None:
            self.write(frame, out)
        return self.read_back(frame, out)

    def save_rejected(self, sides: Sequence[Side], path: Path | None, console: Console) -> None:
        """The rows that were set aside to a file if one is given, and word of it."""
        if path is not None:
            rows = self.rejected(sides)
            self.save(rows, path)
            console.print(f"{len(rows):,} rejected rows in {path}", markup=False, soft_wrap=True)

    def rejected(self, sides: Sequence[Side]) -> pa.Table:
        """The rows that one side or both refuse, with their reason, and of two also which side it was."""
        import pyarrow as pa

        if len(sides) == 1:
            return self.collect(sides[0].rejected)
        tables = []
        for name, side in zip(("left", "right"), sides, strict=True):
            rows = self.collect(side.rejected)
            if "side" in rows.column_names:
                raise BadArgument("Rejected rows come with a column 'side', and the data has one. Rename that first.")
            tables.append(rows.add_column(0, "side", pa.array([name] * len(rows), pa.string())))
        return pa.concat_tables(_with_shared_types(tables), promote_options="permissive")


def _with_shared_types(tables: list[pa.Table]) -> list[pa.Table]:
    """Columns that both sides have, but as different types, as text."""
    import pyarrow as pa

    one, other = (table.schema for table in tables)
    clashing = [name for name in one.names if name in other.names and one.field(name).type != other.field(name).type]
    as_text = []
    for table in tables:
        for name in clashing:
            texts = [None if value is None else str(value) for value in table[name].to_pylist()]
            table = table.set_column(table.column_names.index(name), name, pa.array(texts, pa.string()))
        as_text.append(table)
    return as_text
