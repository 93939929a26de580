"""Hypothesis profiles, and the engines on which one test body runs."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.engines import ENGINES, start_engine

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=60, suppress_health_check=_QUIET)
settings.register_profile("thorough", deadline=None, max_examples=1500, suppress_health_check=_QUIET)
settings.register_profile("plain", settings.get_profile("ci"), max_examples=40)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session", params=ENGINES)
def engine(request):
    """The engine that a test runs on: `engine.events` takes an Arrow table, `engine.collect` gives one back."""
    return start_engine(request.param)
