"""The tables that the benchmarks join, and what is asked about them."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from benchmarks.peers import Question
from whenabouts.testing import intervals, write_intervals

Scale = Literal["small", "full"]

WINDOW = 1000.0
WIDTHS = (20.0, 200.0)
DISORDER = 1000.0
"""Rows come nearly in the order of their times, as logs do."""

SEEDS = (1, 2)

QUESTION = Question(window=WINDOW, threshold=0.6, min_width=WIDTHS[0], max_width=WIDTHS[1])


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    Two tables of `rows` events each, an event of the one having `partners` in the other.

    The bucket widths are what each peer was found to be fastest with at this density, in units of the window.
    """

    rows: int
    partners: int
    duckdb_bucket: float
    polars_bucket: float
    spark_bucket: float

    @property
    def name(self) -> str:
        return f"{short(self.rows)} x {short(self.rows)}, {self.partners} partners"

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """Make the two tables in memory."""
        left, right = (
            intervals(self.rows, partners=self.partners, window=WINDOW, widths=WIDTHS, seed=seed, disorder=DISORDER)
            for seed in SEEDS
        )
        return left, right

    def files(self) -> tuple[str, str]:
        """Write the two tables as Parquet files, unless an earlier run has, and give their paths."""
        folder = Path(os.environ.get("WHENABOUTS_BENCH_DATA", Path(tempfile.gettempdir()) / "whenabouts-benchmarks"))
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for seed in SEEDS:
            path = folder / f"intervals-{self.rows}-{self.partners}-{seed}.parquet"
            if not path.exists():
                unfinished = path.with_suffix(".unfinished")
                write_intervals(
                    unfinished,
                    self.rows,
                    partners=self.partners,
                    window=WINDOW,
                    widths=WIDTHS,
                    seed=seed,
                    disorder=DISORDER,
                )
                unfinished.rename(path)
            paths.append(str(path))
        return paths[0], paths[1]


def sparse(rows: int) -> Case:
    """Five partners each: reading, sorting and moving rows matters as much as the pairs."""
    return Case(rows=rows, partners=5, duckdb_bucket=2.0, polars_bucket=1.0, spark_bucket=4.0)


def dense(rows: int) -> Case:
    """Two hundred partners each: the pairs are all that matters."""
    return Case(rows=rows, partners=200, duckdb_bucket=0.5, polars_bucket=0.5, spark_bucket=1.0)


def cases(scale: Scale) -> list[Case]:
    """The two joins that the sides are compared on."""
    return [sparse(1_000_000), dense(300_000)] if scale == "full" else [sparse(20_000), dense(5_000)]


def short(number: int) -> str:
    """Write a round number in few letters: 300k, 1M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number % size == 0:
            return f"{number // size}{letter}"
    return str(number)
