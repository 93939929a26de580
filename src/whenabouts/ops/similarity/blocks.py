"""New objects of all streams against their windows: the similarity join of a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from whenabouts.kernels.events import Ints
from whenabouts.ops.similarity.join import execute
from whenabouts.ops.similarity.prepare import prepare
from whenabouts.ops.similarity.question import SimilarityJoin

COUNTED = ("candidates", "surely_yes", "computed", "window_pairs", "object_pruned", "sample_pruned")


@dataclass(frozen=True)
class BlockSimilarityJoin:
    """Finds the pairs of which one row is new and one is owned; `slice_` names a column that only rows of one share."""

    join: SimilarityJoin
    slice_: str

    def __call__(
        self, tables: Sequence[pa.Table], bits: Sequence[Ints], counts: dict[str, float]
    ) -> Iterator[pa.RecordBatch]:
        """The new pairs; what had to be done is added to the counts."""
        prepared = prepare(self._inner, tables, bits)
        yield from execute(prepared)
        for name in COUNTED:
            counts[name] = counts.get(name, 0.0) + prepared.counts.get(name, 0)

    @property
    def _inner(self) -> SimilarityJoin:
        """The join within slices, whose rows were checked when they came in; changes are told by the machine."""
        streams = tuple(
            replace(stream, quarantine=True, contract=replace(stream.contract, by=(*stream.contract.by, self.slice_)))
            for stream in self.join.streams
        )
        return replace(self.join, streams=streams, changes=False)
