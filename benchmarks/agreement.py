"""Do all sides give the same answer? Run ``python -m benchmarks.agreement`` to ask the peers at small size."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import peers
from benchmarks.machine import limit_threads
from benchmarks.peers import Question


class Disagreement(AssertionError):
    """Two sides of a benchmark gave different answers, so that comparing their times means nothing."""


@dataclass
class Agreement:
    """Holds the first answer of a case and refuses one that has other pairs or another sum of confidences."""

    tolerance: float = 1e-6
    pairs: int | None = None
    _confidence: float = field(default=math.nan, repr=False)
    _first: str = field(default="", repr=False)

    def see(self, name: str, answer: pa.Table) -> None:
        """Compare an answer as a table with the first."""
        self.see_totals(name, answer.num_rows, pc.sum(answer["confidence"]).as_py() or 0.0)

    def see_totals(self, name: str, pairs: int, confidence: float) -> None:
        """Compare an answer, of which there is only the number of pairs and the sum of confidences, with the first."""
        if self.pairs is None:
            self.pairs, self._confidence, self._first = pairs, confidence, name
        elif pairs != self.pairs or not math.isclose(confidence, self._confidence, rel_tol=self.tolerance):
            message = (
                f"{name} gives {pairs:,} pairs with confidences that sum to {confidence!r}, "
                f"{self._first} {self.pairs:,} pairs with {self._confidence!r}"
            )
            raise Disagreement(message)


def every_pair(question: Question, left: pa.Table, right: pa.Table) -> pa.Table:
    """
    Answer by looking at every pair of events, with another form of the probability than the peers have.

    P(|X - Y| <= d) is the mean over x of how much of Y lies in [x - d, x + d]. That share is linear in x between the
    points where an end of the window meets an end of Y, so its value midway between two such points is the mean of the
    piece: no quadrature is needed. Where Y is a point the share jumps, but at such a point only.
    """
    x1, x2, y1, y2 = (
        column[:, np.newaxis] if side is left else column[np.newaxis, :]
        for side in (left, right)
        for column in (side["lo"].to_numpy(), side["hi"].to_numpy())
    )
    d = question.window

    def share(x: np.ndarray) -> np.ndarray:
        inside = np.minimum(y2, x + d) - np.maximum(y1, x - d)
        is_point = np.broadcast_to(y2 == y1, inside.shape)
        width = np.broadcast_to(y2 - y1, inside.shape)
        return np.where(is_point, inside >= 0, np.clip(inside, 0, None) / np.where(is_point, 1, width))

    shape = np.broadcast_shapes(x1.shape, y1.shape)
    bends = [x1, x2, *(np.clip(end + shift, x1, x2) for end in (y1, y2) for shift in (-d, d))]
    grid = np.sort(np.stack([np.broadcast_to(bend, shape) for bend in bends]), axis=0)
    area = (share((grid[1:] + grid[:-1]) / 2) * np.diff(grid, axis=0)).sum(axis=0)
    width = np.broadcast_to(x2 - x1, shape)
    confidence = np.where(width == 0, share(np.broadcast_to(x1, shape)), area / np.where(width == 0, 1, width))

    rows, columns = np.nonzero(confidence >= question.least)
    return pa.table(
        {
            "left_id": left["id"].to_numpy()[rows],
            "right_id": right["id"].to_numpy()[columns],
            "confidence": confidence[rows, columns],
        }
    )


def differences(answer: pa.Table, expected: pa.Table, *, tolerance: float = 1e-9) -> list[str]:
    """Say what differs between two answers, pair by pair."""
    order = [("left_id", "ascending"), ("right_id", "ascending")]
    answer, expected = answer.sort_by(order), expected.sort_by(order)
    if answer.num_rows != expected.num_rows:
        return [f"{answer.num_rows} pairs instead of {expected.num_rows}"]
    found = [f"other values of {name}" for name in ("left_id", "right_id") if answer[name] != expected[name]]
    off = np.abs(answer["confidence"].to_numpy() - expected["confidence"].to_numpy()).max(initial=0.0)
    return found if off <= tolerance else [*found, f"confidences that are off by {off:.1e}"]


def _tables(question: Question, rows: int) -> tuple[pa.Table, pa.Table]:
    """Make small tables around the window, with some points in them if the question allows points."""
    random = np.random.default_rng(7)
    tables = []
    for _ in range(2):
        lo = random.uniform(0, 8 * question.window, rows)
        width = random.uniform(question.min_width, question.max_width, rows)
        if question.has_points:
            width[random.random(rows) < 0.3] = 0.0
        tables.append(pa.table({"id": np.arange(rows), "lo": lo, "hi": lo + width}))
    return tables[0], tables[1]


def main() -> None:
    """Hold every peer to the answer that looks at every pair."""
    limit_threads()
    from benchmarks.spark_session import session

    questions = {
        "the benchmarks' question": Question(window=1000.0, threshold=0.6, min_width=20.0, max_width=200.0),
        "a low threshold": Question(window=1000.0, threshold=0.2, min_width=20.0, max_width=200.0),
        "points among intervals": Question(window=1000.0, threshold=0.6, min_width=0.0, max_width=200.0),
        "intervals wider than the window": Question(window=100.0, threshold=0.3, min_width=20.0, max_width=500.0),
        "both": Question(window=100.0, threshold=0.05, min_width=0.0, max_width=500.0),
    }
    connection, spark = peers.duckdb_connection(), session(partitions=2)
    for title, question in questions.items():
        left, right = _tables(question, 300)
        expected = every_pair(question, left, right)
        names, bucket = ("left_events", "right_events"), question.window
        inequality = peers.duckdb_inequality_sql(question, *names)
        buckets = peers.duckdb_buckets_sql(question, *names, bucket=bucket)
        answers = {
            "DuckDB inequality": peers.duckdb_table(connection, inequality, left, right),
            "DuckDB buckets": peers.duckdb_table(connection, buckets, left, right),
            "Polars join_where": peers.polars_join_where(question, left, right),
            "Polars buckets": peers.polars_buckets(question, left, right, bucket=bucket),
            "Spark buckets": peers.spark_buckets(
                question, spark.createDataFrame(left), spark.createDataFrame(right), bucket=bucket
            ).toArrow(),
        }
        for name, answer in answers.items():
            found = differences(answer, expected)
            if found:
                message = f"{name}, {title}: {', '.join(found)}"
                raise Disagreement(message)
        print(f"{title}: {', '.join(answers)} agree on {expected.num_rows:,} pairs")
    spark.stop()


if __name__ == "__main__":
    main()
