"""A live stream without keys: a micro-batch is no longer than a slice of time, so that one group has all of its rows.

That group may use the cores that the others leave idle. What a turn takes with one thread and with all is measured
without Spark, whose fixed cost a trigger is the same for both.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.data import QUESTION, WIDTHS, WINDOW, Scale
from benchmarks.machine import THREADS
from benchmarks.measure import Row, interleaved, row
from benchmarks.stream import DELAY
from benchmarks.stream_long import parts
from whenabouts.api.timing_join import declarations, plan_join
from whenabouts.spark.streaming.timing import TimingStream
from whenabouts.state.inlet import TimedInlet
from whenabouts.state.machine import MOMENT, OWNED, SLICE

BENCHMARK = "stream_live"


def run(scale: Scale) -> list[Row]:
    """The turns of a few windows, a window each."""
    rows, windows, repetitions = (4_000, 6, 5) if scale == "full" else (3_000, 2, 1)
    sides = [parts(seed, windows, rows) for seed in (1, 2)]
    left, right = (
        wa.events(tables[0], id="id", time=wa.between("lo", "hi"), max_delay=DELAY, max_width=WIDTHS[1])
        for tables in sides
    )
    join = plan_join(
        left, right, wa.within(QUESTION.window), QUESTION.threshold, None, True, (), (), "auto", 1000, None
    )
    stream = TimingStream(join, *declarations(join, left, right), THREADS)
    turns = [tuple(map(packet, stream.inlets(), pair)) for pair in zip(*sides, strict=True)]
    took = interleaved(
        {str(threads): lambda threads=threads: went(stream, turns, threads) for threads in (1, THREADS)},
        repetitions=repetitions,
    )
    case = f"{rows:,} events a side in a window of {WINDOW:g}, a window a turn"
    return [
        row(BENCHMARK, case, f"{threads} threads", 1e3 * one.best / windows, "ms a turn", better="lower", timing=one)
        for threads, one in took.items()
    ] + [row(BENCHMARK, case, "ratio", took["1"].best / took[str(THREADS)].best, "x one thread", better="higher")]


def packet(inlet: TimedInlet, rows: pa.Table) -> tuple[pa.Table, float]:
    """The rows as the one group gets them, and their clock."""
    taken = inlet.take(rows)
    sent = rows.append_column(MOMENT, pa.array(taken.moment))
    sent = sent.append_column(OWNED, pa.array(np.ones(len(rows), dtype=bool)))
    return sent.append_column(SLICE, pa.array(np.zeros(len(rows), dtype=np.int64))), float(taken.moment.max())


def went(stream: TimingStream, turns: list, threads: int) -> int:
    """How many pairs all turns gave, from an empty state on."""
    keeper = stream.keeper()
    pairs = 0
    for sides in turns:
        tables, clocks = zip(*sides, strict=True)
        pairs += sum(len(one.rows) for one in keeper.turn(tables, clocks, threads))
    return pairs
