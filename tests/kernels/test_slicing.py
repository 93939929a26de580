"""Slices of moments, and the copies of rows that are dealt out to their tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whenabouts.kernels.slicing import COUNTED, OWNED, Cells, dealt, slice_of, touched

INTS = np.int64


def one_level(entries, start=0.0, scale=1.0) -> Cells:
    zero = np.zeros(1, dtype=INTS)
    return Cells(np.array([start]), np.array([scale]), zero, zero, np.array([len(entries)]), np.array(entries))


TWO_LEVELS = Cells(
    start=np.array([0.0, 2.0, 3.0]),
    scale=np.array([1.0, 4.0, 4.0]),
    node=np.array([0, 1]),
    entry=np.array([0, 5]),
    cells=np.array([5, 4]),
    entries=np.array([0, 0, -1, -2, 5, 0, 1, 1, 2, 2, 2, 3, 4]),
)
"""Cells of 1 from 0 to 5; those that begin at 2 and at 3 are cut into quarters."""


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (-np.inf, 0), (-1.0, 0), (0.0, 0), (1.9, 0), (2.0, 0), (2.3, 1), (2.6, 1), (2.9, 2), (3.0, 2), (3.6, 3),
        (3.9, 4), (4.0, 5), (99.0, 5), (np.inf, 5),
    ],
)  # fmt: skip
def test_slice_of__goes_down_to_the_cell_that_is_not_cut(time, expected):
    assert slice_of(TWO_LEVELS, 0, time) == expected


@given(st.lists(st.floats(-10, 10) | st.sampled_from([-np.inf, np.inf, 2.0, 3.0, 2.25]), min_size=2))
def test_slice_of__never_falls_as_time_grows(times):
    slices = [slice_of(TWO_LEVELS, 0, time) for time in sorted(times)]
    assert slices == sorted(slices)


def test_slice_of__has_one_cell_where_time_has_no_extent():
    tree = one_level([0, 1, 2], start=7.0, scale=0.0)
    assert [slice_of(tree, 0, time) for time in (-np.inf, 6.0, 7.0, 8.0, np.inf)] == [0] * 5


def test_touched__begins_at_the_bucket_of_the_row():
    zero, two = np.zeros(2), np.ones(2)
    none = np.zeros(1, dtype=INTS)
    tree = Cells(zero, two, none, none, np.array([2]), np.array([0, 1, 2, 3]))
    begins, ends = touched(tree, np.array([0, 1, 1]), np.array([0.5, 0.5, 1.5]), np.array([1.5, 0.6, 1.6]))
    assert begins.tolist() == [0, 2, 3]
    assert ends.tolist() == [1, 2, 3]


def naive_copies(begins, ends, task, share, to_all):
    """Every copy as (task, row, owned, counted), in the order of tasks and then of rows."""
    copies = []
    for row, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        for at in range(begin, end + 1):
            tasks = range(task[at], task[at + 1])
            if not to_all:
                tasks = [tasks[share[row] % 2**63 % len(tasks)]]
            for one in tasks:
                owned = at == begin
                copies.append((one, row, owned, owned and (not to_all or one == task[at])))
    return sorted(copies)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-(2**63), 2**63 - 1)), max_size=30),
    st.lists(st.integers(1, 3), min_size=5, max_size=5),
    st.booleans(),
)
def test_dealt__sends_each_row_to_the_tasks_of_its_slices(rows, salts, to_all):
    begins, ends = (np.array([choose(row[:2]) for row in rows], dtype=INTS) for choose in (min, max))
    share = np.array([row[2] for row in rows], dtype=INTS)
    task = np.concatenate([[0], np.cumsum(salts)]).astype(INTS)
    starts, copies, marks = dealt(begins, ends, task, share, to_all)
    found = [
        (one, copies[at], bool(marks[at] & OWNED), bool(marks[at] & COUNTED))
        for one in range(task[-1])
        for at in range(starts[one], starts[one + 1])
    ]
    assert found == naive_copies(begins, ends, task, share.tolist(), to_all)
