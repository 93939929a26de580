"""Objects at the door: what is wrong with rows, on every engine, and the two ways in which samples may stand."""

import pyarrow as pa
import pytest

import whenabouts as wa
from tests.similarity_cases import answers
from whenabouts.errors import BadArgument, BadRows, DuplicateIds, MixedUnits, UnknownColumn, WrongType

NAN, INF = float("nan"), float("inf")
POINTS = pa.list_(pa.list_(pa.float64()))
GOOD = [[0.0, 0.0], [1.0, 1.0]]


def table(**columns):
    count = max(len(values) for values in columns.values())
    given = {"id": list(range(count)), "n": list(range(count)), "at": [GOOD] * count, **columns}
    types = {"at": POINTS, "p": pa.list_(pa.float64()), "n": pa.int64(), "id": pa.int64()}
    return pa.table({name: pa.array(values, types.get(name)) for name, values in given.items()})


def objects(engine, data, **options):
    frame = data if engine.name == "process" else engine.session.createDataFrame(data)
    return wa.objects(frame, **{"id": "id", "seq": "n", "samples": "at", **options})


BAD = [
    (None, None, "'at' is null"),
    ([], None, "'at' is empty"),
    ([[0.0, 0.0], None], None, "'at' holds a null"),
    ([[0.0, None]], None, "'at' holds a null"),
    ([[0.0, 0.0], [1.0]], None, "'at' holds points of different dimensions"),
    ([[0.0, 0.0, 0.0]], None, "'at' does not have 2 dimensions like the others"),
    ([[0.0, NAN]], None, "'at' holds NaN or infinity"),
    ([[0.0, INF]], None, "'at' holds NaN or infinity"),
    (GOOD, [0.5], "'p' does not have one weight for each sample of 'at'"),
    (GOOD, [0.5, 0.6], "'p' does not sum to 1"),
    (GOOD, [1.5, -0.5], "'p' holds a negative mass"),
    (GOOD, [NAN, 0.5], "'p' holds NaN or infinity"),
    (GOOD, None, "'p' is null"),
]


def test_bad_clouds__are_set_aside_each_with_its_reason(engine):
    even = [0.5, 0.5]
    weights = [even if weight is None and "'p'" not in reason else weight for _, weight, reason in BAD]
    data = table(
        id=[*range(len(BAD) + 3), None, 99, 99],
        n=[*range(len(BAD) + 3), 50, 51, 52],
        at=[*(cloud for cloud, _, _ in BAD), *[GOOD] * 6],
        p=[*weights, *[even] * 6],
    )
    side = objects(engine, data, weights="p", bad_rows="quarantine")
    rejected = {(row["id"], row["reason"]) for row in engine.collect(side.rejected).to_pylist()}
    want = {(number, reason) for number, (_, _, reason) in enumerate(BAD)}
    assert rejected == want | {(None, "'id' is null"), (99, "'id' is not unique")}
    pairs = engine.collect(wa.similarity_join(side, distance=2, min_confidence=1, window=None))
    assert len(pairs) == 3


def test_bad_rows__are_one_clear_error(engine):
    side = objects(engine, table(at=[GOOD, [], GOOD]))
    with engine.raises(BadRows, match="'at' is empty: 1 row, for example id=1, n=1"):
        engine.collect(wa.similarity_join(side, distance=1, min_confidence=1, window=1))


def test_repeated_ids__are_an_error_unless_they_are_allowed(engine):
    twice = table(id=[7, 7])
    with engine.raises(DuplicateIds, match="'id' is not unique"):
        engine.collect(wa.similarity_join(objects(engine, twice), distance=1, min_confidence=0.1, window=9))
    allowed = objects(engine, twice, unique_ids=False)
    assert len(engine.collect(wa.similarity_join(allowed, distance=1, min_confidence=0.1, window=9))) == 1


def test_one_row_a_sample__is_the_same_as_arrays(engine):
    clouds = [[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], [[1.0, 1.0]], [[0.5, 0.5], [3.0, 3.0]]]
    weights = [[0.5, 0.25, 0.25], [1.0], [0.125, 0.875]]
    flat = [(i, *at, w) for i, (cloud, ws) in enumerate(zip(clouds, weights, strict=True))
            for at, w in zip(cloud, ws, strict=True)]  # fmt: skip
    flat = [flat[k] for k in (3, 0, 5, 1, 4, 2)]
    ids, xs, ys, ws = zip(*flat, strict=True)
    rows = pa.table({"id": ids, "n": [10 * i for i in ids], "x": xs, "y": ys, "w": ws})
    nested = objects(engine, table(at=clouds, p=weights, n=[0, 10, 20]), weights="p")
    grouped = objects(engine, rows, samples=["x", "y"], weights="w")
    options = {"distance": 1.5, "min_confidence": 0.05, "window": 100}
    one, other = (engine.collect(wa.similarity_join(side, **options)) for side in (nested, grouped))
    assert len(one) == 3
    assert answers(one) == answers(other)


def test_rows_of_one_object__must_agree_on_its_place(engine):
    rows = pa.table({"id": [0, 0, 1], "n": [1, 2, 3], "x": [0.0, 0.0, 0.0]})
    side = objects(engine, rows, samples=["x"], bad_rows="quarantine")
    rejected = engine.collect(side.rejected).to_pylist()
    assert [(row["id"], row["reason"]) for row in rejected] == [(0, "'n' differ between rows of one object")] * 2


def test_rows_of_one_object__are_refused_in_terms_of_their_own_columns():
    rows = pa.table(
        {"id": [0, 1, 2, 3], "n": [0, 1, 2, 3], "x": [NAN, None, 0.0, 0.0], "y": [0.0] * 4, "p": [1, 1, 0.9, None]}
    )
    side = wa.objects(rows, id="id", seq="n", samples=["x", "y"], weights="p", bad_rows="quarantine")
    assert side.rejected["reason"].to_pylist() == [
        "'x', 'y' holds NaN or infinity", "'x', 'y' holds a null", "'p' does not sum to 1", "'p' holds a null"
    ]  # fmt: skip


def test_windows__that_end_between_two_ticks_hold_until_the_later_one():
    seconds = pa.array([0, 5, 10], pa.timestamp("s"))
    data = pa.table({"id": [0, 1, 2], "t": seconds, "at": [[[0.0]]] * 3})
    side = wa.objects(data, id="id", time="t", samples="at")
    found = wa.similarity_join(side, distance=0, min_confidence=1.0, window="5500ms")
    assert [moment.second for moment in found["enters"].to_pylist()] == [5, 10]
    assert [moment.second for moment in found["expires"].to_pylist()] == [6, 11]


def test_points_on_a_line__may_be_plain_numbers(engine):
    data = pa.table({"id": [0, 1, 2, 3], "n": [0, 1, 2, 3], "at": [[0.0, 1.0], [], [None, 2.0], [NAN]]})
    side = objects(engine, data, bad_rows="quarantine")
    assert {(row["id"], row["reason"]) for row in engine.collect(side.rejected).to_pylist()} == {
        (1, "'at' is empty"), (2, "'at' holds a null"), (3, "'at' holds NaN or infinity"),
    }  # fmt: skip


def test_blur__makes_the_same_clouds_on_every_engine(engine):
    data = pa.table({"id": [1, 2, 3], "x": [0.0, 5.0, 5.0], "y": [0.0, 1.0, 1.0]})
    options = {"points": ["x", "y"], "radius": (0.5, 1.0), "samples": 50, "id": "id"}
    here = wa.blur(data, **options)
    frame = data if engine.name == "process" else engine.session.createDataFrame(data)
    there = engine.collect(wa.blur(frame, **options)).sort_by("id")
    assert there["samples"].to_pylist() == here["samples"].to_pylist()
    clouds = here["samples"].to_pylist()
    assert clouds[1] != clouds[2]
    assert all((x - 5) ** 2 + (y - 1) ** 2 <= 1.0 for x, y in clouds[1])


def test_blur__makes_clouds_of_every_layout(engine):
    data = pa.table({"id": [1, 2], "n": [1, 2], "x": [0.0, 0.5], "y": [0.0, 1.0]})
    frame = data if engine.name == "process" else engine.session.createDataFrame(data)
    found = []
    for layout in ("nested", "flat", "packed"):
        clouds = wa.blur(frame, points=["x", "y"], radius=1.0, samples=9, layout=layout)
        side = wa.objects(clouds, id="id", seq="n", samples="samples", dimensions=2)
        found.append(answers(engine.collect(wa.similarity_join(side, distance=1, min_confidence=0.01, window=9))))
    assert found[0] == found[1] == found[2] != {}
    with pytest.raises(BadArgument, match="layout='deep' is not one of"):
        wa.blur(frame, points=["x", "y"], radius=1.0, layout="deep")


@pytest.mark.parametrize("samples", [0, 1.5, True])
def test_blur__needs_a_whole_number_of_samples(samples):
    with pytest.raises(wa.WhenaboutsError, match="whole number of samples"):
        wa.blur(pa.table({"x": [0.0]}), points=["x"], radius=1.0, samples=samples)


def test_blur__draws_from_ball_and_normal():
    data = pa.table({"x": [0.0], "y": [0.0], "z": [0.0]})
    for shape, spread in (("ball", 0.2**0.5), ("gaussian", 1.0)):
        cloud = wa.blur(data, points=["x", "y", "z"], radius=1.0, samples=20_000, shape=shape)["samples"][0].as_py()
        for axis in zip(*cloud, strict=True):
            mean = sum(axis) / len(axis)
            assert abs(mean) < 0.03
            assert abs((sum(value**2 for value in axis) / len(axis)) ** 0.5 - spread) < 0.02


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seq": None}, BadArgument, "Say seq="),
        ({"samples": "nowhere"}, UnknownColumn, "'nowhere' is not in the objects"),
        ({"samples": "n"}, WrongType, "array of points"),
        ({"id": "at"}, WrongType, "only single values are compared"),
        ({"by": "at"}, WrongType, "only single values are compared"),
        ({"samples": []}, BadArgument, "names no column"),
        ({"weights": "n"}, WrongType, "one for each sample"),
        ({"dimensions": 0}, BadArgument, "at least one coordinate"),
        ({"bad_rows": "ignore"}, BadArgument, 'choose "raise"'),
        ({"time": 3}, WrongType, "not a column or a model of time"),
    ],
)
def test_objects__refuse_what_cannot_be(options, error, words):
    with pytest.raises(error, match=words):
        wa.objects(table(at=[GOOD]), **{"id": "id", "seq": "n", "samples": "at", **options})


@pytest.mark.parametrize("name", ["__samples", "__Weights", "__differs", "__repeated", "__object", "__dimension"])
def test_objects__refuse_columns_that_are_in_the_way(name):
    data = table(at=[GOOD]).append_column(name, pa.array([1]))
    with pytest.raises(BadArgument, match=f"'{name}'. Rename yours"):
        wa.objects(data, id="id", seq="n", samples="at")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"distance": -1}, BadArgument, "zero or more"),
        ({"distance": INF}, BadArgument, "finite"),
        ({"min_confidence": 0}, BadArgument, "min_confidence"),
        ({"window": 0}, BadArgument, "longer than nothing"),
        ({"window": "2s"}, MixedUnits, "plain numbers"),
        ({"metric": "euclidian"}, BadArgument, "Did you mean 'euclidean'"),
        ({"method": "gird"}, BadArgument, "Did you mean 'grid'"),
        ({"batch": 0}, BadArgument, "batch"),
        ({"within": "2s"}, BadArgument, "give every stream a time="),
        ({"side_output": True}, BadArgument, "for streams"),
    ],
)
def test_join__refuses_what_cannot_be(options, error, words):
    side = wa.objects(table(at=[GOOD]), id="id", seq="n", samples="at")
    with pytest.raises(error, match=words):
        wa.similarity_join(side, side, **{"distance": 1, "min_confidence": 0.5, "window": 3, **options})


def test_join__refuses_bare_frames_and_unequal_dimensions():
    flat = wa.objects(table(at=[GOOD]), id="id", seq="n", samples="at")
    deep = wa.objects(table(at=[[[0.0, 0.0, 0.0]]]), id="id", seq="n", samples="at")
    with pytest.raises(WrongType, match=r"wa\.objects"):
        wa.similarity_join(flat, table(at=[GOOD]), distance=1, min_confidence=0.5, window=3)
    with pytest.raises(BadArgument, match="the left objects have 2, the right objects have 3"):
        wa.similarity_join(flat, deep, distance=1, min_confidence=0.5, window=3)
