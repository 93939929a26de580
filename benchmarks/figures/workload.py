"""Two streams as in section 5 of paper 001, the algorithms over them in the order of arrival, and a clock.

All times are in milliseconds. Intervals are 20 to 200 wide (the paper's rho and pi). A tuple is sent at its latest time
and is on its way for up to 100, which the paper leaves open; the algorithms are told so, and no more.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

import whenabouts as wa
from benchmarks.agreement import Disagreement
from benchmarks.measure import Timing
from whenabouts.kernels.timing.streams import Pairs
from whenabouts.ops.timing.join import execute
from whenabouts.ops.timing.prepare import Prepared, prepare
from whenabouts.ops.timing.question import Side, TimingJoin
from whenabouts.ops.timing.strategies import arrivals_by, correlate
from whenabouts.testing import arrivals

WIDTHS = (20.0, 200.0)
DELAY = (0.0, 100.0)
BLOCK = 1000
SEEDS = (1, 2)

SWEEP = "sweep"
"""What `strategy="auto"` does with a batch of intervals: sort both sides, then sweep. It is none of the paper's."""

ALGORITHMS = ("simple", "sorted", "eager", "lazy", "lookup")

Answer = tuple[Pairs, dict[str, int]]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Two streams of `tuples` events each, `rate` of them a second, to be joined within `d`."""

    rate: float
    tuples: int
    d: float
    confidence: float
    delay: tuple[float, float] = DELAY

    @cached_property
    def tables(self) -> tuple[pa.Table, pa.Table]:
        seconds = self.tuples / self.rate
        one, other = (arrivals(self.rate, seconds, widths=WIDTHS, delay=self.delay, seed=seed) for seed in SEEDS)
        return one, other

    @cached_property
    def prepared(self) -> Prepared:
        left, right = (
            wa.events(table, id="id", time=wa.between("lo", "hi"), max_delay=self.delay[1]) for table in self.tables
        )
        clock = left.clock.meet(right.clock)
        join = TimingJoin(
            Side("left", left.contract, quarantine=False),
            Side("right", right.contract, quarantine=False),
            clock,
            *wa.within(self.d).band(clock),
            self.confidence,
            measure=False,
            delays=(self.delay[1], self.delay[1]),
        )
        return prepare(join, *self.tables)

    @cached_property
    def arriving(self) -> tuple[np.ndarray, np.ndarray]:
        """The events in the order in which they arrive, and when."""
        sides = self.prepared.left, self.prepared.right
        times = [table["arrival"].to_numpy()[side.rows] for table, side in zip(self.tables, sides, strict=True)]
        return arrivals_by(times[0], times[1])

    def contestant(self, strategy: str, block_size: int = BLOCK) -> Callable[[], Answer]:
        """The whole work of an algorithm, past reading the tables; for the sweep also the reading and sorting."""
        join = replace(self.prepared.join, strategy=strategy, block_size=block_size)
        prepared, (order, now) = replace(self.prepared, join=join), self.arriving
        if strategy == SWEEP:
            return lambda: _swept(join, *self.tables)
        return lambda: correlate(prepared, order, now)

    def ids(self, pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
        """The ids of the pairs that an algorithm found."""
        return self.prepared.left.rows[pairs.left], self.prepared.right.rows[pairs.right]


def _swept(join: TimingJoin, left: pa.Table, right: pa.Table) -> Answer:
    prepared = prepare(join, left, right)
    answer = pa.Table.from_batches(execute(prepared), join.output_schema(left.schema, right.schema))
    left_ids, right_ids = (answer[name].to_numpy() for name in ("left_id", "right_id"))
    return Pairs(left_ids, right_ids, np.empty(0)), prepared.counts


@dataclass(frozen=True)
class Measured:
    """What a contestant took, and what it counted."""

    timing: Timing
    counts: Mapping[str, int]

    @property
    def seconds(self) -> float:
        return self.timing.best

    @property
    def average_buffer(self) -> float:
        """Tuples in the two buffers together, on average over the arrivals."""
        return self.counts["buffer_total"] / self.counts["arrivals"]

    @property
    def hit_ratio(self) -> float:
        """The share of pairs in the probe regions that the look-up table settled."""
        return self.counts["lookup_hits"] / self.counts["probed"]


def measure(workload: Workload, contestants: Mapping[str, tuple[str, int]], *, repetitions: int) -> dict[str, Measured]:
    """Time strategies with their block sizes in turn, and make sure that all of them find the same pairs."""
    runs = {name: workload.contestant(strategy, block) for name, (strategy, block) in contestants.items()}
    counts: dict[str, Mapping[str, int]] = {}
    found: dict[str, tuple[int, int]] = {}

    def look(name: str, answer: Answer) -> None:
        if name not in found:
            pairs, counts[name] = answer
            ids = (pairs.left, pairs.right) if contestants[name][0] == SWEEP else workload.ids(pairs)
            found[name] = len(pairs.left), fingerprint(*ids)

    timings = _processor_time(runs, repetitions, look)
    if len(set(found.values())) != 1:
        raise Disagreement(f"the algorithms find other pairs: {found} (how many, and a sum of their hashes)")
    return {name: Measured(timing, counts[name]) for name, timing in timings.items()}


def _processor_time(
    runs: Mapping[str, Callable[[], Answer]], repetitions: int, look: Callable[[str, Answer], None]
) -> dict[str, Timing]:
    """Run all in turn, by the time on the processor: all of them use one thread and wait for nothing.

    So it does not matter how busy the machine is with other things, as far as they leave the caches alone.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repetitions):
        for name, run in runs.items():
            gc.collect()
            start = time.process_time()
            answer = run()
            seconds[name].append(time.process_time() - start)
            look(name, answer)
            del answer
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def fingerprint(left: np.ndarray, right: np.ndarray) -> int:
    """A number that changes with the set of pairs and not with their order."""
    mixed = left.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + right.astype(np.uint64)
    mixed ^= mixed >> np.uint64(29)
    return int((mixed * np.uint64(0xBF58476D1CE4E5B9)).sum(dtype=np.uint64))


def warm_up(strategies: Sequence[str] = (*ALGORITHMS, SWEEP)) -> None:
    """Have every kernel compiled before a clock runs."""
    workload = Workload(rate=100, tuples=500, d=500.0, confidence=0.8)
    measure(workload, {strategy: (strategy, 100) for strategy in strategies}, repetitions=1)
