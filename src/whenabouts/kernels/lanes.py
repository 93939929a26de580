"""Eight neighbouring numbers of a row, worked on at once.

Rows of a few dozen numbers are too short for the wide loops that compilers make, which begin and end with narrow ones.
Written in lanes, a loop has none: it takes eight numbers at a time, and the last eight reach beyond the row's end. So
rows have room for `LANES` numbers more, and what lies beyond an end is either nobody's or made nothing by `only`.

Lanes know `+ - * /`, with each other and with a number. Without the JIT they are slices of NumPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import ENABLED
from whenabouts.kernels.events import Floats, Ints

LANES = 8

Lanes = NDArray[np.float64]

if ENABLED and not TYPE_CHECKING:
    from whenabouts.kernels._lanes import greatest, lanes, least, natural, only, put, put_where, since, spread, total
else:

    def lanes(row: Floats, at: int) -> Lanes:
        """The numbers of a row from `at` on."""
        return row[at : at + LANES].copy()

    def put(row: Floats, at: int, values: Lanes) -> None:
        """Write lanes to a row from `at` on."""
        row[at : at + LANES] = values

    def spread(value: float) -> Lanes:
        """The same number in all lanes."""
        return np.full(LANES, value)

    def greatest(values: Lanes, floor: float) -> Lanes:
        """The lanes, none of them less than a number."""
        return np.maximum(values, floor)

    def least(values: Lanes, ceiling: float) -> Lanes:
        """The lanes, none of them greater than a number."""
        return np.minimum(values, ceiling)

    def only(values: Lanes, count: int) -> Lanes:
        """The first so many lanes, and nothing in the others."""
        return np.where(np.arange(LANES) < count, values, 0.0)

    def since(values: Lanes, count: int) -> Lanes:
        """The lanes but for the first so many, and nothing in those."""
        return np.where(np.arange(LANES) >= count, values, 0.0)

    def put_where(codes: Ints, at: int, code: int, value: float, values: Lanes) -> Lanes:
        """The lanes, with a number in place of those for which `codes` from `at` on have this code."""
        return np.where(codes[at : at + LANES] == code, value, values)

    def natural(number: int) -> int:
        """A number that is known not to be negative, so that no place counted from an end is looked for."""
        return number

    def total(values: Lanes) -> float:
        """The sum of all lanes."""
        return float(values.sum())
