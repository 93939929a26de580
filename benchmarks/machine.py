"""What the figures were measured on, and how much of it each side may use."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

THREADS = 2
"""Threads each side may use: whenabouts, DuckDB, Polars, and the cores of Spark's ``local[n]``."""

PACKAGES = ("whenabouts", "numpy", "numba", "pyarrow", "pyspark", "duckdb", "polars")


def limit_threads() -> None:
    """Tell the libraries that only listen before they are imported."""
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)


@contextmanager
def one_core() -> Iterator[None]:
    """Keep all threads of this process on one core, where the system can: libraries start some of their own."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    _keep_on({max(allowed)})
    try:
        yield
    finally:
        _keep_on(allowed)


def _keep_on(cores: set[int]) -> None:
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), cores)


def facts() -> dict[str, object]:
    """Describe the machine, the versions and the day."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "threads": THREADS,
        "memory_gb": _gigabytes("MemTotal"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {package: _version(package) for package in PACKAGES},
    }


def available_gb() -> float | None:
    """How much memory is free to use now, or None where the system does not say."""
    return _gigabytes("MemAvailable")


def _gigabytes(field: str) -> float | None:
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return None
    kilobytes = dict(line.split(":") for line in meminfo.read_text().splitlines())[field].split()[0]
    return round(int(kilobytes) / 2**20, 1)


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
