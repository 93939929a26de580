"""Slices of places and strips of space change nothing, in any layout: every pair comes out of one task."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa
from tests.similarity_cases import answers, laid_out
from tests.spark.test_similarity_streams import MODEL, walkers
from whenabouts.api.similarity_join import plan_similarity_join
from whenabouts.spark.similarity_join import spark_similarity_join, where
from whenabouts.spark.similarity_slices import Slices, even_load, plan_slices

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def tables():
    return [pa.concat_tables(walkers(seed, 3)) for seed in (1, 2, 3)]


@pytest.mark.parametrize("streams", [1, 2, 3])
@pytest.mark.parametrize("window", [50, None])
def test_tasks__together_give_the_pairs_of_one(spark, tables, streams, window):
    sides = [wa.objects(table, **MODEL) for table in tables[:streams]]
    join = plan_similarity_join(sides, 1.0, 0.5, window, None, "euclidean", "auto", 1, True, False)
    layouts = ["nested", "flat", "packed"] if streams > 1 else ["packed"]
    laid = [laid_out(table, layout, "samples") for table, layout in zip(tables[:streams], layouts, strict=False)]
    frames = [spark.createDataFrame(table) for table in laid]
    expected = answers(wa.similarity_join(*sides, distance=1.0, min_confidence=0.5, window=window))
    slices = Slices([100.0, 150.0, 151.0, 300.0], [0.0, 1.5, 3.0], [True, False, True, True, False], 2, 359.0)
    assert slices.tasks == 4 + 1 + 4 + 4 + 1
    assert answers(spark_similarity_join(join, frames, slices=slices).toArrow()) == expected
    assert len(expected) > 100


def test_columns__may_have_the_names_that_slices_work_with(spark, tables):
    names = {"id": "__first", "n": "__slice", "samples": "__from", "t": "__flat"}
    renamed = [table.rename_columns([names.get(name, name) for name in table.column_names]) for table in tables[:2]]
    model = {"id": "__first", "seq": "__slice", "samples": "__from", "time": "__flat", "dimensions": 2}
    sides = [wa.objects(table, **model) for table in renamed]
    join = plan_similarity_join(sides, 1.0, 0.5, 50, None, "euclidean", "auto", 1, True, False)
    slices = Slices([100.0, 300.0], [0.0, 3.0], [True, False, True], 2, 359.0)
    found = spark_similarity_join(join, [spark.createDataFrame(table) for table in renamed], slices=slices)
    question = {"distance": 1.0, "min_confidence": 0.5, "window": 50}
    assert answers(found.toArrow()) == answers(wa.similarity_join(*sides, **question)) != {}


def test_plan__cuts_places_and_where_windows_are_full_space(spark, tables, monkeypatch):
    monkeypatch.setattr("whenabouts.spark.similarity_slices._SHARE", 1.0)
    side = wa.objects(tables[0], **MODEL)
    frame = spark.createDataFrame(laid_out(tables[0], "packed", "samples"))
    for window, cut, hot in ((5, True, False), (300, False, True)):
        join = plan_similarity_join([side], 1.0, 0.5, window, None, "euclidean", "auto", 1, True, False)
        slices = plan_slices(join, [frame], [frame], rows_a_task=40)
        assert bool(slices.places) == cut
        assert any(slices.hot) == hot
        assert slices.dimension == 2


def test_plan__knows_the_last_place_for_a_changelog_and_the_usual_dimension(spark, tables):
    side = wa.objects(tables[0], **{**MODEL, "dimensions": None})
    frame = spark.createDataFrame(tables[0])
    join = plan_similarity_join([side], 1.0, 0.5, 5, None, "euclidean", "auto", 1, True, True)
    slices = plan_slices(join, [frame], [frame])
    assert (slices.dimension, slices.last) == (2, 359.0)


def test_stats__come_back_with_the_data(spark, tables):
    side = wa.objects(spark.createDataFrame(tables[0]), **MODEL)
    stats = wa.Stats()
    found = wa.similarity_join(side, distance=1.0, min_confidence=0.5, window=50, stats=stats).toArrow()
    assert stats.emitted == len(found)
    assert stats.window_pairs == sum(min(49, n) for n in range(360))
    assert stats.pruning_power["objects"] > 0.3


@pytest.mark.parametrize(("rows", "tasks"), [(0, 1), (4_999, 1), (12_000, 2), (120_000, 4), (400_000, 12), (10**8, 48)])
def test_slices__are_even_waves_of_enough_rows(rows, tasks):
    assert even_load(rows, 40_000) == rows / tasks


def test_rows_of_a_stream__are_the_same_in_few_pieces_and_in_many():
    rows = pa.table({"n": np.arange(1000)})
    for wanted in (
        rows["n"].to_numpy() < 400,
        rows["n"].to_numpy() % 2 == 1,
        np.zeros(1000, bool),
        np.ones(1000, bool),
    ):
        assert where(rows, wanted).column("n").to_pylist() == np.flatnonzero(wanted).tolist()
