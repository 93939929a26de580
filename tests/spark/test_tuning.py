"""A session of one's own can be tuned, and `explain` says where it is not."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.spark.session import BUILDER_SETTINGS, ENVIRONMENT, SETTINGS

pytestmark = pytest.mark.spark


def test_explain__advises_to_tune_a_session_that_is_not(spark):
    rows = wa.events(spark.createDataFrame(pa.table({"id": [1], "t": [2.0]})), id="id", time=wa.at("t"))

    def told() -> bool:
        plan = wa.explain(wa.timing_join, rows, rows, wa.within(1), min_confidence=0.5)
        return any("wa.tune(spark)" in value for _, value in plan.lines)

    assert not told()
    for name in SETTINGS:
        spark.conf.unset(name)
    try:
        assert told()
    finally:
        assert wa.tune(spark) is spark
    assert {name: spark.conf.get(name) for name in SETTINGS} == SETTINGS
    assert not told()


def test_tune__sets_in_a_builder_what_a_running_session_does_not_take(spark):
    from pyspark.errors import PySparkException

    for name, value in BUILDER_SETTINGS.items():
        assert spark.conf.get(name) == value
        with pytest.raises(PySparkException, match=r"static|CANNOT_MODIFY_CONFIG"):
            spark.conf.set(name, value)


def test_tune__of_a_builder_is_for_the_jvms_that_start_later(spark, monkeypatch):
    from pyspark.sql import SparkSession

    chosen, name = dict.fromkeys(ENVIRONMENT, "false"), "spark.executorEnv."
    for variable, value in ENVIRONMENT.items():
        assert os.environ[variable] == spark.conf.get(name + variable) == value
        monkeypatch.setenv(variable, chosen[variable])
    builder = SparkSession.Builder()
    monkeypatch.setattr(builder, "_options", {})
    wa.tune(builder)
    assert {variable: builder._options[name + variable] for variable in ENVIRONMENT} == chosen
    assert {variable: os.environ[variable] for variable in ENVIRONMENT} == chosen
