"""Rows that break the contract: raised with column, count, example and remedy, or set aside with their reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.errors import BadArgument, BadRows, DuplicateIds

TEMPLATES = {"good": wa.Histogram([0, 2], [1])}
ARRAY = pa.list_(pa.float64())


@dataclass
class Case:
    """Three good rows at about 10, then bad ones: what the columns hold, and what is to be said about it."""

    model: Any
    good: dict[str, Any]
    bad: list[dict[str, Any]]
    reason: str
    example: str
    remedy: str
    ids: list[Any] = field(default_factory=lambda: [1, 2, 3])
    bad_ids: list[Any] | None = None
    types: dict[str, pa.DataType] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    error: type[Exception] = BadRows

    @property
    def table(self) -> pa.Table:
        bad_ids = self.bad_ids if self.bad_ids is not None else [100 + k for k in range(len(self.bad))]
        columns = {
            name: pa.array([value] * len(self.ids) + [row.get(name, value) for row in self.bad], self.types.get(name))
            for name, value in self.good.items()
        }
        return pa.table({"id": pa.array(self.ids + bad_ids), **columns})


BETWEEN = {"model": wa.between("lo", "hi"), "good": {"lo": 9.0, "hi": 11.0}}
AT = {"model": wa.at("t"), "good": {"t": 10.0}}
AROUND = {"model": wa.around("t", "d"), "good": {"t": 10.0, "d": 1.0}}
HISTOGRAM = {
    "model": wa.histogram("edges", "mass"),
    "good": {"edges": [9.0, 10.0, 11.0], "mass": [0.5, 0.5]},
    "types": {"edges": ARRAY, "mass": ARRAY},
}
PMF = {
    "model": wa.pmf("points", "mass"),
    "good": {"points": [9.0, 11.0], "mass": [0.5, 0.5]},
    "types": {"points": ARRAY, "mass": ARRAY},
}
FILL = "Fill it in, or filter these rows out"

CASES = {
    "lo > hi": Case(
        **BETWEEN, bad=[{"lo": 12.0}, {"lo": 99.0}], reason="'lo' is after 'hi'", example="id=100, lo=12.0, hi=11.0",
        remedy="Swap the two ends",
    ),
    "NaN": Case(**AT, bad=[{"t": math.nan}], reason="'t' is NaN", example="id=100, t=nan", remedy="Filter these rows"),
    "infinite": Case(
        **BETWEEN, bad=[{"hi": math.inf}] * 2, reason="'hi' is infinite", example="id=100, lo=9.0, hi=inf",
        remedy="Give the row a finite bound",
    ),
    "minus infinite": Case(
        **BETWEEN, bad=[{"lo": -math.inf}], reason="'lo' is infinite", example="lo=-inf", remedy="a finite bound"
    ),
    "null id": Case(**AT, bad=[{}, {}], bad_ids=[None, None], reason="'id' is null", example="id=None", remedy=FILL),
    "null text id": Case(
        **AT, ids=["a", "b", "c"], bad=[{}], bad_ids=[None], reason="'id' is null", example="id=None", remedy=FILL
    ),
    "null time": Case(**AT, bad=[{"t": None}], reason="'t' is null", example="id=100, t=None", remedy=FILL),
    "null end": Case(**BETWEEN, bad=[{"hi": None}], reason="'hi' is null", example="hi=None", remedy=FILL),
    "null integer": Case(
        model=wa.at("t"), good={"t": 10}, bad=[{"t": None}], reason="'t' is null", example="t=None", remedy=FILL
    ),
    "negative margin": Case(
        **AROUND, bad=[{"d": -1.0}], reason="'d' is negative", example="id=100, t=10.0, d=-1.0",
        remedy="A margin is a length",
    ),
    "null margin": Case(**AROUND, bad=[{"d": None}], reason="'d' is null", example="d=None", remedy=FILL),
    "NaN margin": Case(
        **AROUND, bad=[{"d": math.nan}], reason="'d' is NaN", example="d=nan", remedy="Filter these rows"
    ),
    "negative mass": Case(
        **HISTOGRAM, bad=[{"mass": [1.5, -0.5]}], reason="'mass' holds a negative mass",
        example="id=100, edges=[9.0, 10.0, 11.0], mass=[1.5, -0.5]", remedy="make them zero or more",
    ),
    "negative mass of a pmf": Case(
        **PMF, bad=[{"mass": [1.5, -0.5]}], reason="'mass' holds a negative mass", example="points=[9.0, 11.0]",
        remedy="make them zero or more",
    ),
    "masses that do not sum to 1": Case(
        **HISTOGRAM, bad=[{"mass": [0.5, 0.4]}, {"mass": [0.5, 0.5 + 1e-8]}], reason="'mass' does not sum to 1",
        example="mass=[0.5, 0.4]", remedy="Divide the row's masses by their sum",
    ),
    "masses of a pmf that do not sum to 1": Case(
        **PMF, bad=[{"mass": [0.0, 0.0]}], reason="'mass' does not sum to 1", example="mass=[0.0, 0.0]", remedy="Divide"
    ),
    "NaN mass": Case(
        **PMF, bad=[{"mass": [math.nan, 1.0]}], reason="'mass' holds NaN or infinity", example="mass=[nan, 1.0]",
        remedy="Filter these rows",
    ),
    "unsorted edges": Case(
        **HISTOGRAM, bad=[{"edges": [9.0, 12.0, 11.0]}], reason="'edges' is not sorted",
        example="edges=[9.0, 12.0, 11.0]", remedy="Sort the edges",
    ),
    "infinite edge": Case(
        **HISTOGRAM, bad=[{"edges": [9.0, 10.0, math.inf]}], reason="'edges' holds NaN or infinity", example="inf]",
        remedy="Filter these rows",
    ),
    "NaN point": Case(
        **PMF, bad=[{"points": [math.nan, 1.0]}], reason="'points' holds NaN or infinity", example="points=[nan, 1.0]",
        remedy="Filter these rows",
    ),
    "null array": Case(**HISTOGRAM, bad=[{"edges": None}], reason="'edges' is null", example="edges=None", remedy=FILL),
    "null masses": Case(**PMF, bad=[{"mass": None}], reason="'mass' is null", example="mass=None", remedy=FILL),
    "null within an array": Case(
        **PMF, bad=[{"points": [9.0, None]}], reason="'points' holds a null", example="points=[9.0, None]", remedy=FILL
    ),
    "empty arrays": Case(
        **PMF, bad=[{"points": [], "mass": []}], reason="'mass' is empty", example="points=[], mass=[]",
        remedy="needs at least one bucket or point",
    ),
    "too few edges": Case(
        **HISTOGRAM, bad=[{"edges": [9.0, 11.0]}], reason="'edges' does not have one more entry than 'mass'",
        example="edges=[9.0, 11.0]", remedy="A histogram of n buckets has n",
    ),
    "too many points": Case(
        **PMF, bad=[{"points": [9.0, 10.0, 11.0]}], reason="'points' does not have as many entries as 'mass'",
        example="points=[9.0, 10.0, 11.0]", remedy="a pmf has as many points as masses",
    ),
    "unknown template": Case(
        model=wa.detected("t", TEMPLATES, by="sensor"), good={"t": 11.0, "sensor": "good"},
        bad=[{"sensor": "god"}, {"sensor": ""}], reason="'sensor' names no latency histogram",
        example="id=100, t=11.0, sensor='god'", remedy="Add the name to latency=",
    ),
    "null template": Case(
        model=wa.detected("t", TEMPLATES, by="sensor"), good={"t": 11.0, "sensor": "good"}, bad=[{"sensor": None}],
        reason="'sensor' is null", example="sensor=None", remedy=FILL,
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def ten(engine):
    return engine.events(pa.table({"id": [0], "t": [10.0]}), id="id", time=wa.at("t"))


@EACH
def test_bad_rows__raise_with_column_count_example_and_remedy(engine, case):
    events = engine.events(case.table, id="id", time=case.model, **case.options)
    for sides, role in (((events, ten(engine)), "left"), ((ten(engine), events), "right")):
        with engine.raises(case.error, match="(?s)cannot be used") as caught:
            engine.join(*sides, wa.within(5), min_confidence=0.5)
        message = str(caught.value)
        count = "1 row" if len(case.bad) == 1 else f"{len(case.bad)} rows"
        for words in (
            f"{count} of the {role} events",
            f"{case.reason}: {count}",
            case.example,
            case.remedy,
            "quarantine",
        ):
            assert words in message, message


@EACH
def test_bad_rows__in_quarantine_leave_the_good_ones_alone_and_come_back_with_a_reason(engine, case):
    table = case.table
    events = engine.events(table, id="id", time=case.model, bad_rows="quarantine", **case.options)
    stats = wa.Stats()
    joined = engine.join(ten(engine), events, wa.within(5), min_confidence=0.5, stats=stats)
    assert set(joined) == {(0, good) for good in case.ids}
    assert (stats.rejected, stats.right_rows) == (len(case.bad), len(case.ids))
    rejected = engine.collect(events.rejected)
    assert rejected.column_names == [*table.column_names, "reason"]
    assert set(rejected["reason"].to_pylist()) == {case.reason}
    expected = table.slice(len(case.ids)).to_pylist()
    assert_same_rows(rejected.drop_columns(["reason"]).to_pylist(), expected)


def assert_same_rows(got, expected) -> None:
    """The same rows in any order, NaN being itself."""
    assert sorted(map(repr, got)) == sorted(map(repr, expected))


def test_bad_rows__of_several_kinds_are_all_told_at_once(engine):
    table = pa.table({"id": [1, None, 3, 4, 5], "lo": [9.0, 9.0, 12.0, math.nan, None], "hi": [11.0] * 5})
    events = engine.events(table, id="id", time=wa.between("lo", "hi"))
    with engine.raises(BadRows, match="(?s)4 rows of the left events cannot be used") as caught:
        engine.join(events, ten(engine), wa.within(5), min_confidence=0.5)
    for reason in ("'id' is null: 1 row", "'lo' is after 'hi': 1 row", "'lo' is NaN: 1 row", "'lo' is null: 1 row"):
        assert reason in str(caught.value)


def test_bad_rows__with_several_faults_are_told_by_one_of_them(engine):
    table = pa.table({"id": [1, None], "lo": [9.0, math.nan], "hi": [11.0, math.inf]})
    events = engine.events(table, id="id", time=wa.between("lo", "hi"), bad_rows="quarantine")
    rejected = engine.collect(events.rejected)
    assert rejected.num_rows == 1
    assert rejected["reason"][0].as_py() in ("'id' is null", "'lo' is NaN", "'hi' is infinite")


def test_bad_rows__may_be_all_rows(engine):
    events = engine.events(
        pa.table({"id": [1, 2], "t": [math.nan, math.nan]}), id="id", time=wa.at("t"), bad_rows="quarantine"
    )
    assert engine.join(events, ten(engine), wa.within(5), min_confidence=0.5) == {}
    assert engine.collect(events.rejected)["id"].to_pylist() == [1, 2]


def test_rejected__is_empty_where_all_rows_are_good(engine):
    rejected = engine.collect(ten(engine).rejected)
    assert rejected.num_rows == 0
    assert rejected.column_names == ["id", "t", "reason"]


def test_unique_ids__refuse_every_row_of_a_repeated_id_only_when_asked(engine):
    table = pa.table({"id": [1, 2, 2, 3], "t": [10.0] * 4})
    relaxed = engine.events(table, id="id", time=wa.at("t"))
    assert engine.collect(relaxed.rejected).num_rows == 0
    strict = engine.events(table, id="id", time=wa.at("t"), unique_ids=True)
    with engine.raises(
        DuplicateIds, match="(?s)'id' is not unique: 2 rows, for example id=2.*Give every event its own id"
    ):
        engine.join(strict, ten(engine), wa.within(5), min_confidence=0.5)
    aside = engine.events(table, id="id", time=wa.at("t"), unique_ids=True, bad_rows="quarantine")
    assert set(engine.join(aside, ten(engine), wa.within(5), min_confidence=0.5)) == {(1, 0), (3, 0)}
    assert engine.collect(aside.rejected)["id"].to_pylist() == [2, 2]


def test_quarantine__keeps_large_ids_exact_beside_a_null_one(engine):
    """A column with a null must not pass through floating point: 2**60 + 1 has no float."""
    ids = [2**60 + 1, None, -(2**60) - 1]
    events = engine.events(
        pa.table({"id": pa.array(ids, pa.int64()), "t": [10.0] * 3}), id="id", time=wa.at("t"), bad_rows="quarantine"
    )
    for strategy in ("auto", "eager"):
        joined = engine.join(events, ten(engine), wa.within(5), min_confidence=0.5, strategy=strategy)
        assert set(joined) == {(2**60 + 1, 0), (-(2**60) - 1, 0)}


def test_rejected__does_not_hide_a_reason_that_the_data_has():
    events = wa.events(pa.table({"id": [1], "t": [math.nan], "reason": ["mine"]}), id="id", time=wa.at("t"))
    with pytest.raises(BadArgument, match="the data has one already"):
        _ = events.rejected


def test_quarantine__loses_no_row_that_only_the_clock_of_the_other_side_refuses():
    """In nanoseconds, which the other side counts, the year 2200 is beyond reach; `rejected` cannot know of it."""
    late = wa.events(
        pa.table({"id": [1], "t": pa.array([7_258_118_400], pa.timestamp("s"))}),
        id="id", time=wa.at("t"), bad_rows="quarantine",
    )  # fmt: skip
    fine = wa.events(pa.table({"id": [1], "t": pa.array([0], pa.timestamp("ns"))}), id="id", time=wa.at("t"))
    for sides in ((late, fine), (fine, late)):
        with pytest.raises(BadRows, match=r"(?s)too large to be exact: 1 row.*only beside the times of the other side"):
            wa.timing_join(*sides, wa.within("1s"), min_confidence=0.5)
