"""What one waits for before the first answer: the import, and the first join of a fresh process.

The compile cache is warm, as it is from the second run of anything on. Other libraries' imports are there to compare.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks.data import Scale
from benchmarks.measure import OURS, Row, Timing, row

IMPORTS = (OURS, "duckdb", "polars", "pandas", "pyspark.sql")

FIRST_JOIN = """
import pyarrow
import whenabouts as wa
from whenabouts.testing import intervals
left, right = (wa.events(intervals(1000, partners=5, window=1000.0, seed=seed), id="id", time=wa.between("lo", "hi"))
               for seed in (1, 2))
assert wa.timing_join(left, right, wa.within(1000.0), min_confidence=0.6).num_rows > 0
"""


def run(scale: Scale) -> list[Row]:
    """Start a process for each figure, seven times over."""
    repetitions = 7
    rows = []
    for module in IMPORTS:
        timing = fresh(f"import {module}", repetitions)
        rows.append(row("startup", "import", module, timing.median, "seconds", better="lower", timing=timing))
    fresh(FIRST_JOIN, 1)
    timing = fresh(FIRST_JOIN, repetitions)
    case = "import and first join of 1,000 x 1,000"
    rows.append(row("startup", case, OURS, timing.median, "seconds", better="lower", timing=timing))
    return rows


def fresh(code: str, repetitions: int) -> Timing:
    """Run the code in a new interpreter each time; the start of the interpreter itself does not count."""
    lines = ["import time", "start = time.perf_counter()", code.strip(), "print(time.perf_counter() - start)"]
    program = "\n".join(lines)
    seconds = []
    for _ in range(repetitions):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds.append(float(done.stdout.split()[-1]))
    return Timing(tuple(seconds))
