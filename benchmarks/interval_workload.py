"""Pairs of segmented intervals with lost events, and what each method makes of them (paper 004, section 4)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

import whenabouts as wa
from whenabouts.kernels.intervals.baselines import filling_in, ignoring
from whenabouts.kernels.intervals.lattice import most_lost, probabilities, workspace
from whenabouts.kernels.intervals.phases import Phases, phases_of
from whenabouts.kernels.intervals.sequences import Sequences
from whenabouts.kernels.intervals.tree import tree_probabilities
from whenabouts.model.relation import IntervalQuery, Quantifier
from whenabouts.ops.intervals.automaton import compile_query
from whenabouts.testing import lose, poisson_segments

LOSSES = tuple(step / 20 for step in range(9))
"""The paper's noise levels: 0 to 40 % in steps of 5."""
MEAN = 5.0


def sharing(k: int) -> IntervalQuery:
    """At least k segments of a intersect some segment of b."""
    return IntervalQuery(Quantifier("at least", k), "a", ("intersects",), Quantifier("at least"))


@dataclass(frozen=True)
class Pairs:
    """Two sides with as many keys each, key by key in pairs."""

    tables: tuple[pa.Table, pa.Table]
    segments: int

    @cached_property
    def sequences(self) -> tuple[Sequences, Sequences]:
        return _sequences(self.tables[0], 2 * self.segments), _sequences(self.tables[1], 2 * self.segments)

    @cached_property
    def phases(self) -> tuple[Phases, Phases]:
        return phases_of(self.sequences[0]), phases_of(self.sequences[1])

    @property
    def count(self) -> int:
        return len(self.sequences[0].lo)

    @property
    def events(self) -> int:
        """Events of all pairs, lost ones included, as the paper counts its throughput."""
        return 4 * self.segments * self.count

    def segments_of(self) -> tuple[wa.Segments, wa.Segments]:
        left, right = (wa.segments(table, key="key", seq="seq", time="time") for table in self.tables)
        return left, right

    @cached_property
    def wanted(self) -> pa.Table:
        """The pairs: key number n of both sides."""
        names = [[f"{side}{number}" for number in range(self.count)] for side in "ab"]
        return pa.table({"left_key": names[0], "right_key": names[1]})


def _sequences(table: pa.Table, count: int) -> Sequences:
    """A table of keys in order as the kernels know it, without the door."""
    keys = table.column("key").combine_chunks().dictionary_encode().indices.to_numpy()
    total = int(keys.max()) + 1
    times = np.full((total, count), np.nan)
    times[keys, table.column("seq").to_numpy() - 1] = table.column("time").to_numpy()
    none = np.zeros(total, dtype=np.int64)
    edge = np.full(total, math.inf)
    start = np.arange(0, total * count + 1, count)
    return Sequences(start, times.ravel(), -edge, edge, np.ones(total), none, none)


def synthetic(pairs: int = 500, segments: int = 20, seed: int = 7) -> Pairs:
    """The paper's synthetic data: exponential times between events, nothing lost."""
    left = poisson_segments(pairs, segments=segments, mean=MEAN, prefix="a", seed=seed)
    right = poisson_segments(pairs, segments=segments, mean=MEAN, prefix="b", seed=seed + 1)
    return Pairs((left, right), segments)


def losing(pairs: Pairs, share: float, seed: int = 3) -> Pairs:
    """The same pairs, each inner event lost with some probability."""
    left, right = (lose(table, share, seed=seed + number) for number, table in enumerate(pairs.tables))
    return Pairs((left, right), pairs.segments)


@dataclass(frozen=True)
class Answer:
    """Confidences, NaN where a tree was given up, and the seconds of CPU that they took."""

    confidence: np.ndarray
    seconds: float

    @property
    def unfinished(self) -> float:
        return float(np.mean(np.isnan(self.confidence)))


def walk(pairs: Pairs, query: IntervalQuery, method: str = "lattice") -> Answer:
    """The lattice on one core, over the sequences as they are or as a baseline makes them."""
    automaton = compile_query(query)
    both = np.arange(pairs.count)
    result = np.empty(pairs.count)
    begin = time.thread_time()
    certain = {"ignore": ignoring, "static": filling_in}.get(method)
    sides = [phases_of(certain(side) if certain else side) for side in pairs.sequences]
    room = workspace(*(int(most_lost(side).max()) for side in sides), automaton.step.shape[3])
    probabilities(sides[0], sides[1], both, both, automaton, 0.0, False, room, result)
    return Answer(result, time.thread_time() - begin)


def tree(pairs: Pairs, query: IntervalQuery, *, most: int, reach: int = 0, first: int | None = None) -> Answer:
    """SimpMatch's tree on one core, or with a reach the discrete grid; each pair is given up after `most` nodes."""
    automaton = compile_query(query)
    both = np.arange(min(pairs.count, first or pairs.count))
    result = np.empty(len(both))
    sides = pairs.phases
    begin = time.thread_time()
    tree_probabilities(sides[0], sides[1], both, both, automaton, most, reach, 1.0, result)
    return Answer(result, time.thread_time() - begin)


def accuracy(confidence: np.ndarray, truth: np.ndarray, threshold: float = 0.5) -> float:
    """The share of pairs that are rightly found or rightly not found; a tree that was given up found nothing."""
    found = np.nan_to_num(confidence, nan=0.0) > threshold
    return float(np.mean(found == (truth[: len(found)] > 0.5)))


def best_possible(confidence: np.ndarray) -> float:
    """The accuracy to expect of whoever decides for the likelier answer, if these are the true probabilities."""
    return float(np.mean(np.maximum(confidence, 1 - confidence)))


def hardest(pairs: Pairs, lossy: Pairs, counts: range) -> int:
    """The k of k-sharing for which the lattice is least accurate."""
    worst = {k: accuracy(walk(lossy, sharing(k)).confidence, walk(pairs, sharing(k)).confidence) for k in counts}
    return min(worst, key=lambda k: worst[k])
