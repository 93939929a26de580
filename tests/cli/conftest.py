"""Files to join, and the command as a function."""

import datetime as dt

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from whenabouts import io
from whenabouts.cli import app

START = dt.datetime(2026, 1, 1, 8, tzinfo=dt.UTC)


def moments(*seconds):
    return pa.array([START + dt.timedelta(seconds=second) for second in seconds], pa.timestamp("us", "UTC"))


DOORS = pa.table(
    {
        "id": [1, 2, 3],
        "lo": moments(0, 10, 70),
        "hi": moments(5, 12.5, 75),
        "room": ["a", "a", "b"],
        "who": ["x", "y", "z"],
    }
)
BADGES = pa.table({"badge": ["p", "q", "r"], "t": moments(4, 11, 72), "room": ["a", "a", "a"]})


@pytest.fixture
def run():
    """Run `whenabouts` with arguments; the result has an exit code, stdout and stderr."""

    def invoke(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def files(tmp_path):
    """The paths of doors and badges, in the format of a suffix."""

    def written(suffix=".parquet", doors=DOORS, badges=BADGES):
        return io.write(doors, tmp_path / f"doors{suffix}"), io.write(badges, tmp_path / f"badges{suffix}")

    return written
