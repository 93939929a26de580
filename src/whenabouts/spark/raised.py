"""Errors that were raised in a Spark task, as what they were before Spark wrapped them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from whenabouts import errors

_RAISED = re.compile(
    r"^whenabouts\.errors\.(\w+): (.*?)(?=\n\s*\n|\n\s*at |\n\s*JVM stacktrace|\Z)", re.MULTILINE | re.DOTALL
)


@contextmanager
def spark_errors() -> Iterator[None]:
    """Within it, what whenabouts raised in a Spark task arrives as itself.

    A frame of Spark is computed when it is written, counted or collected, in other processes. An error that is raised
    there, such as `BadRows`, reaches the caller inside Spark's own exception; here it is raised as what it was, and
    Spark's exception is its cause::

        with wa.spark_errors():
            pairs.write.parquet("pairs")
    """
    try:
        yield
    except PySparkException as error:
        ours = _error_within(str(error))
        if ours is None:
            raise
        raise ours from error


def _error_within(text: str) -> errors.WhenaboutsError | None:
    """The error of ours whose traceback Spark's message quotes."""
    for name, message in _RAISED.findall(text):
        kind = getattr(errors, name, None)
        if isinstance(kind, type) and issubclass(kind, errors.WhenaboutsError):
            return kind(message.strip())
    return None
