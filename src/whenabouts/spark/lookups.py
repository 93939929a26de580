"""Look-ups in tables that do not change, as Columns; among them that of a moment's slice in a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.spark.grid import Floats, Grid, Ints, Level


def constants(values: Sequence[float] | Ints | Floats) -> Column:
    """A constant array. It is one text that Spark reads once, where a literal for each element is slow."""
    numbers = np.asarray(values)
    kind = "int" if np.issubdtype(numbers.dtype, np.integer) else "double"
    return F.split(F.lit(",".join(map(repr, numbers.tolist()))), ",").cast(f"array<{kind}>")


def table(values: Sequence[float] | Ints | Floats) -> Callable[[Column], Column]:
    """A constant array, as a function of the position in it."""
    numbers = np.asarray(values)
    array = F.lit(numbers[0].item()) if len(numbers) == 1 else constants(numbers)
    return lambda position: array if len(numbers) == 1 else F.get(array, position.cast("int"))


def with_slices(grid: Grid, rows: DataFrame, bucket: Column, times: Mapping[str, Column]) -> DataFrame:
    """Add the slices of some moments under their names: those of their cells, looked up level by level.

    Every level is a column that the next one names: written as one expression, it would repeat itself at every
    level. A tree of comparisons would need no table, but past a dozen slices it is more code than the JVM compiles.
    """
    root, *finer = grid.levels
    entries = table(root.entries)
    rows = rows.withColumns({name: entries(_position(root, bucket, time)) for name, time in times.items()})
    for level in finer:
        entries = table(level.entries)
        deeper = {}
        for name, time in times.items():
            entry = F.col(name)
            deeper[name] = F.when(entry < 0, entries(_position(level, -1 - entry, time))).otherwise(entry)
        rows = rows.withColumns(deeper)
    return rows


def _position(level: Level, node: Column, time: Column) -> Column:
    """The place of a moment among the entries of a level; a NaN has the last, and is refused elsewhere."""
    if len(set(level.start)) == 1 and len(set(level.scale)) == 1:
        start, scale = F.lit(float(level.start[0])), F.lit(float(level.scale[0]))
    else:
        start, scale = table(level.start)(node), table(level.scale)(node)
    cell = F.greatest(F.lit(0.0), F.least(F.lit(level.cells - 1.0), (time - start) * scale)).cast("int")
    return cell if len(level.start) == 1 else node.cast("int") * level.cells + cell
