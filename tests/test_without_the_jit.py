"""The kernels as plain Python: the same tests, in a process where the door to Numba is closed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROPERTIES = "any_question or microsecond or lose_no_pair or never_emit"
SUITES = {
    "conditions": ["tests/ops/conditions"],
    "kernels": ["tests/kernels", "-k", "not more_partners and not many_configurations"],
    "match": ["tests/ops/match/test_evaluate.py", "tests/ops/match/test_first_matches.py", "-k", "not many_rivals"],
    "similarity": ["tests/ops/similarity", "-k", "not threads"],
    "strategies": ["tests/ops/timing/test_strategies.py", "tests/ops/timing/test_arrivals.py", "-k", PROPERTIES],
}


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_kernels__agree_with_the_oracle_without_the_jit(suite):
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=plain", *SUITES[suite]],
        cwd=ROOT,
        env={**os.environ, "WHENABOUTS_JIT": "0"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
    assert "skipped" not in run.stdout
