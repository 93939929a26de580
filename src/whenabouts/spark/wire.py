"""How rows of several inputs travel in one frame, so that one shuffle brings them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType

from whenabouts.spark.columns import named


@dataclass(frozen=True)
class Wire:
    """Where the columns of each side stand; columns of one type share a place."""

    names: list[str]
    places: tuple[dict[str, str], ...]

    def table(self, rows: pa.Table, side: int) -> pa.Table:
        """A side's rows under their own names again."""
        places = self.places[side]
        return rows.select(list(places.values())).rename_columns(list(places))


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
