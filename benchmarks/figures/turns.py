"""Paper 001, figures 3, 4 and 5 on the state machine that Spark carries: a turn often, or a turn now and then.

A micro-batch is the paper's lazy block; one of a few milliseconds is as eager as micro-batches get. A turn restores the
snapshot, joins the block, drops what is obsolete and makes the next snapshot, as on Spark, without Spark's own cost.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import altair as alt
import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.figures.drawing import HEIGHT, Rows, around, colour, heading, lines, log_axis
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.figures.workload import DELAY, SEEDS, WIDTHS
from whenabouts.api.timing_join import declarations, plan_join
from whenabouts.chart.theme import WIDTH, themed, titled
from whenabouts.spark.streaming.timing import TimingStream
from whenabouts.state.keeper import RESULT
from whenabouts.state.machine import MOMENT, OWNED, SLICE
from whenabouts.testing import arrivals

RATES = (12, 25, 50, 100, 200, 400, 800, 1_600, 3_200)
D, CONFIDENCE = 500.0, 0.8
EVERY = {"eager": 10.0, "lazy": 1000.0}
"""Milliseconds between turns."""
STEPS = (0.01, 0.1, 1, 10, 100, 1_000, 10_000, 100_000)
THIRD = (WIDTH - 110) // 3


@dataclass(frozen=True)
class Took:
    """What a stream took: seconds of work, milliseconds to an answer, events in the buffers, and pairs."""

    seconds: float
    response: float
    buffered: float
    pairs: int


def run(scale: Scale) -> list[Finding]:
    """All rates, often and now and then."""
    length = 10.0 if scale == "full" else 2.0
    rates = RATES if scale == "full" else RATES[:7]
    replay(rates[0], length, EVERY["lazy"])
    took = {rate: {name: replay(rate, length, every) for name, every in EVERY.items()} for rate in rates}
    for rate, by_name in took.items():
        if len({one.pairs for one in by_name.values()}) > 1:
            raise AssertionError(f"at {rate} tuples/s eager and lazy turns gave different pairs: {by_name}")
    setting = (
        f"{length:g} s of streams, d = {D:g} ms, threshold {CONFIDENCE:g}; turns every {EVERY['eager']:g} ms (eager) "
        f"or every {EVERY['lazy']:g} ms (lazy)."
    )
    return [_finding(took, length, setting)]


def replay(rate: float, seconds: float, every: float) -> Took:
    """Send two streams through the machine, turn by turn; a turn starts on time, or when the last one is done."""
    tables = [arrivals(rate, seconds, widths=WIDTHS, delay=DELAY, seed=seed) for seed in SEEDS]
    left, right = (
        wa.events(table, id="id", time=wa.between("lo", "hi"), max_delay=DELAY[1], max_width=WIDTHS[1])
        for table in tables
    )
    join = plan_join(left, right, wa.within(D), CONFIDENCE, None, True, (), (), "auto", 1000, None)
    stream = TimingStream(join, *declarations(join, left, right), 1)
    inlets = stream.inlets()
    came = [table["arrival"].to_numpy() for table in tables]
    latest = [table["hi"].to_numpy()[np.argsort(table["id"].to_numpy())] for table in tables]
    snapshot, done, clock, now = None, [0, 0], 0.0, 0.0
    work = waited = buffered = 0.0
    pairs = turns = 0
    while min(done[side] - len(came[side]) for side in (0, 1)) < 0:
        clock += every
        ends = [int(np.searchsorted(one, clock)) for one in came]
        rows = [table.slice(begin, end - begin) for table, begin, end in zip(tables, done, ends, strict=True)]
        done = ends
        start = time.thread_time()
        keeper = stream.keeper()
        if snapshot is not None:
            keeper.restore(snapshot)
        taken = [inlet.take(part) for inlet, part in zip(inlets, rows, strict=True)]
        clocks = [float(np.max(one.moment, initial=-math.inf)) for one in taken]
        inputs = [
            part.append_column(MOMENT, pa.array(one.moment))
            .append_column(OWNED, pa.array(one.copies.owned))
            .append_column(SLICE, pa.array(one.copies.slice))
            for part, one in zip(rows, taken, strict=True)
        ]
        found = []
        for emission in keeper.turn(inputs, clocks):
            if emission.kind == RESULT:
                ids = emission.rows["left_id"].to_numpy(), emission.rows["right_id"].to_numpy()
                found.append(np.maximum(latest[0][ids[0]], latest[1][ids[1]]))
        snapshot = keeper.snapshot()
        spent = time.thread_time() - start
        work += spent
        now = max(now, clock) + 1000.0 * spent
        pairs += sum(map(len, found))
        waited += sum(float((now - one).sum()) for one in found)
        buffered += keeper.counts["buffered"]
        turns += 1
    return Took(work, waited / max(pairs, 1), buffered / turns, pairs)


def _finding(took: dict[int, dict[str, Took]], length: float, setting: str) -> Finding:
    rates, names = tuple(took), tuple(EVERY)
    rows: Rows = [
        {
            "rate": rate,
            "name": name,
            "seconds": one.seconds,
            "response": one.response,
            "buffered": max(one.buffered, 0.1),
        }
        for rate, by_name in took.items()
        for name, one in by_name.items()
    ]
    x = alt.X(**log_axis("rate", "tuples a second, a stream", (rates[0] / 1.2, rates[-1] * 1.2), rates[::2]))
    panels = []
    for column, title, unit in (
        ("seconds", "Execution time", f"seconds of work for {length:g} s"),
        ("response", "Response time", "milliseconds"),
        ("buffered", "Buffer length", "events"),
    ):
        y = alt.Y(**log_axis(column, unit, around(row[column] for row in rows), STEPS))
        panels.append(lines(rows, x, y, colour(names)).properties(width=THIRD, height=HEIGHT, title=heading(title)))
    top = took[rates[-1]]
    chart = alt.hconcat(*panels, spacing=24).properties(
        title=titled(
            f"At {rates[-1]:,} tuples/s eager takes {top['eager'].seconds / top['lazy'].seconds:.1f} times the time",
            ["Paper 001, figures 3 to 5, on the state machine of the stream: a turn every 10 ms, or every second."],
        )
    )
    work = [by_name["eager"].seconds / by_name["lazy"].seconds for by_name in took.values()]
    return Finding(
        "stream-turns",
        themed(chart),
        setting,
        ("tuples/s", "eager, s", "lazy, s", "eager, ms", "lazy, ms", "eager, events", "lazy, events"),
        [
            (
                f"{rate:,}",
                *(f"{by_name[name].seconds:.3f}" for name in names),
                *(f"{by_name[name].response:,.0f}" for name in names),
                *(f"{by_name[name].buffered:,.0f}" for name in names),
            )
            for rate, by_name in took.items()
        ],
        [
            Claim(
                "the lazy family is faster than eager",
                f"eager turns work {min(work):.1f} to {max(work):.1f} times as long",
                min(work) > 1.0,
            ),
            Claim(
                "eager answers sooner, until it cannot keep up",
                f"at {rates[0]:,} tuples/s {took[rates[0]]['eager'].response:,.0f} ms against "
                f"{took[rates[0]]['lazy'].response:,.0f}; at {rates[-1]:,} {top['eager'].response:,.0f} against "
                f"{top['lazy'].response:,.0f}",
                took[rates[0]]["eager"].response < took[rates[0]]["lazy"].response,
            ),
            Claim(
                "the buffers of the lazy family are longer",
                f"at {rates[-1]:,} tuples/s {top['lazy'].buffered:,.0f} events after a turn against "
                f"{top['eager'].buffered:,.0f}",
                top["lazy"].buffered > top["eager"].buffered,
            ),
        ],
        {"took": {rate: {name: vars(one) for name, one in by_name.items()} for rate, by_name in took.items()}},
    )
