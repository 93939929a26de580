"""A live view of what Spark is doing, for people who wait for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_INTERVAL = 0.1


@contextmanager
def watched(spark: SparkSession, console: Console, title: str = "Spark") -> Iterator[None]:
    """Show a bar of finished and expected tasks while the block runs Spark actions."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(title, total=None)

        def show(done: int, total: int, what: str) -> None:
            progress.update(bar, completed=done, total=total or None, description=f"{title}: {what}")

        watch = _watch_connect if type(spark).__module__.startswith("pyspark.sql.connect") else _watch_classic
        with watch(spark, show):
            yield


@contextmanager
def _watch_classic(spark: SparkSession, show: Any) -> Iterator[None]:
    """Ask the status tracker, again and again; a classic session offers no push."""
    tracker = spark.sparkContext.statusTracker()
    stop = threading.Event()

    def poll() -> None:
        while not stop.wait(_INTERVAL):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            running = [stage for stage in stages if stage is not None]
            if running:
                what = ", ".join(f"stage {stage.stageId}" for stage in running)
                show(sum(s.numCompletedTasks for s in running), sum(s.numTasks for s in running), what)

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def _watch_connect(spark: Any, show: Any) -> Iterator[None]:
    """Let Spark Connect tell."""

    def told(stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        show(
            sum(stage.num_completed_tasks for stage in stages),
            sum(stage.num_tasks for stage in stages),
            "done" if done else f"{inflight_tasks} tasks running",
        )

    spark.registerProgressHandler(told)
    try:
        yield
    finally:
        spark.removeProgressHandler(told)
