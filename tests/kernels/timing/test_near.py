"""Few partners: pair by pair gives what range by range gives, in buffers of any size."""

import numpy as np
import pytest

from tests.kernels.timing.test_sweep import NO_TABLE, sorted_intervals, swept
from whenabouts.kernels.events import uniform_events
from whenabouts.kernels.timing.bounds import uniform_bounds
from whenabouts.kernels.timing.near import BLOCK, sweep_near, typical_window
from whenabouts.kernels.timing.probing import UNIFORM
from whenabouts.kernels.timing.streams import Condition, Pairs
from whenabouts.kernels.timing.sweep import Cursor, Groups, group_widths


def near(left, right, groups, ask, *, capacity):
    keys = np.arange(len(left.latest)), np.arange(len(right.latest))
    widest, pairs, total = group_widths(right, groups)[1], [], np.zeros(5, dtype=np.int64)
    cursor = Cursor(0, 0, 0, 0, 0, 0)
    while cursor.row < len(left.latest):
        out = Pairs(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity * ask.measure))
        with np.errstate(all="ignore"):
            cursor, counts = sweep_near(left, right, keys, groups, widest, ask, cursor, out)
        n = counts.emitted
        found = out.confidence[:n].tolist() if ask.measure else [None] * n
        pairs += zip(out.left[:n].tolist(), out.right[:n].tolist(), found, strict=True)
        total += counts
    assert len({pair[:2] for pair in pairs}) == len(pairs), "a pair came out twice"
    return {(i, j): p for i, j, p in pairs}, total


def in_groups(events, cut: int):
    """The same events as two groups, each sorted on its own."""
    group = np.repeat([0, 1], [cut, len(events.latest) - cut])
    order = np.lexsort((events.latest, group))
    return uniform_events(events.earliest[order], events.latest[order]), group


@pytest.mark.parametrize("band", [(-4.0, 4.0), (-1.0, 0.0), (-np.inf, 3.0), (5.0, np.inf)])
@pytest.mark.parametrize("measure", [True, False])
@pytest.mark.parametrize("capacity", [1, 7, 4 * BLOCK])
def test_sweep_near__gives_the_pairs_of_the_range_sweep(band, measure, capacity):
    rows = 60 if capacity == 1 else 150
    left, left_group = in_groups(sorted_intervals(1, rows), 50)
    right, right_group = in_groups(sorted_intervals(2, rows), 30)
    groups = Groups(left_group, *(np.searchsorted(right_group, [0, 1], side=side) for side in ("left", "right")))
    bounds = uniform_bounds(left.earliest, left.latest, left_group, *group_widths(right, groups), *band, 0.4, measure)
    expected, *_ = swept(left, right, bounds, UNIFORM, *band, 0.4, measure=measure, table=NO_TABLE, groups=groups)
    found, total = near(left, right, groups, Condition(*band, 0.4, measure), capacity=capacity)
    assert found == expected
    assert total[0] == len(found)
    assert total[1] == total[2] + total[3]
    assert total[3] == total[4]


def test_typical_window__counts_partners_on_average():
    times = np.arange(100.0)
    points, groups = uniform_events(times, times), Groups(np.zeros(100, np.int64), np.array([0]), np.array([100]))
    window = typical_window(points, points, groups, np.zeros(1), Condition(-2.0, 2.0, 0.5, True), 1)
    assert window == pytest.approx((96 * 5 + 2 * 4 + 2 * 3) / 100)


def test_group_widths__are_zero_where_a_group_is_empty():
    right = uniform_events(np.array([0.0, 5.0, 6.0]), np.array([2.0, 6.0, 10.0]))
    groups = Groups(np.zeros(1, np.int64), np.array([0, 1, 1]), np.array([1, 1, 3]))
    narrowest, widest = group_widths(right, groups)
    assert (narrowest.tolist(), widest.tolist()) == ([2.0, 0.0, 1.0], [2.0, 0.0, 4.0])
