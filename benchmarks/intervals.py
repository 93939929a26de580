"""Interval queries over lossy streams: events a second on one core, against the paper's own algorithm and baselines.

The data is the paper's (section 4.1): pairs of 20 segments each, exponential times, k-sharing at the k that is hardest
to answer. Events are counted with the lost ones, as the paper does. SimpMatch's tree is given up after so many nodes a
pair; its speed is then an upper bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import whenabouts as wa
from benchmarks.data import Scale
from benchmarks.interval_workload import (
    LOSSES,
    Pairs,
    accuracy,
    best_possible,
    hardest,
    losing,
    sharing,
    synthetic,
    tree,
    walk,
)
from benchmarks.measure import OURS, Row, row
from whenabouts.kernels.intervals.lattice import probabilities, workspace
from whenabouts.kernels.intervals.phases import phases_of
from whenabouts.kernels.intervals.sequences import Sequences
from whenabouts.ops.intervals.automaton import compile_query
from whenabouts.query import format_interval_query

MOST = {"small": 200_000, "full": 5_000_000}
"""Nodes after which a tree is given up: a tenth of a second and more, where the walk takes fifty microseconds."""
TREE_PAIRS = {"small": 10, "full": 30}


def best(run: Callable[[], float], times: int = 5) -> float:
    """The least seconds of CPU of several runs."""
    return min(run() for _ in range(times))


def run(scale: Scale) -> list[Row]:
    """Throughput and accuracy by loss, then how the cost grows."""
    warm_up()
    data = synthetic(500 if scale == "full" else 100)
    k = hardest(data, losing(data, 0.2), range(1, 21))
    truth = walk(data, sharing(k)).confidence
    rows: list[Row] = []
    for loss in LOSSES:
        rows += at_loss(losing(data, loss), k, loss, truth, scale)
    return rows + growth(scale)


def warm_up() -> None:
    """Compile everything that is measured."""
    few = losing(synthetic(2, 3), 0.3)
    walk(few, sharing(2))
    for method in ("ignore", "static"):
        walk(few, sharing(2), method)
    for reach in (0, 3):
        tree(few, sharing(2), most=10**6, reach=reach)


def at_loss(lossy: Pairs, k: int, loss: float, truth: np.ndarray, scale: Scale) -> list[Row]:
    """One noise level: the whole call, the walk alone, the tree, the grid and the baselines."""
    query = sharing(k)
    case = f"{lossy.count} pairs, k={k}, {loss:.0%} lost"
    rows = []

    def add(subject: str, seconds: float, events: int, confidence: np.ndarray, **more: object) -> None:
        rate = events / seconds
        rows.append(
            row(
                "intervals",
                case,
                subject,
                rate / 1e6,
                "M events/s",
                better="higher",
                accuracy=accuracy(confidence, truth),
                seconds=seconds,
                **more,
            )
        )

    def call() -> float:
        begin = time.process_time()
        left, right = lossy.segments_of()
        wa.interval_query(left, right, format_interval_query(query), pairs=lossy.wanted, threads=1)
        return time.process_time() - begin

    ours = walk(lossy, query)
    add(f"{OURS}, whole call", best(call), lossy.events, ours.confidence)
    walking = best(lambda: walk(lossy, query).seconds)
    add(OURS, walking, lossy.events, ours.confidence)
    unit = f"right, of {best_possible(ours.confidence):.3f} to expect at best"
    rows.append(row("intervals", case, "accuracy", accuracy(ours.confidence, truth), unit, better="higher"))
    first = min(TREE_PAIRS[scale], lossy.count)
    for name, reach in (("simpmatch", 0), ("sase, delta 30", 30)):
        found = tree(lossy, query, most=MOST[scale], reach=reach, first=first)
        if not reach:
            done = ~np.isnan(found.confidence)
            assert np.allclose(found.confidence[done], ours.confidence[:first][done], atol=1e-9)
        slower = found.seconds / first / (walking / lossy.count)
        add(
            name,
            found.seconds,
            lossy.events * first // lossy.count,
            found.confidence,
            times_ours=slower,
            unfinished=found.unfinished,
        )
        share = f", {found.unfinished:.0%} of the trees given up" if found.unfinished else ""
        rows.append(row("intervals", case, f"{name}: time a pair", slower, f"x ours{share}", better="higher"))
    for name in ("ignore", "static"):
        add(
            name,
            best(lambda name=name: walk(lossy, query, name).seconds),
            lossy.events,
            walk(lossy, query, name).confidence,
        )
    return rows


def growth(scale: Scale) -> list[Row]:
    """The cost of a pair as segments, or lost events in one gap, get more."""
    rows = []
    for segments in (20, 50, 100, 200):
        lossy = losing(synthetic(20 if scale == "full" else 5, segments), 0.2)
        query = sharing(segments * 3 // 4)
        seconds = best(lambda: walk(lossy, query).seconds) / lossy.count  # noqa: B023
        rows.append(
            row(
                "intervals",
                "growth with segments",
                f"{segments} segments a side",
                1e3 * seconds,
                "ms a pair",
                better="lower",
            )
        )
    for lost in (1, 2, 5, 10, 20, 30):
        seconds = best(lambda: one_gap(lost))  # noqa: B023
        rows.append(
            row(
                "intervals",
                "growth with lost events in one gap",
                f"{lost} lost on each side",
                1e3 * seconds,
                "ms a pair",
                better="lower",
            )
        )
    return rows


def one_gap(lost: int, repeat: int = 5) -> float:
    """Seconds for a pair in which each side lost so many events in one gap, and recorded six around it."""
    sides = []
    for shift in (0.0, 0.5):
        times = np.array([0, 1, 2, *[np.nan] * lost, 20, 21, 22, 23][: 6 + lost + lost % 2])
        times = np.where(np.isnan(times), np.nan, times + shift)
        none, edge = np.zeros(1, dtype=np.int64), np.full(1, np.inf)
        sides.append(phases_of(Sequences(np.array([0, len(times)]), times, -edge, edge, np.ones(1), none, none)))
    automaton = compile_query(sharing(2 + lost // 4))
    room, zero, result = (
        workspace(lost, lost, automaton.step.shape[3]),
        np.zeros(repeat, dtype=np.int64),
        np.empty(repeat),
    )
    begin = time.thread_time()
    probabilities(*sides, zero, zero, automaton, 0.0, False, room, result)
    return (time.thread_time() - begin) / repeat
