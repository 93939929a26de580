"""Interval queries on every engine."""

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa

SHARING = "AT LEAST 2 a INTERSECTS SOME b"


def events(keys, seed, loss=0.3, whole=True):
    """Sequences of up to six segments with lost events inside; whole numbers, so that the sides often meet."""
    rng = np.random.default_rng(seed)
    rows = []
    for key in keys:
        count = 2 * int(rng.integers(1, 7))
        times = np.cumsum(rng.integers(1, 5, count)) + (0 if whole else 0.5)
        rows += [
            (key, n + 1, int(t)) for n, t in enumerate(times) if n in (0, count - 1) or rng.random() >= loss
        ]  # fmt: skip
    key, seq, time = zip(*rows, strict=True)
    return pa.table({"sector": key, "n": pa.array(seq, pa.int64()), "t": pa.array(time, pa.int64())})


LEFT, RIGHT = events([f"l{k}" for k in range(7)], 1), events([f"r{k}" for k in range(5)], 2)


def frame(engine, table):
    return table if engine.name == "process" else engine.session.createDataFrame(table)


def segments(engine, table, **options):
    return wa.segments(frame(engine, table), **{"key": "sector", "seq": "n", "time": "t", **options})


def ask(engine, query=SHARING, left=LEFT, right=RIGHT, **options):
    result = engine.collect(wa.interval_query(segments(engine, left), segments(engine, right), query, **options))
    return {(row["left_key"], row["right_key"]): row.get("confidence") for row in result.to_pylist()}


def here(query=SHARING, **options):
    made = [wa.segments(table, key="sector", seq="n", time="t") for table in (LEFT, RIGHT)]
    result = wa.interval_query(*made, query, **options)
    return {(row["left_key"], row["right_key"]): row.get("confidence") for row in result.to_pylist()}


@pytest.mark.parametrize("query", [SHARING, "EVERY b DURING OR EQUALS SOME a"])
def test_interval_query__gives_every_pair_on_every_engine(engine, query):
    found = ask(engine, query)
    assert len(found) == 35
    assert found == here(query)


def test_interval_query__keeps_pairs_that_reach_the_threshold(engine):
    full = here()
    assert ask(engine, min_confidence=0.4) == {pair: p for pair, p in full.items() if p >= 0.4 - 1e-12}
    without = ask(engine, min_confidence=0.4, confidence=False)
    assert without == {pair: None for pair, p in full.items() if p >= 0.4 - 1e-12}


def test_interval_query__looks_at_the_pairs_that_are_given(engine):
    wanted = pa.table({"left_key": ["l3", "l1", "l1", "nobody"], "right_key": ["r0", "r4", "r0", "r0"]})
    full = here()
    expected = {pair: full[pair] for pair in (("l3", "r0"), ("l1", "r4"), ("l1", "r0"))}
    assert ask(engine, pairs=frame(engine, wanted)) == expected


def test_interval_query__takes_each_unordered_pair_of_one_set_once(engine):
    found = ask(engine, right=LEFT, pairs="unordered")
    assert len(found) == 21
    assert all(one < other for one, other in found)
    assert found == {pair: p for pair, p in ask(engine, right=LEFT).items() if pair[0] < pair[1]}


def test_interval_query__counts_what_it_did(engine):
    stats = wa.Stats()
    result = wa.interval_query(segments(engine, LEFT), segments(engine, RIGHT), SHARING, stats=stats)
    assert len(engine.collect(result)) == 35
    assert (stats.left_rows, stats.right_rows, stats.emitted, stats.rejected) == (len(LEFT), len(RIGHT), 35, 0)


def test_explain__shows_the_plan_before_anything_runs(engine):
    plan = str(wa.explain(wa.interval_query, segments(engine, LEFT), segments(engine, RIGHT), SHARING))
    assert "AT LEAST 2 a INTERSECTS SOME b" in plan
    assert "4 states at most" in plan
    assert ("blocks" in plan) == (engine.name == "spark")
    with pytest.raises(wa.WhenaboutsError, match="no option 'methode'"):
        wa.explain(wa.interval_query, segments(engine, LEFT), segments(engine, RIGHT), SHARING, methode="x")


def test_explain__makes_no_automaton_that_is_larger_than_any_key_can_reach():
    some = wa.segments(LEFT, key="sector", seq="n", time="t")
    plan = str(wa.explain(wa.interval_query, some, some, "AT LEAST 1000000 a INTERSECTS AT LEAST 1000000 b"))
    assert "more than 1,000 states" in plan


def test_bad_keys__stop_the_query_or_are_set_aside(engine):
    bad = pa.concat_tables([LEFT, pa.table({"sector": ["x", "x"], "n": [1, 2], "t": [5, 4]})])
    with engine.raises(wa.WhenaboutsError, match="does not come after"):
        ask(engine, left=bad)
    some = segments(engine, bad, bad_rows="quarantine")
    assert engine.collect(some.rejected).column("sector").to_pylist() == ["x", "x"]
    found = engine.collect(wa.interval_query(some, segments(engine, RIGHT), SHARING))
    assert len(found) == 35


@pytest.mark.spark
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_blocks__of_any_number_give_the_same_pairs(engine):
    from whenabouts.api.interval_query import plan_query
    from whenabouts.spark.interval_blocks import Blocks, plan_blocks
    from whenabouts.spark.interval_query import blocked_query

    left, right = segments(engine, LEFT), segments(engine, RIGHT)
    question = plan_query(left, right, SHARING, None, None, True, "lattice", None, None, None)
    stats = wa.Stats()
    rows = engine.collect(
        blocked_query(question, left.data, right.data, None, Blocks((0, 1, 2), (0, 1)), stats)
    ).to_pylist()
    assert {(row["left_key"], row["right_key"]): row["confidence"] for row in rows} == here()
    assert (stats.left_rows, stats.right_rows, stats.slices) == (len(LEFT), len(RIGHT), 6)
    assert plan_blocks(question, left.data, right.data).tasks == 1
    wanted = pa.table({"left_key": ["l3", "l1", "l6"], "right_key": ["r0", "r4", "r2"]})
    given = blocked_query(question, left.data, right.data, frame(engine, wanted), Blocks((0, 1, 1), (0, 1)))
    assert {(row["left_key"], row["right_key"]) for row in engine.collect(given).to_pylist()} == {
        ("l3", "r0"), ("l1", "r4"), ("l6", "r2")
    }  # fmt: skip


@pytest.mark.spark
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_blocks__take_the_two_sides_from_one_frame_that_is_read_once(engine):
    from whenabouts.api.interval_query import plan_query
    from whenabouts.spark.interval_blocks import Blocks
    from whenabouts.spark.interval_query import blocked_query

    some = segments(engine, LEFT)
    question = plan_query(some, some, SHARING, "unordered", None, True, "lattice", None, None, None)
    rows = engine.collect(blocked_query(question, some.data, some.data, None, Blocks((0, 1, 2), (1, 0)))).to_pylist()
    own = wa.segments(LEFT, key="sector", seq="n", time="t")
    expected = wa.interval_query(own, own, SHARING, pairs="unordered").to_pylist()
    by_pair = [{(row["left_key"], row["right_key"]): row["confidence"] for row in some} for some in (rows, expected)]
    assert by_pair[0] == by_pair[1]


def test_blocks__are_dealt_about_equal_weights():
    from whenabouts.spark.interval_blocks import heaviest_first

    weights = np.random.default_rng(3).integers(0, 225, 200).tolist()
    dealt = heaviest_first(weights, 8)
    loads = np.bincount(dealt, weights, 8)
    assert loads.max() - loads.min() <= 0.02 * loads.mean()


@pytest.mark.parametrize(
    ("asked", "shape"),
    [((4, 1.0, 200, 200), (2, 2)), ((16, 1.0, 1, 200), (1, 16)), ((16, 1.0, 200, 3), (8, 2)),
     ((16, 4.0, 99, 99), (8, 2)), ((64, 0.001, 5, 5), (4, 4)), ((1, 1.0, 0, 0), (1, 1))],
)  # fmt: skip
def test_blocks__are_as_many_as_the_work_is_worth_where_there_are_keys_enough(asked, shape):
    from whenabouts.spark.interval_blocks import shape_of

    assert shape_of(*asked) == shape


@pytest.mark.parametrize("method", ["lattice", "simpmatch", "sase", "ignore", "static"])
def test_methods__agree_where_nothing_was_lost(method):
    whole = [events([f"{side}{k}" for k in range(4)], seed, loss=0.0) for side, seed in (("l", 5), ("r", 6))]
    made = [wa.segments(table, key="sector", seq="n", time="t") for table in whole]
    assert wa.interval_query(*made, SHARING, method=method).equals(wa.interval_query(*made, SHARING))


def test_methods__simpmatch_agrees_with_the_lattice_and_the_others_are_less_sure_of_doubt():
    exact = here()
    assert here(method="simpmatch") == pytest.approx(exact, abs=1e-12)
    assert set(here(method="ignore").values()) | set(here(method="static").values()) <= {0.0, 1.0}
    assert all(0.0 <= p <= 1.0 for p in here(method="sase", delta=4).values())
    assert any(0.0 < p < 1.0 for p in exact.values())


def test_frames__of_any_library_come_back_as_what_they_were():
    polars = pytest.importorskip("polars")
    made = [wa.segments(polars.from_arrow(table), key="sector", seq="n", time="t") for table in (LEFT, RIGHT)]
    assert isinstance(wa.interval_query(*made, SHARING), polars.DataFrame)
    made = [wa.segments(table.to_pandas(), key="sector", seq="n", time="t") for table in (LEFT, RIGHT)]
    assert type(wa.interval_query(*made, SHARING)).__name__ == "DataFrame"


PROCESS = [wa.segments(table, key="sector", seq="n", time="t") for table in (LEFT, RIGHT)]


@pytest.mark.parametrize(
    ("query", "options", "words"),
    [
        ("AT LEAST 2 a TOUCHES SOME b", {}, "TOUCHES"),
        (SHARING, {"min_confidence": 0}, r"min_confidence must be in \(0, 1\]"),
        (SHARING, {"confidence": False}, "needs min_confidence"),
        (SHARING, {"method": "simpmach"}, "Did you mean 'simpmatch'"),
        (SHARING, {"method": "simpmatch", "max_nodes": 5}, "more than 5 nodes"),
        (SHARING, {"method": "sase", "delta": "2s"}, "plain numbers"),
        (SHARING, {"method": "sase", "delta": 0.5}, "at least one step"),
        (SHARING, {"pairs": "all"}, "unordered"),
        (SHARING, {"emit": "updates"}, "are for streams"),
        (SHARING, {"timeout": 5}, "are for streams"),
        (SHARING, {"pairs": pa.table({"left_key": [1], "right_key": ["r0"]})}, "'left_key' is int64"),
        (SHARING, {"pairs": pa.table({"left": [1]})}, "'left_key' is not in pairs"),
    ],
)
def test_bad_argument__is_told(query, options, words):
    with pytest.raises(wa.WhenaboutsError, match=words):
        wa.interval_query(*PROCESS, query, **options)


def test_sides__must_be_segments():
    with pytest.raises(wa.WhenaboutsError, match=r"left must be made by wa.segments"):
        wa.interval_query(LEFT, PROCESS[1], SHARING)


def test_lost_ends_without_bounds__are_refused_by_the_tree_and_beside_uncertain_times():
    open_end = wa.segments(LEFT, key="sector", seq="n", time="t", expected=40)
    with pytest.raises(wa.WhenaboutsError, match="needs bounds"):
        wa.interval_query(open_end, PROCESS[1], SHARING, method="simpmatch")
    unsure = wa.segments(
        pa.table({"k": ["u", "u"], "n": [1, 2], "lo": [0, 5], "hi": [1, 6]}),
        key="k", seq="n", time=wa.between("lo", "hi"),
    )  # fmt: skip
    with pytest.raises(wa.WhenaboutsError, match="no bound"):
        wa.interval_query(open_end, unsure, SHARING)
    with pytest.raises(wa.WhenaboutsError, match="exact recorded times"):
        wa.interval_query(unsure, PROCESS[1], SHARING, method="simpmatch")


def test_windows_shared_with_other_events__are_refused_beside_uncertain_times():
    seen = pa.table({"bus": [1, 1], "t": [0.0, 10.0], "near": ["a", "d"]})
    visits = wa.journeys(seen, journey="bus", time="t", stop="near", stops=["a", "b", "c", "d"])
    unsure = wa.segments(
        pa.table({"k": ["u", "u"], "n": [1, 2], "lo": [4.0, 6.0], "hi": [4.5, 6.5]}),
        key="k", seq="n", time=wa.between("lo", "hi"),
    )  # fmt: skip
    with pytest.raises(wa.WhenaboutsError, match="share their windows"):
        wa.interval_query(visits, unsure, SHARING)


@pytest.mark.parametrize("query", ["AT LEAST {} a INTERSECTS SOME b", "EVERY b PRECEDES AT LEAST {} a"])
def test_more_segments_than_there_are__never_hold_and_are_not_counted_one_by_one(query):
    assert set(here(query.format(10**30)).values()) == {0.0}


@pytest.mark.parametrize("kind", [pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.string_view())])
def test_keys__may_be_categories(kind):
    names = pa.DictionaryArray.from_arrays(
        pa.array([0, 0, 1, 1], kind.index_type), pa.array(["p", "q"], kind.value_type)
    )
    table = pa.table({"sector": names, "n": [1, 2, 1, 2], "t": [0, 2, 1, 3]})
    side = wa.segments(table, key="sector", seq="n", time="t")
    for pairs in ("unordered", pa.table({"left_key": ["p", "r"], "right_key": ["q", "q"]})):
        found = wa.interval_query(side, side, "SOME a OVERLAPS SOME b", pairs=pairs).to_pylist()
        assert found == [{"left_key": "p", "right_key": "q", "confidence": 1.0}]


@pytest.mark.parametrize("keys", [1, 40, 900, 50_000])
def test_blocks__tell_the_number_of_keys_by_the_least_hash_of_each_bin(keys):
    from whenabouts.spark.interval_blocks import keys_by

    draw = np.random.default_rng(keys)
    bins, hashes, least = draw.integers(0, 1024, keys), draw.random(keys), np.ones(1024)
    np.minimum.at(least, bins, hashes)
    rows = np.bincount(bins, minlength=1024).astype(float)
    assert 0.7 * keys <= keys_by(rows, least).sum() <= 1.5 * keys


def test_uncertain_segments__may_be_none():
    none = pa.table({"sector": pa.array([], pa.string()), "n": pa.array([], pa.int64()), "t": pa.array([], pa.int64())})
    sides = [wa.segments(none, key="sector", seq="n", time=wa.around("t", 1))] * 2
    assert len(wa.interval_query(*sides, SHARING)) == 0
