"""The demo of two simulated streams."""

import pytest


@pytest.mark.spark
@pytest.mark.slow
def test_demo_stream__shows_pairs_and_numbers(run):
    result = run("demo-stream", "--rate", 200, "--seconds", 4)
    assert result.exit_code == 0, result.output
    assert "acoustic-" in result.output
    assert "left watermark" in result.output
