"""The confidence of pairs, chunk by chunk, by the method that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.errors import BadArgument
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.intervals.baselines import filling_in, ignoring
from whenabouts.kernels.intervals.lattice import BELOW, TOLERANCE, most_lost, probabilities, workspace
from whenabouts.kernels.intervals.phases import UNIFORM, Phases, phases_of
from whenabouts.kernels.intervals.sequences import Automaton, Sequences
from whenabouts.kernels.intervals.tree import tree_probabilities
from whenabouts.kernels.intervals.uncertain import uncertain_probabilities
from whenabouts.model.relation import IntervalQuery
from whenabouts.ops.intervals.automaton import compile_query
from whenabouts.ops.intervals.prepare import Prepared
from whenabouts.schema.arrow import plain

CHUNK = 512
"""Pairs that one thread works on at a time."""


class Evaluator:
    """A prepared question, ready to be asked of pairs of keys; threads may share it."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.question = prepared.question
        self.automaton: Automaton = compile_query(_in_reach(self.question.query, prepared.sequences))
        self.states = self.automaton.step.shape[3]
        certain = {"ignore": ignoring, "static": filling_in}.get(self.question.method)
        left, right = prepared.sequences
        if certain is not None:
            left, right = certain(left), certain(right)
        self.phases: tuple[Phases, Phases] = phases_of(left), phases_of(right)
        self.most = most_lost(self.phases[0]), most_lost(self.phases[1])
        if prepared.pieces is not None and self.question.method != "lattice":
            raise BadArgument(
                f"method={self.question.method!r} takes exact recorded times alone. "
                'Uncertain ones need method="lattice".'
            )
        if self.question.method in ("simpmatch", "sase") and any((side.kind != UNIFORM).any() for side in self.phases):
            raise BadArgument(
                f"method={self.question.method!r} needs bounds for events that are lost before the first or after the "
                'last recorded one. Say bounds=, or use method="lattice".'
            )

    def confidences(self, xs: Ints, ys: Ints) -> Floats:
        """The confidence of each pair; BELOW where it is surely under the threshold."""
        question, result = self.question, np.empty(len(xs))
        if self.prepared.pieces is not None:
            uncertain_probabilities(*self.prepared.pieces, xs, ys, self.automaton, result)
            if np.isnan(result).any():
                raise BadArgument(
                    "The uncertain times of a key can nowhere be in order. Correct them, or leave it out."
                )
        elif question.method in ("simpmatch", "sase"):
            reach = question.reach if question.method == "sase" else 0
            tree_probabilities(*self.phases, xs, ys, self.automaton, question.most, reach, question.step, result)
            if np.isnan(result).any():
                raise BadArgument(
                    f"The tree of possible worlds has more than {question.most:,} nodes. Raise max_nodes, or use "
                    'method="lattice", which needs no tree.'
                )
        else:
            left, right = (int(most[at].max(initial=0)) for most, at in zip(self.most, (xs, ys), strict=True))
            room = workspace(left, right, self.states)
            least = question.min_confidence or 0.0
            probabilities(*self.phases, xs, ys, self.automaton, least, not question.measure, room, result)
        return np.minimum(result, 1.0)

    def batch(self, xs: Ints, ys: Ints, schema: pa.Schema) -> pa.RecordBatch:
        """The pairs that reach the threshold, with their keys."""
        confidence = self.confidences(xs, ys)
        if self.question.min_confidence is not None:
            kept = (confidence >= self.question.min_confidence - TOLERANCE) & (confidence != BELOW)
            xs, ys, confidence = xs[kept], ys[kept], confidence[kept]
        columns = [keys.take(pa.array(at)) for keys, at in zip(self.prepared.keys, (xs, ys), strict=True)]
        if self.question.measure:
            columns.append(pa.array(confidence))
        return pa.RecordBatch.from_arrays(columns, schema=schema)


def _in_reach(query: IntervalQuery, sequences: tuple[Sequences, Sequences]) -> IntervalQuery:
    """To ask for more segments than any key has is to ask for one too many: the automaton need not count further."""
    most = [int(np.diff(side.start).max(initial=0)) // 2 + 1 for side in sequences]
    own, other = most if query.subject == "a" else most[::-1]
    outer, inner = (
        replace(one, count=min(one.count, limit)) for one, limit in ((query.outer, own), (query.inner, other))
    )
    return replace(query, outer=outer, inner=inner)


def all_pairs(prepared: Prepared) -> Iterator[tuple[Ints, Ints]]:
    """Every pair of a left and a right key, in chunks; of one set of keys each unordered pair once."""
    left, right = (len(keys) for keys in prepared.keys)
    if prepared.question.unordered:
        yield from _unordered(prepared)
        return
    for first in range(0, left * right, CHUNK):
        at = np.arange(first, min(first + CHUNK, left * right))
        yield at // right, at % right


def _unordered(prepared: Prepared) -> Iterator[tuple[Ints, Ints]]:
    """Pairs whose left key comes before the right one."""
    both = [plain(pa.chunked_array([keys])) for keys in prepared.keys]
    rank = pc.rank(
        pa.concat_arrays([chunk for keys in both for chunk in keys.chunks]), sort_keys="ascending", tiebreaker="dense"
    ).to_numpy()
    split = len(prepared.keys[0])
    left, right = rank[:split].astype(np.int64), rank[split:].astype(np.int64)
    order = np.argsort(right, kind="stable")
    begin = np.searchsorted(right[order], left, side="right")
    counts = len(order) - begin
    start = np.concatenate([[0], np.cumsum(counts)])
    for first in range(0, int(start[-1]), CHUNK):
        at = np.arange(first, min(first + CHUNK, int(start[-1])))
        x = np.searchsorted(start, at, side="right") - 1
        yield x, order[begin[x] + at - start[x]]


def given_pairs(prepared: Prepared, pairs: pa.Table) -> Iterator[tuple[Ints, Ints]]:
    """The pairs that the user names, in their order; those of keys that are not there are left out."""
    places = []
    for keys, name in zip(prepared.keys, ("left_key", "right_key"), strict=True):
        known = plain(pa.chunked_array([keys])).combine_chunks()
        places.append(pc.index_in(plain(pairs.column(name)).combine_chunks(), known, skip_nulls=True))
    there = pc.and_(pc.is_valid(places[0]), pc.is_valid(places[1]))
    xs, ys = (place.filter(there).to_numpy(zero_copy_only=False).astype(np.int64) for place in places)
    for first in range(0, len(xs), CHUNK):
        yield xs[first : first + CHUNK], ys[first : first + CHUNK]


def execute(
    prepared: Prepared, schema: pa.Schema, pairs: pa.Table | None = None, threads: int = 1
) -> Iterator[pa.RecordBatch]:
    """The result as record batches, in the order of the pairs; counts of what was done go to `prepared.counts`."""
    evaluator = Evaluator(prepared)
    chunks = all_pairs(prepared) if pairs is None else given_pairs(prepared, pairs)
    counts: dict[str, Any] = {"candidates": 0, "computed": 0, "emitted": 0}

    def work(chunk: tuple[Ints, Ints]) -> tuple[int, pa.RecordBatch]:
        return len(chunk[0]), evaluator.batch(*chunk, schema)

    with ThreadPoolExecutor(threads) as pool:
        done = pool.map(work, chunks) if threads > 1 else map(work, chunks)
        for size, batch in done:
            counts["candidates"] += size
            counts["computed"] += size
            counts["emitted"] += len(batch)
            yield batch
    prepared.counts |= counts
