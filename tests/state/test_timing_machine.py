"""The timing join's state machine against the batch join: any order of arrival, any cuts, any model of time."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import naive, strategies
from tests.agreement import EXACT, pairs_of
from tests.state.streams import Stream
from whenabouts.api.timing_join import plan_join
from whenabouts.schema import read_times
from whenabouts.spark.streaming.timing import TimingStream
from whenabouts.state.inlet import ends
from whenabouts.state.route import BySlices
from whenabouts.state.watermark import Patience


def plan(left, right, predicate, confidence, by=None, measure=True):
    return plan_join(left, right, predicate, confidence, by, measure, (), (), "auto", 1000, None)


def moments(events):
    times = read_times(events.table, events.contract.time, events.clock)
    return ends(times)


def arrivals(table, moment, delay, seed):
    """Rows in an order in which none is more than `delay` behind: each arrives at its moment plus some delay."""
    draw = np.random.default_rng(seed)
    arrive = moment + draw.choice([0.0, 0.25, 0.5, 1.0], len(moment)) * delay
    return np.argsort(arrive, kind="stable"), arrive


def run_in_batches(stream, sides, delay, seed, cuts):
    """Send both sides in their order of arrival, cut into turns at the same wall-clock times."""
    orders = []
    for number, events in enumerate(sides):
        moment = moments(events)[1]
        order, arrive = arrivals(events.table, moment, delay, seed + number)
        orders.append((events.table, order, arrive[order]))
    last = max(float(arrive.max()) for _, _, arrive in orders)
    first = min(float(arrive.min()) for _, _, arrive in orders)
    draw = random.Random(seed)
    walls = [*sorted(draw.uniform(first, last) for _ in range(cuts)), math.inf]
    done = [0, 0]
    for wall in walls:
        parts = []
        for number, (table, order, arrive) in enumerate(orders):
            end = int(np.searchsorted(arrive, wall, side="right"))
            parts.append(table.take(pa.array(order[done[number] : end])))
            done[number] = end
        stream.turn(*parts)


def as_stream(left, right, predicate, confidence, *, delay, groups, by=None, measure=True):
    join = plan(left, right, predicate, confidence, by, measure)
    widths = [float(np.max(np.subtract(*reversed(moments(side))), initial=0.0)) for side in (left, right)]
    patience = Patience(delay), Patience(delay)
    planned = TimingStream(join, patience, (widths[0], widths[1]), groups)
    return Stream(planned.inlets(), planned.keeper, groups)


@given(
    question=strategies.questions(),
    confidence=strategies.THRESHOLDS,
    delay=st.sampled_from([0.0, 1.0, 8.0]),
    groups=st.sampled_from([1, 3]),
    seed=st.integers(0, 5),
    keyed=st.booleans(),
)
def test_stream__gives_each_pair_of_the_batch_once_in_any_order_of_arrival(
    question, confidence, delay, groups, seed, keyed
):
    left, right = question.left.events(), question.right.events()
    by = "key" if keyed and groups == 1 else None
    stream = as_stream(left, right, question.predicate, confidence, delay=delay, groups=groups, by=by)
    if by:
        stream.inlets = [_bucketed(inlet) for inlet in stream.inlets]
    run_in_batches(stream, (left, right), delay, seed, cuts=seed)
    batch = pairs_of(wa.timing_join(left, right, question.predicate, min_confidence=confidence, by=by))
    assert not any(map(len, stream.late))
    got = pairs_of(pa.concat_tables(stream.results)) if stream.results else {}
    assert set(got) == set(batch)
    for pair, p in batch.items():
        assert abs(got[pair] - p) <= EXACT


def _bucketed(inlet):
    """Keys are hashed by the engine; one bucket will do."""

    class Bucketed:
        def take(self, rows):
            return inlet.take(rows.append_column("__bucket", pa.array(np.zeros(len(rows), dtype=np.int64))))

    return Bucketed()


WIDEST, REACH, SURE, DELAY = 8, 10, 0.6, 6.0
BETWEEN = {"id": "id", "time": wa.between("lo", "hi")}


def random_intervals(seed, count, start, span):
    draw = np.random.default_rng(seed)
    lo = np.sort(draw.integers(start, start + span, count)).astype(np.float64)
    return pa.table({"id": np.arange(count), "lo": lo, "hi": lo + draw.integers(0, WIDEST + 1, count)})


def declared_stream(groups=1, by=None, **patience):
    empty = wa.events(random_intervals(0, 0, 0, 1), **BETWEEN)
    join = plan(empty, empty, wa.within(REACH), SURE)
    waits = Patience(DELAY), Patience(DELAY, **patience)
    planned = TimingStream(join, waits, (float(WIDEST), float(WIDEST)), groups)
    return Stream(planned.inlets(), planned.keeper, groups), planned


def buffers_of(stream, planned):
    keeper = planned.keeper()
    keeper.restore(stream.snapshots[0])
    return keeper.machine.buffers, keeper.watermarks.current()


def could_join(lo, hi, width, latest):
    """Whether an arrival of some width and latest time would join an event on [lo, hi]."""
    pair = naive.interval(Fraction(latest) - Fraction(width), Fraction(latest)), naive.interval(lo, hi)
    return naive.probability(*pair, -REACH, REACH) >= Fraction(SURE)


@pytest.mark.parametrize("seed", range(4))
def test_state__drops_an_event_exactly_when_no_future_arrival_could_join_it(seed):
    stream, planned = declared_stream()
    sent = [[], []]
    for turn in range(6):
        tables = [random_intervals(100 * seed + 10 * turn + side, 12, 20 * turn, 25) for side in (0, 1)]
        stream.turn(*tables)
        for side, table in enumerate(tables):
            sent[side] += zip(table["lo"].to_pylist(), table["hi"].to_pylist(), strict=True)
        buffers, watermarks = buffers_of(stream, planned)
        late = [(row["lo"], row["hi"]) for table in stream.late for row in table.to_pylist()]
        for side in (0, 1):
            limit = watermarks[1 - side]
            kept = list(zip(buffers[side]["lo"].to_pylist(), buffers[side]["hi"].to_pylist(), strict=True))
            for lo, hi in kept:
                assert could_join(lo, hi, WIDEST, max(limit, hi)), "it is kept, and nothing can join it"
            for lo, hi in set(sent[side]) - set(kept) - set(late):
                for width in (0, WIDEST / 2, WIDEST):
                    for later in (0.0, 0.5, 3.0, WIDEST, REACH):
                        assert not could_join(lo, hi, width, limit + later), "it was dropped, and could still join"


def test_state__does_not_keep_rows_that_have_no_key():
    table = random_intervals(1, 30, 0, 20).append_column("key", pa.array(["a", None, "b"] * 10))
    events = wa.events(table, **BETWEEN)
    stream = as_stream(events, events, wa.within(REACH), SURE, delay=DELAY, groups=1, by="key")
    keeper = stream.make_keeper()
    stream.inlets = [_bucketed(inlet) for inlet in stream.inlets]
    stream.turn(table, table)
    keeper.restore(stream.snapshots[0])
    for buffer in keeper.machine.buffers:
        assert 0 < len(buffer) <= 20
        assert buffer["key"].null_count == 0


def test_state__is_sorted_by_latest_time():
    stream, planned = declared_stream()
    for turn in range(3):
        stream.turn(*(random_intervals(turn + side, 40, 5 * turn, 20) for side in (0, 1)))
    for buffer in buffers_of(stream, planned)[0]:
        latest = buffer["hi"].to_pylist()
        assert latest == sorted(latest)
        assert len(latest) > 10


def test_state__stays_flat_over_a_stream_of_hundreds_of_windows():
    stream, _ = declared_stream()
    sizes = []
    for turn in range(400):
        stream.turn(*(random_intervals(2 * turn + side, 50, 30 * turn, 30) for side in (0, 1)))
        sizes.append(len(stream.snapshots[0]))
    assert max(sizes[20:]) < 1.5 * min(sizes[20:])
    assert np.mean(sizes[300:]) < 1.1 * np.mean(sizes[20:120])


def test_state__of_a_silent_partner_grows_until_it_counts_as_idle():
    waiting, planned = declared_stream()
    patient, idle_planned = declared_stream(idle_after=50.0)
    nothing = random_intervals(0, 0, 0, 1)
    for turn in range(40):
        rows = random_intervals(turn, 50, 30 * turn, 30)
        waiting.turn(rows, nothing)
        patient.turn(rows, nothing)
    assert len(buffers_of(waiting, planned)[0][0]) == 40 * 50
    assert len(buffers_of(patient, idle_planned)[0][0]) < 10 * 50


def test_late_rows__come_out_as_they_are_and_join_nothing():
    stream, _ = declared_stream()
    old = pa.table({"id": [7], "lo": [100.0], "hi": [100.0]})
    partner = pa.table({"id": [8], "lo": [100.0], "hi": [100.0]})
    new = pa.table({"id": [9], "lo": [106.5], "hi": [106.5]})
    nothing = old.slice(0, 0)
    stream.turn(new, partner)
    stream.turn(old, nothing)
    assert [row["id"] for row in pa.concat_tables(stream.late).to_pylist()] == [7]
    assert pairs_of(pa.concat_tables(stream.results)) == {(9, 8): 1.0}
    assert stream.counts[-1]["left_late"] == 1


def test_late_rows__are_judged_by_the_watermark_before_their_turn():
    """Within a turn nothing came before anything else, so how rows are cut into tasks changes nothing."""
    stream, _ = declared_stream()
    both = pa.table({"id": [7, 9], "lo": [100.0, 300.0], "hi": [100.0, 300.0]})
    stream.turn(both, both)
    assert not any(map(len, stream.late))
    assert pairs_of(pa.concat_tables(stream.results)) == {(7, 7): 1.0, (9, 9): 1.0}


def test_late_rows__are_set_aside_once_though_they_are_copied_to_several_slices():
    stream, planned = declared_stream(groups=3)
    length = planned._routes()[1].length
    edges = [length * k for k in range(40)]
    right = pa.table({"id": list(range(40)), "lo": edges, "hi": edges})
    copies = stream.inlets[1].take(right).copies
    assert len(copies.row) > len(right)
    stream.turn(right.slice(39), right.slice(39))
    stream.turn(right.slice(0, 0), right.slice(0, 39))
    assert sorted(pa.concat_tables(stream.late)["id"].to_pylist()) == list(range(39))


def test_route__takes_a_row_to_a_group_once_however_many_of_its_slices_it_reaches():
    route = BySlices(3, 10.0, -5.0, 5.0, once_a_group=True)
    lo, hi = np.array([11.0, 6.0, 100.0]), np.array([12.0, 14.0, 190.0])
    copies = route.copies(pa.table({}), np.array([7, 8, 9]), lo, hi)
    spread = sorted(zip(copies.row.tolist(), copies.group.tolist(), copies.owned.tolist(), strict=True))
    assert spread == [
        (7, 0, True), (7, 1, False), (8, 0, True), (8, 1, False), (9, 0, True), (9, 1, False), (9, 2, False),
    ]  # fmt: skip


def test_inlet__sets_aside_what_is_malformed_or_too_wide_with_a_reason():
    stream, _ = declared_stream()
    rows = pa.table({"id": [1, 2, 3, None], "lo": [0.0, 5.0, 0.0, 1.0], "hi": [8.0, 4.0, 8.5, 2.0]})
    taken = stream.inlets[0].take(rows)
    assert taken.refusals == [
        ("malformed", "'lo' is after 'hi'"),
        ("malformed", "'id' is null"),
        ("too wide", "its time is wider than max_width="),
    ]
    assert taken.code.tolist() == [0, 1, 3, 2]
    assert taken.copies.row.tolist() == [0]


def test_state__of_another_question_is_refused():
    stream, planned = declared_stream()
    stream.turn(*(random_intervals(side, 40, 0, 20) for side in (0, 1)))
    other = replace(planned, join=replace(planned.join, high=11.0))
    with pytest.raises(wa.WhenaboutsError, match=r"band: the checkpoint has '\[-10.0, 10.0\]', this query"):
        other.keeper().restore(stream.snapshots[0])


def test_state__of_columns_whose_types_have_changed_is_refused():
    stream, _ = declared_stream()
    rows = random_intervals(1, 20, 0, 10)
    stream.turn(rows, rows)
    other = rows.set_column(0, "id", rows["id"].cast(pa.int32()))
    with pytest.raises(wa.WhenaboutsError, match="'id': the checkpoint has int64, this query int32"):
        stream.turn(other, other)
