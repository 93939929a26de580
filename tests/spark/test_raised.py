"""What was raised in a task is taken out of Spark's exception, and nothing else is touched."""

import pytest
from pyspark.errors import PySparkException

import whenabouts as wa
from whenabouts.errors import BadRows

QUOTED = """Job aborted: PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in main
whenabouts.errors.BadRows: 2 rows of the left events cannot be used.
  'lo' is null: 2 rows, for example id=3. Fill it in.
Or pass bad_rows="quarantine".

\tat org.apache.spark.Task.run(Task.scala:1)"""


def test_spark_errors__raises_the_error_of_a_task_with_its_whole_message():
    with pytest.raises(BadRows) as caught, wa.spark_errors():
        raise PySparkException(QUOTED)
    assert str(caught.value).startswith("2 rows of the left events cannot be used.\n  'lo' is null")
    assert str(caught.value).endswith('"quarantine".')
    assert isinstance(caught.value.__cause__, PySparkException)


@pytest.mark.parametrize("text", ["out of memory", "whenabouts.errors.Unheard: of", "x whenabouts.errors.nearest: x"])
def test_spark_errors__leaves_other_errors_alone(text):
    with pytest.raises(PySparkException, match=text), wa.spark_errors():
        raise PySparkException(text)
