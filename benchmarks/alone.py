"""A fresh process for each benchmark, which all of its sides share."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

from benchmarks.machine import limit_threads
from benchmarks.measure import Row


def in_own_process(name: str, scale: str) -> list[Row]:
    """Run a benchmark where no earlier one has left memory or threads behind."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_run, name, scale).result()


def _run(name: str, scale: str) -> list[Row]:
    limit_threads()
    return import_module(f"benchmarks.{name}").run(scale)
