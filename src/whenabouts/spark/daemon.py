"""Spark's Python daemon, but for one thing: a worker that waits for a task leaves without a word when Spark is gone.

Spark runs it as a module (`spark.python.daemon.module`) and has it fork the workers. One of PySpark's own that finds
its connection closed tries to tell the other end. Over a Unix socket that is an error, and so every session would end
with a traceback of nothing that went wrong.
"""

from __future__ import annotations

import os
import socket

from pyspark import daemon

_run_task = daemon.worker


def worker(sock: socket.socket, authenticated: bool) -> int:
    """Wait until there is a task or will be none, and run it as PySpark does."""
    if not sock.recv(1, socket.MSG_PEEK):
        os._exit(0)
    return _run_task(sock, authenticated)


if __name__ == "__main__":
    daemon.worker = worker
    daemon.manager()
