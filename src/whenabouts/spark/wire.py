"""How rows of both sides travel in one frame, so that one shuffle brings them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType

from whenabouts.ops.timing.question import TimingJoin
from whenabouts.spark.columns import named

CODE = "__code"
"""The column that packs a row's task, whether it is at the door, owned and counted there, and its side."""


def pack(task: Column, at_door: Column, owned: Column, counted: Column | None, side: int) -> Column:
    """The code of a row's copy in a task. A row is owned where it begins, and counted in one task that owns it."""
    flags = F.when(at_door, 8 + side)
    if counted is not None:
        flags = flags.when(owned & ~counted, 2 + side)
    flags = flags.when(owned, 6 + side)
    return task.cast("long") * 16 + flags.otherwise(side)


def packed_task() -> Column:
    """The task of a row's code."""
    return F.shiftright(CODE, 4).cast("int")


@dataclass(frozen=True)
class Code:
    """A column of codes, unpacked."""

    task: NDArray[np.int64]
    at_door: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    owned: NDArray[np.bool_]
    side: NDArray[np.int64]

    @staticmethod
    def of(rows: pa.Table | pa.RecordBatch) -> Code:
        code = rows.column(CODE).to_numpy()
        return Code(code >> 4, code & 8 > 0, code & 4 > 0, code & 2 > 0, code & 1)


@dataclass(frozen=True)
class Wire:
    """Where the columns of each side stand; columns of one type share a place."""

    names: list[str]
    places: tuple[dict[str, str], ...]

    def table(self, rows: pa.Table, side: int) -> pa.Table:
        """A side's rows under their own names again."""
        places = self.places[side]
        return rows.select(list(places.values())).rename_columns(list(places))


def lay_wire(join: TimingJoin, left: DataFrame, right: DataFrame) -> tuple[Wire, list[list[Column]]]:
    """The places of all columns, and what to select from each side to fill them, with nothing where it has none."""
    keys = [one for one, _ in join.by], [other for _, other in join.by]
    columns = [(*side.columns, *key) for side, key in zip((join.left, join.right), keys, strict=True)]
    return share_places((left, right), columns)


def share_places(
    frames: Sequence[DataFrame], columns: Sequence[Sequence[str]]
) -> tuple[Wire, list[list[Column]]]:  # fmt: skip
    """The places of some columns of any number of inputs, and what to select from each to fill them."""
    kinds: dict[str, DataType] = {}
    places: list[dict[str, str]] = []
    for data, names in zip(frames, columns, strict=True):
        taken: dict[str, str] = {}
        for name in dict.fromkeys(names):
            kind = data.schema[name].dataType
            free = (place for place, known in kinds.items() if known == kind and place not in taken.values())
            taken[name] = next(free, f"c{len(kinds)}")
            kinds[taken[name]] = kind
        places.append(taken)
    selections = []
    for taken in places:
        name_at = {place: name for name, place in taken.items()}
        filled = [named(name_at[place]) if place in name_at else nothing(kind) for place, kind in kinds.items()]
        selections.append([column.alias(place) for column, place in zip(filled, kinds, strict=True)])
    return Wire(list(kinds), tuple(places)), selections


def sent_to(rows: DataFrame, tasks: int, task: Column) -> DataFrame:
    """The rows, a partition a task; Spark before 4.1 hashes, so that a partition may hold several."""
    return rows.repartitionById(tasks, task) if hasattr(rows, "repartitionById") else rows.repartition(tasks, task)


def nothing(kind: DataType) -> Column:
    """A value that nobody reads. Spark takes time quadratic in their number to hand null arrays to Python."""
    return (F.array() if isinstance(kind, ArrayType) else F.lit(None)).cast(kind)
