"""Paper 001, figures 3, 4 and 5: execution time, response time and buffer length against the arrival rate."""

from __future__ import annotations

from benchmarks.figures.buffer_length import buffer_length
from benchmarks.figures.execution_time import execution_time
from benchmarks.figures.finding import Finding, Scale
from benchmarks.figures.rate_axis import CONFIDENCE, RATES, D, Runs
from benchmarks.figures.response import jobs_of_arrivals, jobs_of_blocks
from benchmarks.figures.response_time import Replay, response_time
from benchmarks.figures.workload import ALGORITHMS, BLOCK, SWEEP, Workload, measure


def run(scale: Scale) -> list[Finding]:
    """Measure all rates once; the three figures are read from the same runs."""
    tuples, repetitions = (8_000, 3) if scale == "full" else (1_500, 1)
    runs: Runs = {}
    replays: dict[int, Replay] = {}
    for rate in RATES:
        workload = Workload(rate=rate, tuples=tuples, d=D, confidence=CONFIDENCE)
        names = {name: (name, BLOCK) for name in (*ALGORITHMS, SWEEP)}
        runs[rate] = measure(workload, names, repetitions=repetitions * (2 if rate < 400 else 1))
        pairs, _ = workload.contestant("eager")()
        replays[rate] = Replay(jobs_of_arrivals(workload, pairs), jobs_of_blocks(workload, pairs, BLOCK))
    setting = f"{tuples:,} tuples a stream at every rate, d = {D:g} ms, threshold {CONFIDENCE:g}, blocks of {BLOCK:,}"
    return [
        execution_time(runs, f"{setting}; best of {repetitions} or more runs."),
        response_time(runs, replays, tuples, f"{setting}."),
        buffer_length(runs, f"{setting}; both buffers together."),
    ]
