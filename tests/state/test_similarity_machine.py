"""The similarity join's state machine against the batch join: any order of arrival, any cuts."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whenabouts as wa
from tests.similarity_cases import REACH, THRESHOLD, answers, rows, table_of
from tests.state.streams import Stream
from whenabouts.api.similarity_join import plan_similarity_join
from whenabouts.errors import StateMismatch
from whenabouts.spark.streaming.similarity import SimilarityStream
from whenabouts.state.watermark import Patience


def machine(sides, eps, alpha, window, delay, groups, changes=False):
    join = plan_similarity_join(sides, eps, alpha, window, None, "euclidean", "auto", 1, True, changes)
    return SimilarityStream(join, (Patience(float(delay)),) * len(sides), groups, pa.int64())


def send(plan, tables, delay, seed, cuts):
    """Rows in turns, none more than `delay` places behind."""
    stream = Stream(plan.inlets(), plan.keeper, plan.groups)
    draw = np.random.default_rng(seed)
    orders = []
    for table in tables:
        arrive = table["n"].to_numpy() + draw.choice([0.0, 0.5, 1.0], len(table)) * delay
        order = np.argsort(arrive, kind="stable")
        orders.append((table, order, arrive[order]))
    last = max((float(arrive.max()) for _, _, arrive in orders if len(arrive)), default=0.0)
    done = [0] * len(tables)
    for wall in [*np.sort(draw.uniform(0, last + 1, cuts)), math.inf]:
        parts = []
        for number, (table, order, arrive) in enumerate(orders):
            end = int(np.searchsorted(arrive, wall, side="right"))
            parts.append(table.take(pa.array(order[done[number] : end])))
            done[number] = end
        stream.turn(*parts)
    return stream


@st.composite
def questions(draw):
    streams = [draw(rows(2, most=8)) for _ in range(draw(st.sampled_from([1, 2, 2, 3])))]
    return streams, draw(REACH), draw(THRESHOLD), draw(st.sampled_from([1, 2, 5])), draw(st.sampled_from([0, 2]))


@settings(max_examples=25)
@given(question=questions(), groups=st.sampled_from([1, 3]), seed=st.integers(0, 9), cuts=st.integers(0, 4))
def test_stream__gives_every_pair_of_the_batch_once(question, groups, seed, cuts):
    streams, eps, alpha, window, delay = question
    tables = [table_of(stream) for stream in streams]
    sides = [wa.objects(table, id="id", seq="n", samples="points", dimensions=2) for table in tables]
    stream = send(machine(sides, eps, alpha, window, delay, groups), tables, delay, seed, cuts)
    batch = wa.similarity_join(*sides, distance=eps, min_confidence=alpha, window=window)
    got = pa.concat_tables(stream.results) if stream.results else batch.slice(0, 0)
    assert not stream.late
    assert answers(got) == answers(batch)


@settings(max_examples=15)
@given(question=questions(), seed=st.integers(0, 9), cuts=st.integers(1, 4))
def test_changelog__of_a_stream_is_that_of_the_batch_up_to_the_watermark(question, seed, cuts):
    streams, eps, alpha, window, delay = question
    tables = [table_of(stream) for stream in streams]
    sides = [wa.objects(table, id="id", seq="n", samples="points", dimensions=2) for table in tables]
    stream = send(machine(sides, eps, alpha, window, delay, 2, changes=True), tables, delay, seed, cuts)
    mark = min((max(row.place for row in one) if one else -math.inf for one in streams), default=-math.inf) - delay
    pairs = wa.similarity_join(*sides, distance=eps, min_confidence=alpha, window=window).to_pylist()
    ids = ("left_stream", "left_id", "right_stream", "right_id")
    want = [("enters", row["enters"], *(row.get(name) for name in ids)) for row in pairs]
    want += [("expires", r["expires"], *(r.get(name) for name in ids)) for r in pairs if r["expires"] <= mark]
    got = [row for table in stream.results for row in table.to_pylist()]
    found = [(row["change"], row["at"], *(row.get(name) for name in ids)) for row in got]
    assert sorted(found, key=str) == sorted(want, key=str)


def points(count, start=0):
    return pa.table(
        {"id": range(start, start + count), "n": range(start, start + count), "points": [[[0.0, 0.0]]] * count}
    )


def test_state__forgets_what_no_arrival_can_meet():
    sides = [wa.objects(points(1), id="id", seq="n", samples="points", dimensions=2)] * 2
    stream = Stream(*(lambda plan: (plan.inlets(), plan.keeper))(machine(sides, 1.0, 0.5, 4, 0, 1)))
    for turn in range(20):
        stream.turn(points(10, turn * 10), points(10, turn * 10))
    assert stream.counts[-1]["buffered"] == 2 * 4
    assert len(stream.snapshots[0]) < 20_000


def test_late_objects__are_set_aside():
    sides = [wa.objects(points(1), id="id", seq="n", samples="points", dimensions=2)] * 2
    stream = Stream(*(lambda plan: (plan.inlets(), plan.keeper))(machine(sides, 1.0, 0.5, 4, 2, 1)))
    stream.turn(points(10), points(10))
    stream.turn(points(1, 6), points(1, 7))
    assert [table["id"].to_pylist() for table in stream.late] == [[6]]


def test_snapshot__of_another_question_is_refused():
    sides = [wa.objects(points(1), id="id", seq="n", samples="points", dimensions=2)] * 2
    one, other = (machine(sides, eps, 0.5, 4, 0, 1).keeper() for eps in (1.0, 2.0))
    with pytest.raises(StateMismatch, match="distance"):
        other.restore(one.snapshot())
