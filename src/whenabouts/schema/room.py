"""Room for large arrays, from Arrow's pool.

The pool keeps what it was given back for a while, and hands it out again. NumPy asks the system for new pages each
time, and has them made huge: where memory was just given back by somebody else, that takes longer than the join.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike, NDArray

from whenabouts.kernels.events import Ints

Number = TypeVar("Number", bound=np.generic)


def room(count: int, kind: DTypeLike = np.float64) -> NDArray[Any]:
    """An array of so many numbers that are yet to be written."""
    return np.frombuffer(pa.allocate_buffer(count * np.dtype(kind).itemsize), kind)


def gathered(values: NDArray[Number], at: Ints) -> NDArray[Number]:
    """The values at the given positions, none of which is negative or beyond the last."""
    return np.take(values, at, out=room(len(at), values.dtype), mode="clip")
