"""Work on whole keys: all rows of a key in one task, many keys in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from whenabouts.spark.columns import named


def by_whole_keys(data: DataFrame, make: Callable[[pa.Table], pa.Table], schema: pa.Schema, key: str) -> DataFrame:
    """The tables that `make` makes of the rows of whole keys, as one DataFrame."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gathered = [batch for batch in batches if len(batch)]
        if gathered:
            yield from make(pa.Table.from_batches(gathered)).to_batches()

    return data.repartition(named(key)).mapInArrow(task, from_arrow_schema(schema))
