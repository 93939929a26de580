"""The batch operator as a stream needs it: given pairs, final or provisional."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from whenabouts.ops.intervals.evaluate import execute
from whenabouts.ops.intervals.prepare import prepare
from whenabouts.ops.intervals.question import IntervalQuestion


@dataclass(frozen=True)
class Stepwise:
    """A question that is asked turn by turn; with `updates` its rows say whether they are final."""

    question: IntervalQuestion
    updates: bool

    def schema(self, left: pa.Schema, right: pa.Schema) -> pa.Schema:
        """left_key, right_key, confidence, and with updates whether that is final."""
        own = self.question.output_schema(left, right)
        return own.append(pa.field("final", pa.bool_())) if self.updates else own

    def __call__(
        self, left: pa.Table, right: pa.Table, pairs: pa.Table, final: bool, below: bool
    ) -> Iterator[pa.RecordBatch]:
        """The pairs that reach the threshold; with `below` all of them, where a confidence tells which do not.

        A key that is not complete yet may still break its contract.
        """
        question = self.question
        if below and question.measure:
            question = replace(question, min_confidence=None)
        if not final:
            question = replace(
                question, left=replace(question.left, quarantine=True), right=replace(question.right, quarantine=True)
            )
        schema = self.schema(left.schema, right.schema)
        plain = question.output_schema(left.schema, right.schema)
        for batch in execute(prepare(question, left, right), plain, pairs):
            if len(batch) and self.updates:
                yield pa.RecordBatch.from_arrays([*batch.columns, pa.array([final] * len(batch))], schema=schema)
            elif len(batch):
                yield batch
