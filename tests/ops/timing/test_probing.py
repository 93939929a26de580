"""The sweep chooses how to cut and to probe by what the two sides are; each choice gives the oracle's pairs."""

import time

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa
from tests import naive
from tests.agreement import assert_agrees, pairs_of
from tests.strategies import random_knobs, random_rows, side_of
from whenabouts.kernels.timing import probing
from whenabouts.ops.timing import join as operator
from whenabouts.ops.timing import probing as choosing
from whenabouts.ops.timing.prepare import prepare
from whenabouts.ops.timing.probing import choose_probing
from whenabouts.ops.timing.question import Side, TimingJoin

CHOICES = {
    "closed form for intervals": ("between", "around_column", probing.UNIFORM, "uniform_bounds"),
    "table for templates": ("detected_by", "detected_by", probing.TABLE, "partition_bounds"),
    "envelopes for templates against rows of their own": ("detected_by", "histogram", probing.SHAPED, "shaped_bounds"),
    "supports for rows of their own": ("pmf", "histogram", probing.SHAPED, "support_bounds"),
    "supports for intervals against rows of their own": ("between", "pmf", probing.SHAPED, "support_bounds"),
}
PAIRS = {name: choice[:2] for name, choice in CHOICES.items()}


def sides_of(one: str, other: str):
    left = side_of(one, random_rows(11, 40, spread=40), random_knobs(11))
    right = side_of(other, random_rows(12, 45, spread=40), random_knobs(12))
    return left, right


def planned(left, right, low, high, threshold, measure, **more) -> TimingJoin:
    events = left.events(), right.events()
    sides = (Side(name, one.contract, False) for name, one in zip(("left", "right"), events, strict=True))
    return TimingJoin(*sides, events[0].clock.meet(events[1].clock), low, high, threshold, measure, **more)


@pytest.mark.parametrize(("one", "other", "kind", "cut"), CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("measure", [True, False])
def test_sweep__probes_as_fits_the_two_sides_and_agrees_with_the_oracle(monkeypatch, one, other, kind, cut, measure):
    left, right = sides_of(one, other)
    join = planned(left, right, -5.0, 5.0, 0.35, measure)
    used = []
    for name in ("uniform_bounds", "partition_bounds", "shaped_bounds", "support_bounds"):
        made_by = getattr(choosing, name)
        monkeypatch.setattr(choosing, name, lambda *a, _f=made_by, _name=name: used.append(_name) or _f(*a))
    chosen = choose_probing(prepare(join, left.table, right.table))
    assert chosen.kind == kind
    assert len(chosen.bounds(slice(3, 10)).yes_from) == 7
    assert used == [cut]
    for predicate, low, high in ((wa.within(5), -5, 5), (wa.deadline(-3), None, -3), (wa.delay(4), 4, None)):
        exact = naive.probabilities(left.times, right.times, low, high)
        result = wa.timing_join(left.events(), right.events(), predicate, min_confidence=0.35, confidence=measure)
        assert_agrees(pairs_of(result), exact, 0.35)


@pytest.mark.parametrize("chunk", [1, 10, 100])
@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_sweep__hands_out_the_same_pairs_in_chunks_of_any_size(monkeypatch, chunk, one, other):
    left, right = sides_of(one, other)
    ask = {"predicate": wa.within(9), "min_confidence": 0.3}
    whole = wa.timing_join(left.events(), right.events(), **ask)
    monkeypatch.setattr(operator, "CHUNK", chunk)
    pieces = wa.timing_join(left.events(), right.events(), **ask)
    assert pieces["left_id"].num_chunks >= len(whole) / chunk
    assert pieces.combine_chunks() == whole.combine_chunks()


@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_sweep__gives_the_same_pairs_on_any_number_of_threads(monkeypatch, one, other):
    monkeypatch.setattr(operator, "_ROWS_A_TASK", 3)
    left, right = sides_of(one, other)
    ask = {"predicate": wa.within(9), "min_confidence": 0.3}
    alone = wa.timing_join(left.events(), right.events(), **ask, threads=1)
    for threads in (2, 5):
        assert wa.timing_join(left.events(), right.events(), **ask, threads=threads).combine_chunks() == (
            alone.combine_chunks()
        )


def test_sweep__of_many_rows_is_the_same_on_one_thread_and_on_several():
    """More rows than a task holds: the real tasks, the real chunks."""
    draw = np.random.default_rng(7)
    tables = []
    for count in (40_000, 30_000):
        lo = draw.uniform(0, 1e6, count)
        tables.append(pa.table({"id": np.arange(count), "lo": lo, "hi": lo + draw.uniform(0, 200, count)}))
    left, right = (wa.events(table, id="id", time=wa.between("lo", "hi")) for table in tables)
    counts = wa.Stats(), wa.Stats()
    alone, together = (
        wa.timing_join(left, right, wa.within(150), min_confidence=0.5, threads=threads, stats=stats)
        for threads, stats in zip((1, 3), counts, strict=True)
    )
    assert len(alone) > 300_000
    order = [("left_id", "ascending"), ("right_id", "ascending")]
    assert alone.sort_by(order).combine_chunks() == together.sort_by(order).combine_chunks()
    assert counts[0].counts == counts[1].counts


class Hesitant(dict):
    """A dictionary that lets another thread in between reading and writing."""

    def get(self, *key):
        value = super().get(*key)
        time.sleep(0.002)
        return value


def test_sweep__loses_no_count_when_threads_finish_at_once(monkeypatch):
    monkeypatch.setattr(operator, "_ROWS_A_TASK", 1)
    left, right = sides_of("between", "between")
    prepared = prepare(planned(left, right, -9.0, 9.0, 0.3, True), left.table, right.table)
    prepared.counts = Hesitant()
    pairs = sum(len(batch) for batch in operator._sweep(prepared, 8, False))
    assert prepared.counts["emitted"] == pairs
    assert prepared.counts["candidates"] == prepared.counts["surely_yes"] + prepared.counts["probed"]
