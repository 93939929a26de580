"""How long a pair waits for its answer: a queue with one server, fed by the arrivals, served at a measured speed.

A pair is answered when the job that finds it is finished. Jobs are done one at a time, in turn. With an algorithm that
works on each arrival a job is an arrival; with a lazy one it is a block, which starts when its last tuple is there. A
pair belongs to the later job of its two tuples. What a job takes is the measured time of the whole run, shared out
among the tuples evenly. The response time is paper 001's: from the later of the two latest times to the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.figures.workload import Workload
from whenabouts.kernels.timing.streams import Pairs

MILLISECONDS = 1000.0


@dataclass(frozen=True)
class Jobs:
    """When each job can start, how many tuples it has, and how many pairs it finds."""

    ready: np.ndarray
    tuples: np.ndarray
    pairs: np.ndarray
    later_latest: float
    """The mean over all pairs of the later of their two latest times."""

    def mean_response(self, seconds_a_tuple: float) -> float:
        """The mean over pairs of the time to the answer, in milliseconds."""
        work = np.cumsum(self.tuples) * seconds_a_tuple * MILLISECONDS
        before = np.concatenate([[0.0], work[:-1]])
        finished = work + np.maximum.accumulate(self.ready - before)
        return float(finished @ self.pairs / self.pairs.sum()) - self.later_latest


def jobs_of_arrivals(workload: Workload, pairs: Pairs) -> Jobs:
    """Every arrival is a job of its own."""
    _, now = workload.arriving
    return _jobs(workload, pairs, np.arange(len(now)), now)


def jobs_of_blocks(workload: Workload, pairs: Pairs, block_size: int) -> Jobs:
    """The arrivals of a side are one job as soon as they are `block_size`; what is left is done at the end."""
    order, now = workload.arriving
    job = np.empty(len(order), np.int64)
    for rest, mine in enumerate((order >= 0, order < 0)):
        own = np.flatnonzero(mine)
        last = np.arange(len(own)) // block_size * block_size + block_size - 1
        job[own] = np.where(last < len(own), own[np.minimum(last, len(own) - 1)], len(order) + rest)
    return _jobs(workload, pairs, job, np.concatenate([now, now[-1:], now[-1:]]))


def _jobs(workload: Workload, pairs: Pairs, job: np.ndarray, ready: np.ndarray) -> Jobs:
    """Jobs from the number of the job of each arrival; one without tuples costs nothing and answers nothing."""
    order, _ = workload.arriving
    of_left, of_right = np.empty((2, workload.tuples), np.int64)
    of_left[order[order >= 0]] = job[order >= 0]
    of_right[~order[order < 0]] = job[order < 0]
    latest = workload.prepared.left.events.latest, workload.prepared.right.events.latest
    return Jobs(
        ready,
        np.bincount(job, minlength=len(ready)),
        np.bincount(np.maximum(of_left[pairs.left], of_right[pairs.right]), minlength=len(ready)),
        float(np.maximum(latest[0][pairs.left], latest[1][pairs.right]).mean()),
    )
