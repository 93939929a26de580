"""Into which blocks the keys of both sides are dealt: as many as the work is worth, each with about as much of it.

Keys are hashed into bins, and whole bins are dealt to blocks, the heaviest first. So what the driver learns is a few
numbers a bin, however many keys there are; and where there are few keys, whose weights differ most, a bin is a key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from whenabouts.kernels.events import Floats
from whenabouts.ops.intervals.question import IntervalQuestion
from whenabouts.spark.columns import named
from whenabouts.spark.lookups import table

PAIR_COLUMNS = ("left_key", "right_key")
_BINS = 1024
_EVENTS_A_TASK = 2_000_000
"""Events of pairs that are worth a task of their own: about a second, ten times what a task costs by itself."""
_MOST_TASKS = 4096


@dataclass(frozen=True)
class Blocks:
    """The block of each bin of a side's keys. A task has one block of either side."""

    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, int]:
        return max(self.left) + 1, max(self.right) + 1

    @property
    def tasks(self) -> int:
        return math.prod(self.counts)

    def of_key(self, side: int, data: DataFrame, key: str) -> Column:
        """The block of a row's key."""
        bins = (self.left, self.right)[side]
        return table(bins)(_bin(_hash(data, key), len(bins)))

    def codes(self, side: int, data: DataFrame, key: str) -> Column:
        """The tasks that need a row, packed with its side: a left row meets every right block, a right row every left.

        A task and a side make the code `3 * task + side`; of the given pairs, as a third side, each has one code.
        """
        left, right = self.counts
        own = self.of_key(side, data, key)
        first, step, count = (own * right, 1, right) if side == 0 else (own, right, left)
        return F.sequence(3 * first + side, 3 * (first + step * (count - 1)) + side, F.lit(3 * step))

    def code_of_pair(self, pairs: DataFrame) -> Column:
        """The code of a given pair: the task that has its left and its right key."""
        first, second = (self.of_key(side, pairs, key) for side, key in enumerate(PAIR_COLUMNS))
        return 3 * (first * self.counts[1] + second) + 2


class _Side(NamedTuple):
    """What is known of a side: its rows and its keys, bin by bin."""

    rows: Floats
    keys: Floats


def plan_blocks(
    question: IntervalQuestion, left: DataFrame, right: DataFrame, pairs: DataFrame | None = None
) -> Blocks:
    """Choose the blocks from how many rows and keys there are, and how many pairs of them are asked for."""
    sides = _look(question, left, right)
    (left_rows, left_keys), (right_rows, right_keys) = ((side.rows.sum(), side.keys.sum()) for side in sides)
    events = left_rows * right_keys + right_rows * left_keys
    if question.unordered:
        events /= 2
    if pairs is not None:
        events *= min(1.0, pairs.count() / max(1.0, left_keys * right_keys))
    tasks = min(_power_of_two(events / _EVENTS_A_TASK), _MOST_TASKS)
    counts = shape_of(tasks, left_rows / max(1.0, right_rows), *(int(np.count_nonzero(side.rows)) for side in sides))
    return Blocks(*(_deal(side, count) for side, count in zip(sides, counts, strict=True)))


def _power_of_two(number: float) -> int:
    """The nearest one: equal tasks of that number keep the usual numbers of cores busy to the end."""
    return 2 ** max(0, round(math.log2(number))) if number > 1 else 1


def shape_of(tasks: int, ratio: float, most_left: int, most_right: int) -> tuple[int, int]:
    """Blocks of left and of right keys that make so many tasks, if there are enough bins; a row is copied least where
    the blocks of both sides have about as many rows.
    """
    most_left, most_right = (2 ** int(math.log2(max(1, most))) for most in (most_left, most_right))
    left = min(_power_of_two(math.sqrt(tasks * ratio)), tasks, most_left)
    right = min(tasks // left, most_right)
    return min(tasks // right, most_left), right


def _hash(data: DataFrame, key: str) -> Column:
    """A key as 64 random bits; integers of any size are one type."""
    column = named(key)
    whole = data.schema[key].dataType.simpleString() in ("tinyint", "smallint", "int", "bigint")
    return F.xxhash64(column.cast("long") if whole else column)


def _bin(hashed: Column, bins: int) -> Column:
    return F.pmod(hashed, F.lit(bins)).cast("int")


def _look(question: IntervalQuestion, left: DataFrame, right: DataFrame) -> tuple[_Side, _Side]:
    """Count the rows and keys of each bin; once, where both sides are the same."""
    frames = [(left, question.left.contract.key), (right, question.right.contract.key)]
    if one_frame(question, left, right):
        frames.pop()
    looks = []
    for number, (data, key) in enumerate(frames):
        hashed = _hash(data, key)
        counted = data.groupBy(_bin(hashed, _BINS).alias("bin")).agg(F.count(F.lit(1)), F.min(hashed))
        looks.append(counted.withColumn("side", F.lit(number)))
    rows, least = np.zeros((len(looks), _BINS)), np.ones((len(looks), _BINS))
    for at, count, smallest, number in reduce(DataFrame.unionAll, looks).collect():
        rows[number, at], least[number, at] = count, smallest / 2.0**64 + 0.5
    sides = [_Side(own, keys_by(own, smallest)) for own, smallest in zip(rows, least, strict=True)]
    return sides[0], sides[-1]


def keys_by(rows: Floats, least: Floats) -> Floats:
    """About how many keys each bin has, alike in all that have any, by the least hash of each: 1 in an empty bin.

    Where bins have lambda keys on average, their hashes between 0 and 1, the least of a bin is above u with probability
    exp(-lambda u). So its mean is (1 - exp(-lambda)) / lambda, which falls from 1 to 0, and tells lambda.
    """
    few_to_many = np.logspace(-5, 9, 1 << 12)
    means = -np.expm1(-few_to_many) / few_to_many
    total = len(rows) * np.interp(least.mean(), means[::-1], few_to_many[::-1])
    occupied = rows > 0
    return occupied * max(1.0, total / max(1, np.count_nonzero(occupied)))


def one_frame(question: IntervalQuestion, left: DataFrame, right: DataFrame) -> bool:
    """Whether both sides are the same rows, which are then read and sent once."""
    return left is right and question.left.contract == question.right.contract


def _deal(side: _Side, blocks: int) -> tuple[int, ...]:
    """The bins in order of their weight, each to the block that has least so far.

    A row costs a step of the walk for each key of the other side, a key a walk: both are shared out alike.
    """
    weight = side.rows / max(1.0, side.rows.sum()) + side.keys / max(1.0, side.keys.sum())
    return heaviest_first(weight.tolist(), blocks)


def heaviest_first(weights: Sequence[float], blocks: int) -> tuple[int, ...]:
    """The block of each weight."""
    loads, dealt = [0.0] * blocks, [0] * len(weights)
    for at in sorted(range(len(weights)), key=lambda one: -weights[one]):
        lightest = min(range(blocks), key=loads.__getitem__)
        dealt[at] = lightest
        loads[lightest] += weights[at]
    return tuple(dealt)
