"""The door as an operator of its own: the rows that do not pass, and why."""

from __future__ import annotations

import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.schema import Contract, Problems, check_ids, read_times


def problems_of(table: pa.Table, contract: Contract, clock: Clock) -> Problems:
    """What is wrong with each row of a table, if anything."""
    problems = read_times(table, contract.time, clock).problems
    check_ids(table, contract, problems)
    return problems


def rejected_rows(table: pa.Table, contract: Contract, clock: Clock) -> pa.Table:
    """The rows of a table that break its contract, as they are, with a `reason` column."""
    problems = problems_of(table, contract, clock)
    return table.append_column("reason", problems.texts()).filter(pa.array(~problems.good))
