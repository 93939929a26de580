"""The objects that do not pass the door, and why."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from whenabouts.schema.objects import ObjectContract, gather_rows, read_objects


def rejected_objects(table: pa.Table, contract: ObjectContract) -> pa.Table:
    """The rows of a table that break its contract, as they are, with a `reason` column.

    Where every sample has a row of its own, all rows of a bad object are bad.
    """
    gathered = gather_rows(table, contract)
    problems = read_objects(gathered, contract)[2]
    bad = pa.array(~problems.good)
    if not contract.grouped:
        return table.append_column("reason", problems.texts()).filter(bad)
    refused = gathered.select([contract.id]).append_column("reason", problems.texts()).filter(bad)
    reasons = dict(zip(refused[contract.id].to_pylist(), refused["reason"].to_pylist(), strict=True))
    texts = pa.array([reasons.get(value) for value in table[contract.id].to_pylist()], pa.string())
    return table.append_column("reason", texts).filter(pa.array(np.array(texts.is_valid())))
