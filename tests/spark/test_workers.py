"""What Python workers are spared."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

LET_GO = """
import gc, sys
from pathlib import Path
import numpy as np
from whenabouts.spark.workers import begin_task
def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])
if sys.argv[1] == "begin":
    begin_task()
before = pages()
many = np.ones(20_000_000)
del many
gc.collect()
print(pages() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory in ways of their own")
def test_workers__keep_memory_that_a_task_lets_go():
    kept = {
        how: int(subprocess.run([sys.executable, "-c", LET_GO, how], check=True, capture_output=True, text=True).stdout)
        for how in ("begin", "do not")
    }
    assert kept["begin"] > 30_000 > kept["do not"], "pages of 4 kB, of 160 MB"
