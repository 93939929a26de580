"""Room for large arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from whenabouts.schema.room import gathered, room


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("count", [0, 1, 1000])
def test_it_is_an_array_to_write_to(kind: type, count: int) -> None:
    array = room(count, kind)
    array[:] = np.arange(count)
    assert (len(array), array.dtype) == (count, np.dtype(kind))
    assert np.array_equal(array, np.arange(count).astype(kind))


def test_it_is_arrows_and_goes_back_there() -> None:
    before = pa.total_allocated_bytes()
    array = room(100_000)
    part = array[10:20]
    assert pa.total_allocated_bytes() >= before + 800_000
    del array
    assert pa.total_allocated_bytes() >= before + 800_000, "a part of it still stands there"
    del part
    assert pa.total_allocated_bytes() == before


def test_values_are_gathered_from_any_array() -> None:
    at = np.array([2, 0, 2])
    assert gathered(np.array([1.5, 2.5, 3.5]), at).tolist() == [3.5, 1.5, 3.5]
    assert gathered(np.arange(6)[::2], at).tolist() == [4, 0, 4]
    assert gathered(np.broadcast_to(0.5, 3), at).tolist() == [0.5, 0.5, 0.5]
    assert gathered(np.empty(0), np.empty(0, np.int64)).tolist() == []
