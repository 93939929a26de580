"""How two answers to the same question compare, scored against what really happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Score:
    """An answer against the truth: pairs that are right, wrong and missing."""

    right: int
    wrong: int
    missed: int

    @property
    def pairs(self) -> int:
        return self.right + self.wrong

    @property
    def precision(self) -> float:
        """Of what was answered, the share that is true."""
        return self.right / self.pairs if self.pairs else 1.0

    @property
    def recall(self) -> float:
        """Of what is true, the share that was answered."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def pair_keys(pairs: pa.Table, right_rows: int) -> NDArray[np.int64]:
    """Each pair of row numbers as one number."""
    return pairs["left_id"].to_numpy() * right_rows + pairs["right_id"].to_numpy()


def score(answer: NDArray[np.int64], truth: NDArray[np.int64]) -> Score:
    """Compare pairs by their keys."""
    right = int(np.isin(answer, truth, assume_unique=True).sum())
    return Score(right, len(answer) - right, len(truth) - right)
