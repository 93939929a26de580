"""The pattern's state machine against the batch: any order of arrival, any cuts, every match once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whenabouts as wa
from tests.state.streams import Stream
from whenabouts.api.match import plan
from whenabouts.errors import StateMismatch
from whenabouts.ops.conditions.masks import component_masks
from whenabouts.ops.match.question import FITS
from whenabouts.spark.streaming.match import MatchStream
from whenabouts.state.route import BUCKET
from whenabouts.state.watermark import Patience

QUERIES = [
    "PATTERN SEQ(A a, B b) WITHIN 4 RETURN a.v, b.v AS w",
    "PATTERN SEQ(A a, B b, C c) WHERE [k] AND a.v <= c.v WITHIN 6 RETURN a",
    "PATTERN SEQ(ANY a, ANY b) WHERE a.v < b.v WITHIN 3 RETURN b.id",
    "PATTERN SEQ(A a, B b, C c) WHERE [k] AND skip_till_next_match(a, b, c) WITHIN 6 RETURN a",
    "PATTERN SEQ(A a, A b) WHERE skip_till_next_match(a, b) WITHIN 5 RETURN a",
    "PATTERN SEQ(A a, !B n, C c) WHERE n.v >= a.v WITHIN 5 RETURN a",
]
WIDEST = 3.0


@st.composite
def arrivals(draw):
    """A few events, most of them close together, and the order in which they come."""
    count = draw(st.integers(2, 14))
    lo = [draw(st.integers(0, 12)) * 0.5 for _ in range(count)]
    table = pa.table(
        {
            "id": list(range(count)),
            "kind": [draw(st.sampled_from("ABC")) for _ in range(count)],
            "k": pa.array([draw(st.sampled_from([0, 1, None])) for _ in range(count)], pa.int64()),
            "v": [draw(st.integers(0, 2)) for _ in range(count)],
            "lo": lo,
            "hi": [low + draw(st.sampled_from([0.0, 1.0, WIDEST])) for low in lo],
        }
    )
    order = np.argsort(np.array(table["hi"]) + np.array([draw(st.sampled_from([0.0, 1.0, 2.0])) for _ in range(count)]))
    cuts = sorted(draw(st.lists(st.integers(0, count), max_size=4)))
    return table, order, [0, *cuts, count]


def marked(question, table, groups):
    """The rows as the engine sends them: with the components that they fit and the hash of their keys."""
    fits = component_masks(
        question.pattern, question.conditions, table, question.kinds, question.moment_tick, question.type
    )
    bits = sum(mask.astype(np.int64) << place for place, mask in enumerate(fits))
    bucket = table.column("k").combine_chunks().fill_null(7).to_numpy()
    return table.append_column(FITS, pa.array(bits)).append_column(BUCKET, pa.array(bucket))


def found(tables):
    rows = [row for table in tables for row in table.to_pylist()]
    matches = {tuple(row.pop("signature")): row for row in rows}
    assert len(matches) == len(rows), "a match was emitted twice"
    return matches


def events_of(table):
    return wa.events(table, id="id", time=wa.between("lo", "hi"), type="kind")


END = {"id": -1, "kind": "Z", "k": 0, "v": 0, "lo": 1e6, "hi": 1e6}


@given(arrivals(), st.sampled_from(QUERIES), st.sampled_from([1, 3]), st.sampled_from([None, 0.5]))
@settings(max_examples=120)
def test_stream__gives_each_match_of_the_batch_once_in_any_order_of_arrival(case, query, groups, tick):
    table, order, cuts = case
    events = events_of(table)
    question = plan(events, query, tick=tick)
    planned = MatchStream(question, Patience(2.0), WIDEST, groups)
    stream = Stream([planned.inlet()], planned.keeper, groups)
    rows = marked(question, table, groups).take(pa.array(order))
    for begin, end in pairwise(cuts):
        stream.turn(rows.slice(begin, end - begin))
    stream.turn(marked(question, pa.Table.from_pylist([END], table.schema), groups))
    expected, seen = found([wa.match(events, query, tick=tick)]), found(stream.results)
    assert not sum(map(len, stream.late))
    assert seen.keys() == expected.keys()
    for signature, row in expected.items():
        assert seen[signature].pop("confidence") == pytest.approx(row.pop("confidence"), abs=1e-9)
        assert seen[signature] == row
    assert stream.counts[-1]["buffered"] <= 1, "all that is past is forgotten, and only the last event is there"


def turn_by_turn(query, rows, delay=0.0):
    table = pa.Table.from_pylist([END | row for row in rows])
    question = plan(events_of(table), query)
    planned = MatchStream(question, Patience(delay), WIDEST, 1)
    stream = Stream([planned.inlet()], planned.keeper)
    emitted = []
    for place in range(len(rows)):
        stream.turn(marked(question, table.slice(place, 1), 1))
        emitted.append(sum(map(len, stream.results)))
    return emitted, stream


def test_any_match__comes_out_with_its_last_event():
    rows = [
        {"id": 1, "kind": "A", "lo": 0.0, "hi": 1.0}, {"id": 2, "kind": "B", "lo": 2.0, "hi": 3.0},
        {"id": 3, "kind": "Z", "lo": 50.0, "hi": 50.0},
    ]  # fmt: skip
    assert turn_by_turn("PATTERN SEQ(A a, B b) WITHIN 10 RETURN a", rows)[0] == [0, 1, 1]


def test_next_match__waits_until_no_event_can_come_between():
    """A later event that fits no component moves the clock, and sets the match free."""
    rows = [
        {"id": 1, "kind": "A", "lo": 0.0, "hi": 1.0}, {"id": 2, "kind": "B", "lo": 2.0, "hi": 3.0},
        {"id": 3, "kind": "Z", "lo": 6.0, "hi": 6.0}, {"id": 4, "kind": "Z", "lo": 6.1, "hi": 6.1},
    ]  # fmt: skip
    query = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match(a, b) WITHIN 10 RETURN a"
    assert turn_by_turn(query, rows)[0] == [0, 0, 0, 1]


def test_late_rows__are_set_aside():
    rows = [{"id": 1, "kind": "A", "lo": 9.0, "hi": 9.0}, {"id": 2, "kind": "B", "lo": 2.0, "hi": 3.0}]
    _, stream = turn_by_turn("PATTERN SEQ(A a, B b) WITHIN 10 RETURN a", rows, delay=1.0)
    assert [table.column("id").to_pylist() for table in stream.late if len(table)] == [[2]]


def test_state_of_another_query__is_refused():
    rows = [{"id": 1, "kind": "A", "lo": 0.0, "hi": 1.0}]
    _, stream = turn_by_turn("PATTERN SEQ(A a, B b) WITHIN 10 RETURN a", rows)
    question = plan(events_of(pa.Table.from_pylist([END])), "PATTERN SEQ(A a, C b) WITHIN 10 RETURN a")
    other = MatchStream(question, Patience(0.0), WIDEST, 1).keeper()
    with pytest.raises(StateMismatch, match="query: the checkpoint has"):
        other.restore(stream.snapshots[0])
