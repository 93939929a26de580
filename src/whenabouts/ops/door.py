"""The door as an operator of its own: the rows that do not pass, and why."""

from __future__ import annotations

import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.schema import Contract, check_ids, read_times


def rejected_rows(table: pa.Table, contract: Contract, clock: Clock) -> pa.Table:
    """The rows of a table that break its contract, as they are, with a `reason` column."""
    times = read_times(table, contract.time, clock)
    check_ids(table, contract, times.problems)
    return table.append_column("reason", times.problems.texts()).filter(pa.array(~times.problems.good))
