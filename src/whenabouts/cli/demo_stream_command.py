"""`whenabouts demo-stream`: two simulated sensor streams, joined live until stopped."""

from __future__ import annotations

import shutil
import tempfile
from typing import Annotated, Any

import typer

_ZONES = 50
_WINDOW, _CONFIDENCE = "100ms", 0.7
_SHOWN = 6


def demo_stream(
    rate: Annotated[int, typer.Option(help="Events a second of either kind of sensor.", min=1)] = 1_000,
    seconds: Annotated[float | None, typer.Option(help="Stop so long after the first answers; else at Ctrl-C.")] = None,
) -> None:
    """Join simulated seismic and acoustic detections as they come in, live, until stopped with Ctrl-C.

    Every detection says between which moments it happened. A few come later than they may, and a few are broken: they
    are set aside and counted. Which of one zone happened within 100 ms of each other, with a confidence of 0.7?
    """
    import pyarrow as pa

    import whenabouts as wa
    from whenabouts.cli import show
    from whenabouts.spark.session import local_session
    from whenabouts.spark.streaming.simulate import sensor_stream
    from whenabouts.spark.streaming.watch import watch

    console = show.out()
    with console.status("Starting Spark"):
        spark = local_session()
    seismic, acoustic = (
        wa.events(
            sensor_stream(spark, kind, rate, zones=_ZONES), id="id", time=wa.between("earliest", "latest"),
            max_delay="5s", max_width="200ms",
        )
        for kind in ("seismic", "acoustic")
    )  # fmt: skip
    frame = wa.timing_join(
        seismic, acoustic, wa.within(_WINDOW), min_confidence=_CONFIDENCE, by="zone", left_columns=["zone"]
    )
    latest: list[pa.Table] = []

    def keep(pairs: Any, batch: int) -> None:
        latest[:] = [pairs.toArrow()]

    console.print(
        f"[bold]{rate:,} seismic and {rate:,} acoustic detections a second[/bold] in {_ZONES} zones. Which of one zone "
        f"happened within {_WINDOW} of each other, with a confidence of at least {_CONFIDENCE}? Ctrl-C stops.\n"
    )
    folder = tempfile.mkdtemp(prefix="whenabouts-demo-")
    query = (
        frame.writeStream.foreachBatch(keep)
        .option("checkpointLocation", folder)
        .trigger(processingTime="1 second")
        .start()
    )
    try:
        below = lambda: show.pairs_table(latest[0].slice(0, _SHOWN), "the latest pairs") if latest else ""  # noqa: E731
        watch(query, console=console, seconds=seconds, below=below)
    finally:
        query.stop()
        shutil.rmtree(folder, ignore_errors=True)
