"""The kernels' view of rows comes in the order in which rows are asked for."""

import numpy as np
import pyarrow as pa

from whenabouts.model.clock import Clock
from whenabouts.model.times import between
from whenabouts.schema import read_times, to_events

TIMES = read_times(
    pa.table({"lo": [5.0, 1.0, 3.0], "hi": [6.0, 2.0, 8.0]}), between("lo", "hi"), Clock("number", exact=False)
)


def test_to_events__keeps_the_order_of_the_rows_also_where_all_are_given():
    assert to_events(TIMES, np.array([1, 2, 0]), 1.0).latest.tolist() == [1.0, 7.0, 5.0]


def test_to_events__takes_some_rows_or_a_stretch_of_them():
    assert to_events(TIMES, np.array([2]), 0).earliest.tolist() == [3.0]
    assert to_events(TIMES, slice(None), 0).earliest.tolist() == [5.0, 1.0, 3.0]
