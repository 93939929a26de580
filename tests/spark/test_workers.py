"""What Python workers are spared."""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from subprocess import PIPE

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


def words_of_an_idle_worker(module: str, folder: str) -> str:
    """What a daemon and its worker print when the connection is closed before there was a task."""
    told = {
        "PYTHON_UNIX_DOMAIN_ENABLED": "true",
        "PYTHON_WORKER_FACTORY_SOCK_DIR": folder,
        "PYTHON_DAEMON_KILL_WORKER_ON_FLUSH_FAILURE": "1",
        "SPARK_REUSE_WORKER": "1",
    }
    started = [sys.executable, "-m", module, "pyspark.worker"]
    with subprocess.Popen(started, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=os.environ | told) as daemon:
        length = int.from_bytes(daemon.stdout.read(4), "big")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(daemon.stdout.read(length).decode())
            worker = int.from_bytes(connection.recv(4), "big")
        while Path(f"/proc/{worker}").exists():  # the end of the daemon would be its end, too
            time.sleep(0.01)
        daemon.stdin.close()
        return daemon.stderr.read().decode()


@pytest.mark.skipif(sys.platform != "linux", reason="watches processes in /proc")
def test_workers__leave_without_a_word_when_a_local_session_stops():
    with tempfile.TemporaryDirectory() as folder:  # the path of a Unix socket must be short
        assert "BrokenPipeError" in words_of_an_idle_worker("pyspark.daemon", folder)
        assert words_of_an_idle_worker("whenabouts.spark.daemon", folder) == ""
