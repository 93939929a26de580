"""Where uncertain objects are on average: what a map shows of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Floats
from whenabouts.schema.objects import ObjectContract, gather_rows, read_objects


def centres_of(table: pa.Table, contract: ObjectContract) -> tuple[pa.Array, Floats]:
    """The ids and the mean positions of the objects that keep the contract."""
    gathered = gather_rows(table, contract)
    samples, dimension, problems = read_objects(gathered, contract)
    good = np.flatnonzero(problems.good)
    size = np.diff(samples.start)
    row = np.repeat(np.arange(len(size)), size)
    weights = 1.0 / size[row] if samples.weights is None else samples.weights
    sums = [np.bincount(row, weights * samples.at[:, k], len(size)) for k in range(dimension)]
    centres = np.column_stack(sums).astype(np.float64)
    return gathered.column(contract.id).combine_chunks().take(pa.array(good)), centres[good]
