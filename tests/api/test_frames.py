"""Arrow, Polars and pandas: each goes in as it is, and the result is of the kind that went in."""

import pandas as pd
import pyarrow as pa
import pytest

import whenabouts as wa
from tests.agreement import pairs_of
from whenabouts.errors import WrongType

pl = pytest.importorskip("polars")

COLUMNS = {
    "id": [1, 2, 3],
    "name": ["a", "b", None],
    "lo": [0.0, 50.0, 100.0],
    "hi": [10.0, 60.0, 90.0],
}
KINDS = {
    "pyarrow table": (lambda table: table, pa.Table),
    "pyarrow batch": (lambda table: table.to_batches()[0], pa.Table),
    "pyarrow reader": (lambda table: table.to_reader(), pa.Table),
    "polars": (pl.from_arrow, pl.DataFrame),
    "pandas": (lambda table: table.to_pandas(), pd.DataFrame),
    "pandas with an index": (
        lambda table: table.to_pandas().set_index(pd.Index(range(7, 7 + len(table)))),
        pd.DataFrame,
    ),
    "pandas on Arrow": (lambda table: table.to_pandas(types_mapper=pd.ArrowDtype), pd.DataFrame),
}


def as_arrow(frame) -> pa.Table:
    return frame if isinstance(frame, pa.Table) else pa.table(frame)


@pytest.mark.parametrize(("convert", "kind"), KINDS.values(), ids=KINDS)
def test_frame__comes_back_as_the_kind_that_went_in(convert, kind):
    frame = convert(pa.table(COLUMNS))
    events = wa.events(frame, id="id", time=wa.between("lo", "hi"), bad_rows="quarantine")
    result = wa.timing_join(events, events, wa.within(100), min_confidence=0.5, left_columns=["name"])
    assert isinstance(result, kind)
    assert as_arrow(result).column_names == ["left_id", "right_id", "confidence", "left_name"]
    assert pairs_of(as_arrow(result)) == {(1, 1): 1.0, (1, 2): 1.0, (2, 1): 1.0, (2, 2): 1.0}
    assert sorted(as_arrow(result)["left_name"].to_pylist()) == ["a", "a", "b", "b"]
    rejected = events.rejected
    assert isinstance(rejected, kind)
    rows = as_arrow(rejected).to_pylist()
    assert [(row["id"], row["reason"]) for row in rows] == [(3, "'lo' is after 'hi'")]


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_frames__of_two_kinds_meet_and_the_left_one_gives_the_kind(one, other):
    table = pa.table(COLUMNS).slice(0, 2)
    frames = [KINDS[kind][0](table) for kind in (one, other)]
    left, right = (wa.events(frame, id="name", time=wa.between("lo", "hi")) for frame in frames)
    result = wa.timing_join(left, right, wa.within(5), min_confidence=0.5, by="name")
    assert isinstance(result, KINDS[one][1])
    assert set(pairs_of(as_arrow(result))) == {("a", "a"), ("b", "b")}


def test_table__in_chunks_is_read_as_one():
    pieces = [pa.table({"id": [k], "lo": [10.0 * k], "hi": [10.0 * k + 1], "key": ["x"]}) for k in range(6)]
    chunked, whole = pa.concat_tables(pieces), pa.concat_tables(pieces).combine_chunks()
    assert chunked["lo"].num_chunks == 6
    results = []
    for table in (chunked, whole):
        events = wa.events(table, id="id", time=wa.between("lo", "hi"))
        results.append(
            wa.timing_join(events, events, wa.within(12), min_confidence=0.5, by="key", right_columns=["key"])
        )
    assert results[0].combine_chunks() == results[1].combine_chunks()
    assert len(results[0]) == 16


def test_table__sliced_from_a_larger_one_is_read_from_its_own_rows():
    table = pa.table(
        {"id": [9, 1, 2, 9], "e": [[0.0, 9.0], [1.0, 3.0], [4.0, 4.0], [0.0, 9.0]], "m": [[1.0], [1.0], [1.0], [1.0]]}
    ).slice(1, 2)
    events = wa.events(table, id="id", time=wa.histogram("e", "m"))
    assert pairs_of(wa.timing_join(events, events, wa.within(0), min_confidence=0.5)) == {(2, 2): 1.0}


def test_array_columns__may_be_of_fixed_size_or_large():
    for kind in (pa.list_(pa.float64(), 2), pa.large_list(pa.float64()), pa.list_(pa.float32())):
        table = pa.table(
            {"id": [1, 2], "p": pa.array([[0, 4], [4, 9]], kind), "m": pa.array([[0.5, 0.5], [0.25, 0.75]], kind)}
        )
        events = wa.events(table, id="id", time=wa.pmf("p", "m"))
        assert pairs_of(wa.timing_join(events, events, wa.within(0), min_confidence=0.01)) == {
            (1, 1): 0.5, (2, 2): 0.625, (1, 2): 0.125, (2, 1): 0.125,
        }  # fmt: skip


@pytest.mark.parametrize("columns", [("p", wa.pmf), ("e", wa.histogram)], ids=["pmf", "histogram"])
def test_masses__that_sum_to_one_but_for_rounding_are_scaled_to_it(columns):
    """0.999 of 1 + 9e-10 is less than the 0.999 + 9e-10 that stands there."""
    name, model = columns
    moments = [0.0, 50.0] if name == "p" else [0.0, 1.0, 50.0]
    table = pa.table({"id": [1], name: [moments], "m": [[0.999 + 9e-10, 0.001]]})
    events = wa.events(table, id="id", time=model(name, "m"))
    one = wa.events(pa.table({"id": [0], "t": [1.0]}), id="id", time=wa.at("t"))
    for strategy in ("auto", "simple"):
        ask = {"predicate": wa.deadline(0), "strategy": strategy}
        assert len(wa.timing_join(one, events, **ask, min_confidence=0.999)) == 1
        assert len(wa.timing_join(one, events, **ask, min_confidence=0.999 + 5e-10)) == 0


def test_masses__may_be_whole_numbers():
    events = wa.events(pa.table({"id": [1], "p": [[3]], "m": [[1]]}), id="id", time=wa.pmf("p", "m"))
    assert pairs_of(wa.timing_join(events, events, wa.within(0), min_confidence=1.0)) == {(1, 1): 1.0}


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint32(), pa.uint64(), pa.float16(), pa.float32()],
    ids=str,
)
def test_times__may_be_numbers_of_any_width(kind):
    events = wa.events(pa.table({"id": [1, 2], "t": pa.array([0, 9]).cast(kind)}), id="id", time=wa.at("t"))
    assert set(pairs_of(wa.timing_join(events, events, wa.within(3), min_confidence=1.0))) == {(1, 1), (2, 2)}


def test_times__that_are_too_large_to_be_exact_are_refused_and_not_wrapped_around():
    huge = pa.array([0, 2**64 - 1], pa.uint64())
    events = wa.events(pa.table({"id": [1, 2], "t": huge}), id="id", time=wa.at("t"), bad_rows="quarantine")
    assert events.rejected.to_pylist() == [{"id": 2, "t": 2**64 - 1, "reason": "'t' is too large to be exact"}]
    assert set(pairs_of(wa.timing_join(events, events, wa.within(3), min_confidence=1.0))) == {(1, 1)}


def test_times__as_wide_as_integers_go_do_not_overflow():
    lo, hi = -(2**62) + 1, 2**62 - 1
    events = wa.events(pa.table({"id": [1], "lo": [lo], "hi": [hi]}), id="id", time=wa.between("lo", "hi"))
    middle = wa.events(pa.table({"id": [2], "t": [0]}), id="id", time=wa.at("t"))
    assert pairs_of(wa.timing_join(events, middle, wa.deadline(0), min_confidence=0.1)) == {(1, 2): pytest.approx(0.5)}
    edge = wa.events(
        pa.table({"id": [1], "lo": [-(2**62)], "hi": [2**62]}),
        id="id",
        time=wa.between("lo", "hi"),
        bad_rows="quarantine",
    )
    found = pairs_of(wa.timing_join(edge, middle, wa.deadline(0), min_confidence=0.1))
    assert found == ({} if edge.rejected.num_rows else {(1, 2): pytest.approx(0.5)})


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_text__of_any_layout_serves_as_id_as_key_and_as_sensor(kind):
    text = (
        pa.array(["a", "b", "a"]).cast(kind)
        if not pa.types.is_dictionary(kind)
        else pa.array(["a", "b", "a"]).dictionary_encode().cast(kind)
    )
    table = pa.table({"id": [1, 2, 3], "t": [0.0, 0.0, 0.0], "s": text})
    plain = pa.table({"id": [7, 8], "t": [0.0, 0.0], "s": ["b", "a"]})
    right = wa.events(plain, id="id", time=wa.at("t"))
    keyed = wa.timing_join(wa.events(table, id="id", time=wa.at("t")), right, wa.within(0), min_confidence=1.0, by="s")
    assert set(pairs_of(keyed)) == {(1, 8), (2, 7), (3, 8)}
    named = wa.timing_join(wa.events(table, id="s", time=wa.at("t")), right, wa.within(0), min_confidence=1.0)
    assert sorted(named["left_id"].to_pylist()) == ["a", "a", "a", "a", "b", "b"]
    latency = {"a": wa.Histogram([0, 0], [1]), "b": wa.Histogram([5, 5], [1])}
    sensed = wa.events(table, id="id", time=wa.detected("t", latency, by="s"))
    assert set(pairs_of(wa.timing_join(sensed, right, wa.within(0), min_confidence=1.0))) == {
        (1, 7), (1, 8), (3, 7), (3, 8),
    }  # fmt: skip


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_unique_ids__are_looked_for_in_any_type_of_id_and_beside_nulls(kind):
    values = [1, 2, 2, None] if kind == pa.int64() else ["1", "2", "2", None]
    ids = pa.array(values)
    ids = ids.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else ids.cast(kind)
    events = wa.events(
        pa.table({"id": ids, "t": [0] * 4}), id="id", time=wa.at("t"), unique_ids=True, bad_rows="quarantine"
    )
    assert events.rejected["reason"].to_pylist() == ["'id' is not unique", "'id' is not unique", "'id' is null"]


@pytest.mark.parametrize("data", [{"id": [1]}, [1, 2], "events.csv", None], ids=repr)
def test_events__refuses_what_is_no_frame(data):
    with pytest.raises(TypeError, match=r"speak the Arrow C stream interface .*not (dict|list|str|NoneType)"):
        wa.events(data, id="id", time=wa.at("t"))


def test_polars__categories_and_nested_text_join_are_carried_and_come_back():
    """Polars hands their text out as views, which Arrow can neither take nor compare."""
    frame = pl.DataFrame(
        {"id": ["a", "b", None], "t": [0, 50, 99], "words": [["x"], ["y", "z"], []], "pair": [{"one": "x"}] * 3},
    ).with_columns(
        kind=pl.Series(["u", "v", "v"], dtype=pl.Categorical), level=pl.Series(["v"] * 3, dtype=pl.Enum(["v"]))
    )
    events = wa.events(frame, id="id", time=wa.at("t"), bad_rows="quarantine")
    carried = ["words", "pair", "kind", "level"]
    options = {"min_confidence": 1.0, "by": {"kind": "level"}, "left_columns": carried}
    pairs = wa.timing_join(events, events, wa.within(0), **options)
    expected = {"words": ["y", "z"], "pair": {"one": "x"}, "kind": "v", "level": "v"}
    assert pairs.select([f"left_{name}" for name in carried]).rows() == [tuple(expected.values())]
    assert events.rejected["t"].to_list() == [99]


def test_pandas__keeps_large_integers_beside_a_null_exact():
    """As floats, which pandas has for integers with a gap, they would lose digits."""
    frame = pd.DataFrame({"id": [1, 2], "t": [0.0, 50.0], "n": pd.array([2**60 + 1, None], dtype="Int64")})
    events = wa.events(frame, id="id", time=wa.at("t"))
    pairs = wa.timing_join(events, events, wa.within(1), min_confidence=1.0, left_columns=["n"])
    assert sorted(pairs["left_n"].dropna()) == [2**60 + 1]


def test_pandas__column_of_mixed_values_is_refused_by_its_name():
    with pytest.raises(WrongType, match=r"cannot be read as Arrow.*column mixed"):
        wa.events(pd.DataFrame({"id": [1, 2], "t": [0.0, 1.0], "mixed": [1, "x"]}), id="id", time=wa.at("t"))
