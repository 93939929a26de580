"""Flink's MATCH_RECOGNIZE on the paper's stream with certain times: a script for an interpreter that has apache-flink.

``python benchmarks/flink_match.py EVENTS RUNS V1 V2 V3`` prints the seconds and the number of matches of every run as
JSON. Flink SQL knows skip-till-next alone: reluctant quantifiers between the components, and a new start at the next
row.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

SOURCE = """
CREATE TABLE series (id BIGINT, v BIGINT, t TIMESTAMP(3), WATERMARK FOR t AS t)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')
"""
QUERY = """
SELECT COUNT(*), SUM(a + b + c) FROM series MATCH_RECOGNIZE (
  ORDER BY t
  MEASURES e1.id AS a, e2.id AS b, e3.id AS c
  ONE ROW PER MATCH
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (e1 x*? e2 y*? e3) WITHIN INTERVAL '100' SECOND(3)
  DEFINE e1 AS MOD(e1.v, {0}) = 0, e2 AS MOD(e2.v, {1}) = 0, e3 AS MOD(e3.v, {2}) = 0
)
"""


def write_series(folder: Path, count: int) -> Path:
    """The stream as text, a second a unit of time."""
    path = folder / "series.csv"
    with path.open("w") as file:
        for k in range(count):
            day, second = divmod(k, 86_400)
            stamp = time.strftime("%Y-%m-%d", time.gmtime(86_400 * day))
            file.write(f"{k},{k % 1000 + 1},{stamp} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}\n")
    return path


def main() -> None:
    """Run the query and print what it took; reading the file is part of it, starting the JVM is not."""
    count, runs, *divisors = map(int, sys.argv[1:])
    settings = EnvironmentSettings.in_streaming_mode()
    tables = TableEnvironment.create(settings)
    tables.get_config().set("parallelism.default", "1")
    tables.get_config().set("table.exec.mini-batch.enabled", "true")
    tables.get_config().set("table.exec.mini-batch.allow-latency", "5 s")
    tables.get_config().set("table.exec.mini-batch.size", "100000")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        tables.execute_sql(SOURCE.format(path=write_series(Path(folder), count)))
        for _ in range(runs):
            start = time.perf_counter()
            last = None
            with tables.execute_sql(QUERY.format(*divisors)).collect() as rows:
                for one in rows:
                    last = one
            results.append({"seconds": time.perf_counter() - start, "matches": last[0] if last else 0})
        start = time.perf_counter()
        with tables.execute_sql("SELECT COUNT(*), MAX(t) FROM series").collect() as rows:
            for _ in rows:
                pass
        results.append({"reading": time.perf_counter() - start})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
