"""The join of two Arrow tables in one process: whenabouts, DuckDB and Polars, on the same cores.

Every side starts from Arrow tables and ends with one, rows and all. DuckDB and Polars are asked in three ways each:
the inequality join with the closed form, as one writes it who knows nothing of the data; then with all that can be left
out for this data (they are told the narrowest and the widest interval), as an inequality join and as a hash join on
buckets of time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from benchmarks import ours, peers
from benchmarks.agreement import Agreement
from benchmarks.data import QUESTION, WINDOW, Case, Scale, cases, sparse
from benchmarks.machine import available_gb
from benchmarks.measure import OURS, Row, against_ours, interleaved, skipped

GB_NEEDED = {1_000_000: 4, 60_000_000: 10}
"""Memory that the hungriest side wants, with room to spare, for so many pairs."""


def run(scale: Scale) -> list[Row]:
    """Compare the sides on few partners and on many."""
    connection = peers.duckdb_connection()

    def contestants(case: Case, left: pa.Table, right: pa.Table) -> dict[str, Callable[[], pa.Table]]:
        names = ("left_events", "right_events")
        inequality = peers.duckdb_inequality_sql(QUESTION, *names)
        buckets = peers.duckdb_buckets_sql(QUESTION, *names, bucket=case.duckdb_bucket * WINDOW)
        closed_form = peers.closed_form_sql(QUESTION, *names)
        return {
            OURS: partial(ours.timing_join, QUESTION, left, right),
            "DuckDB closed form": partial(peers.duckdb_table, connection, closed_form, left, right),
            "Polars closed form": partial(peers.polars_closed_form, QUESTION, left, right),
            "DuckDB inequality": partial(peers.duckdb_table, connection, inequality, left, right),
            "DuckDB buckets": partial(peers.duckdb_table, connection, buckets, left, right),
            "Polars join_where": partial(peers.polars_join_where, QUESTION, left, right),
            "Polars buckets": partial(peers.polars_buckets, QUESTION, left, right, bucket=case.polars_bucket * WINDOW),
        }

    warm_up = sparse(2_000)
    interleaved(contestants(warm_up, *warm_up.tables()), repetitions=2)

    rows: list[Row] = []
    for case in cases(scale):
        lacking = _lacking_memory(case)
        if lacking:
            rows.append(skipped("inprocess", case.name, "all", lacking))
            continue
        agreement = Agreement()
        timings = interleaved(contestants(case, *case.tables()), repetitions=9, inspect=agreement.see)
        rows += against_ours("inprocess", case.name, timings, agreement.pairs)
    return rows


def _lacking_memory(case: Case) -> str | None:
    pairs, free = case.rows * case.partners, available_gb()
    needed = max((gb for size, gb in GB_NEEDED.items() if size <= pairs), default=0)
    if free is not None and free < needed:
        return f"needs {needed} GB of free memory, and there are {free}"
    return None
