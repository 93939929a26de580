"""How rows of several inputs travel in one frame, so that one shuffle brings them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType

from whenabouts.spark.columns import named

Carried = tuple[DataType, Column]
"""A column that is carried: its type, and its values."""


@dataclass(frozen=True)
class Wire:
    """Where the columns of each side stand; columns of one type share a place."""

    names: list[str]
    places: tuple[dict[str, str], ...]

    def table(self, rows: pa.Table, side: int) -> pa.Table:
        """A side's rows under their own names again."""
        places = self.places[side]
        return rows.select(list(places.values())).rename_columns(list(places))


def as_they_are(data: DataFrame, names: Iterable[str]) -> dict[str, Carried]:
    """Some columns of an input, to be carried without a change."""
    return {name: (data.schema[name].dataType, named(name)) for name in names}


def share_places(inputs: Sequence[Mapping[str, Carried]]) -> tuple[Wire, list[list[Column]]]:
    """The places of what is carried of any number of inputs, and what to select from each to fill them."""
    kinds: dict[str, DataType] = {}
    places: list[dict[str, str]] = []
    for carried in inputs:
        taken: dict[str, str] = {}
        for name, (kind, _) in carried.items():
            free = (place for place, known in kinds.items() if known == kind and place not in taken.values())
            taken[name] = next(free, f"c{len(kinds)}")
            kinds[taken[name]] = kind
        places.append(taken)
    selections = []
    for carried, taken in zip(inputs, places, strict=True):
        value = {taken[name]: column for name, (_, column) in carried.items()}
        filled = [value[place] if place in value else nothing(kind) for place, kind in kinds.items()]
        selections.append([column.alias(place) for column, place in zip(filled, kinds, strict=True)])
    return Wire(list(kinds), tuple(places)), selections


def sent_to(rows: DataFrame, tasks: int, task: Column) -> DataFrame:
    """The rows, a partition a task; Spark before 4.1 hashes, so that a partition may hold several."""
    return rows.repartitionById(tasks, task) if hasattr(rows, "repartitionById") else rows.repartition(tasks, task)


def nothing(kind: DataType) -> Column:
    """A value that nobody reads. Spark takes time quadratic in their number to hand null arrays to Python."""
    return (F.array() if isinstance(kind, ArrayType) else F.lit(None)).cast(kind)
