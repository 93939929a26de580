"""The Spark session that all tests of this folder share."""

from __future__ import annotations

import pytest

from tests.engines import start_engine


@pytest.fixture(scope="session")
def spark():
    return start_engine("spark").session
