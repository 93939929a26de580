"""The public face of patterns: frames of any kind, options, what is returned, and what is refused."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.query import parse_pattern

START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
LOG = pa.table(
    {
        "id": ["s", "c", "f"],
        "kind": ["Start", "CPU", "Finish"],
        "node": [1, 1, 1],
        "lo": pa.array([START + dt.timedelta(seconds=s) for s in (0, 2, 9)], pa.timestamp("us", "UTC")),
        "hi": pa.array([START + dt.timedelta(seconds=s) for s in (4, 6, 9)], pa.timestamp("us", "UTC")),
    }
)
QUERY = "PATTERN SEQ(Start a, CPU b, Finish c) WHERE [node] WITHIN 15 seconds"
SURE = 1 - (2 * 2 / 2) / 16


def events(data=LOG, **options):
    return wa.events(data, **{"id": "id", "time": wa.between("lo", "hi"), "type": "kind"} | options)


def test_match__returns_all_present_variables_where_nothing_is_said():
    found = wa.match(events(), QUERY)
    assert found.column_names == ["signature", "earliest", "latest", "confidence", "a", "b", "c"]
    (row,) = found.to_pylist()
    assert row["signature"] == ["s", "c", "f"]
    assert row["confidence"] == pytest.approx(SURE)
    assert (row["earliest"], row["latest"]) == (START, START + dt.timedelta(seconds=9))
    assert row["b"] == LOG.to_pylist()[1]


def test_match__returns_what_was_asked_for_under_its_name():
    found = wa.match(events(), QUERY + " RETURN c, a.node, b.lo AS when")
    assert found.column_names == ["signature", "earliest", "latest", "confidence", "c", "a_node", "when"]
    assert found["when"].type == LOG["lo"].type


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_match__gives_back_the_kind_of_frame_that_went_in(library):
    data = LOG.to_pandas() if library == "pandas" else pytest.importorskip("polars").from_arrow(LOG)
    found = wa.match(events(data), QUERY + " RETURN b.node AS node")
    assert type(found).__module__.startswith(library)
    assert found["confidence"][0] == pytest.approx(SURE)


def test_match__takes_a_pattern_that_was_read_before():
    assert wa.match(events(), parse_pattern(QUERY)).equals(wa.match(events(), QUERY))


def test_min_confidence_and_top__choose_the_surest():
    many = pa.concat_tables([LOG, LOG.set_column(0, "id", pa.array(["s2", "c2", "f2"]))])
    everything = sorted(wa.match(events(many), QUERY)["confidence"].to_pylist(), reverse=True)
    assert len(everything) == 8
    assert wa.match(events(many), QUERY, top=3)["confidence"].to_pylist() == pytest.approx(everything[:3])
    assert len(wa.match(events(many), QUERY, min_confidence=SURE)) == 8, "a confidence that equals the threshold counts"
    assert len(wa.match(events(many), QUERY, min_confidence=SURE + 1e-6)) == 0


def test_rows_that_fit_nothing__may_be_bad():
    other = pa.Table.from_pylist([{"id": None, "kind": "Other", "node": 1, "lo": None, "hi": None}], LOG.schema)
    assert len(wa.match(events(pa.concat_tables([LOG, other])), QUERY)) == 1
    bad = other.set_column(1, "kind", pa.array(["CPU"]))
    with pytest.raises(wa.WhenaboutsError, match="'lo' is null: 1 row"):
        wa.match(events(pa.concat_tables([LOG, bad])), QUERY)
    stats = wa.Stats()
    assert len(wa.match(events(pa.concat_tables([LOG, bad]), bad_rows="quarantine"), QUERY, stats=stats)) == 1
    assert stats.rejected == 1


def test_no_events__have_no_matches():
    found = wa.match(events(LOG.slice(0, 0)), QUERY)
    assert len(found) == 0
    assert found.schema == wa.match(events(), QUERY).schema


def test_whole_numbers__may_be_types():
    numbered = LOG.set_column(1, "kind", pa.array([1, 2, 3]))
    assert len(wa.match(events(numbered), "PATTERN SEQ(`1` a, `2` b) WITHIN 15 seconds")) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"query": "PATTERN SEQ(Start a, CPU b) WHERE a.nod = 1"}, "'nod' is no column of the events"),
        ({"query": "PATTERN SEQ(Start a, CPU b) WITHIN 5"}, "WITHIN is the number 5, but the times are timestamps"),
        ({"min_confidence": 1.5}, r"min_confidence must be in \[0, 1\], not 1.5"),
        ({"min_confidence": True}, "not True"),
        ({"top": 0}, "top must be a whole number of 1 or more"),
        ({"top": 2**31}, r"below 2\^31, not 2147483648"),
        ({"top": 1.5}, "top must be a whole number of 1 or more"),
        ({"tick": "0s"}, "tick must be more than zero"),
        ({"tick": 5}, "tick is the number 5, but the times are timestamps"),
        ({"method": "sort"}, "Did you mean 'sorted'?"),
        ({"method": "point"}, "continuous times have too many"),
        ({"side_output": True}, "side_output is for streams"),
        ({"events": LOG}, "must be made by wa.events"),
        ({"query": 7}, "A query is a text, not int"),
    ],
)
def test_bad_arguments__are_told_in_words(change, words):
    arguments = {"events": events(), "query": QUERY} | change
    with pytest.raises(wa.WhenaboutsError, match=words):
        wa.match(arguments.pop("events"), arguments.pop("query"), **arguments)


def test_types__need_a_column_of_types():
    with pytest.raises(wa.BadQuery, match=r"'Start' is a type of events, but these have none: name their column"):
        wa.match(events(type=None), QUERY)
    with pytest.raises(wa.BadQuery, match="must hold text or whole numbers, not timestamp"):
        wa.match(events(type="lo"), QUERY)
    assert len(wa.match(events(type=None), "PATTERN SEQ(ANY a, ANY b) WITHIN 15 seconds")) == 4


def test_explain__tells_keys_conditions_and_the_method():
    text = str(wa.explain(wa.match, events(), QUERY + " RETURN a", min_confidence=0.5, tick="1s"))
    for words in (
        "a.node = b.node = c.node",
        "kind = 'CPU'",
        "last - first < 15s",
        ">= 0.5",
        "method",
        "ticks of 1e+06",
    ):
        assert words in text
    with pytest.raises(wa.WhenaboutsError, match=r"wa\.match has no option 'mehtod'\. Did you mean 'method'"):
        wa.explain(wa.match, events(), QUERY, mehtod="auto")
