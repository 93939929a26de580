"""The timing join's state machine against the batch join: any order of arrival, any cuts, any model of time."""

from __future__ import annotations

import math
import random

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import whenabouts as wa
from tests import strategies
from tests.agreement import EXACT, pairs_of
from tests.state.streams import Stream
from whenabouts.api.timing_join import plan_join
from whenabouts.schema import read_times
from whenabouts.spark.streaming.timing import TimingStream
from whenabouts.state.inlet import ends
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
