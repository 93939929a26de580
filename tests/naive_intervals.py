"""Possible worlds of two segmented intervals with lost events, in exact arithmetic; imports nothing of whenabouts.

A side is a list of point events in order, start, end, start, end, ...: a number where it was recorded, None where it
was lost. `lo` and `hi` bound the events that are lost before the first and after the last recorded one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

Time = Fraction | int | float


@dataclass(frozen=True)
class Side:
    times: tuple[Time | None, ...]
    lo: Time | None = None
    hi: Time | None = None


def window(side: Side, at: int) -> tuple[Fraction, Fraction, int, int]:
    """The bounds of the lost event at a place, how many are lost between them, and the number of the first."""
    first = at
    while first > 0 and side.times[first - 1] is None:
        first -= 1
    last = at
    while last + 1 < len(side.times) and side.times[last + 1] is None:
        last += 1
    low = side.times[first - 1] if first > 0 else side.lo
    high = side.times[last + 1] if last + 1 < len(side.times) else side.hi
    assert low is not None
    assert high is not None
    return Fraction(low), Fraction(high), last - first + 1, first


def worlds(left: Side, right: Side) -> Iterator[tuple[list[tuple[int, ...]], Fraction]]:
    """Every order of the events of both sides with its probability (theorem 1).

    An order is a list of moments, each with the sides that have an event then: (0,), (1,), or (0, 1) for two recorded
    events at the same time. In a stretch between two neighbouring known times of width w the chance that k given
    lost events happen there in a given order is w^k / k! times the density n! / length^n of each gap (lemma 1).
    """
    sides = (left, right)
    known = {Fraction(t) for side in sides for t in (*side.times, side.lo, side.hi) if t is not None}
    cuts = sorted(known)

    def place(cell: int, at: tuple[int, int], weight: Fraction, done: list) -> Iterator:
        """All orders from cut number `cell` on, `at` being the next event of each side."""
        if cell == len(cuts):
            if all(at[s] == len(sides[s].times) for s in (0, 1)):
                yield list(done), weight
            return
        here = tuple(
            s
            for s in (0, 1)
            if at[s] < len(sides[s].times) and sides[s].times[at[s]] is not None and sides[s].times[at[s]] == cuts[cell]
        )
        after = (at[0] + (0 in here), at[1] + (1 in here))
        moments = [*done, here] if here else done
        if cell + 1 == len(cuts):
            yield from place(cell + 1, after, weight, moments)
            return
        width = cuts[cell + 1] - cuts[cell]
        room = [losses(sides[s], after[s], cuts[cell], cuts[cell + 1]) for s in (0, 1)]
        for a, b in itertools.product(range(room[0] + 1), range(room[1] + 1)):
            share = width ** (a + b) / math.factorial(a + b)
            for s, count in ((0, a), (1, b)):
                for k in range(count):
                    low, high, _, first = window(sides[s], after[s] + k)
                    share *= Fraction(after[s] + k - first + 1) / (high - low)
            for order in set(itertools.permutations([0] * a + [1] * b)):
                yield from place(
                    cell + 1, (after[0] + a, after[1] + b), weight * share, [*moments, *((s,) for s in order)]
                )

    yield from place(0, (0, 0), Fraction(1), [])


def losses(side: Side, at: int, begin: Fraction, end: Fraction) -> int:
    """How many lost events, from a place on, can happen between two neighbouring known times."""
    count = 0
    while at + count < len(side.times) and side.times[at + count] is None:
        low, high, _, _ = window(side, at + count)
        if not (low <= begin and end <= high):
            break
        count += 1
    return count


def relation(x: tuple, y: tuple) -> str:
    """Allen's relation of x = (start, end) to y, by their ends alone."""
    if x[1] < y[0]:
        return "precedes"
    if x[1] == y[0]:
        return "meets"
    if x[0] > y[1]:
        return "preceded by"
    if x[0] == y[1]:
        return "met by"
    begins = (x[0] > y[0]) - (x[0] < y[0])
    ends = (x[1] > y[1]) - (x[1] < y[1])
    return {
        (-1, -1): "overlaps", (-1, 0): "finished by", (-1, 1): "contains", (0, -1): "starts", (0, 0): "equals",
        (0, 1): "started by", (1, -1): "during", (1, 0): "finishes", (1, 1): "overlapped by",
    }[begins, ends]  # fmt: skip


def segments(order: Sequence[tuple[int, ...]], side: int) -> list[tuple[int, int]]:
    """The segments of a side in a world, their ends being numbers of moments."""
    moments = [number for number, sides in enumerate(order) if side in sides]
    return list(zip(moments[::2], moments[1::2], strict=True))


def enough(count: int, among: int, quantifier: tuple[str, int]) -> bool:
    kind, least = quantifier
    return count == among if kind == "every" else count >= least


def holds(order: Sequence[tuple[int, ...]], query: tuple) -> bool:
    """Table 1: (outer, subject, relations, inner), a quantifier being ("every", 1) or ("at least", k)."""
    outer, subject, relations, inner = query
    own, other = (segments(order, s) for s in ((0, 1) if subject == "a" else (1, 0)))
    satisfied = sum(enough(sum(relation(x, y) in relations for y in other), len(other), inner) for x in own)
    return enough(satisfied, len(own), outer)


def probability(left: Side, right: Side, query: tuple) -> Fraction:
    """Equation 1: the probabilities of the worlds that satisfy the query, summed."""
    return sum((weight for order, weight in worlds(left, right) if holds(order, query)), Fraction(0))


Pieces = Sequence[tuple[Time, Time, Fraction]]
"""The distribution of an uncertain time: (lo, hi, mass), a point where lo equals hi."""


def uncertain_worlds(left: Sequence[Pieces], right: Sequence[Pieces]) -> Iterator[tuple[list, Fraction]]:
    """Orders of independent uncertain times with their weights, for those in which each side's own events are in order.

    Time is cut wherever a piece begins or ends. Every event is put into each cut or stretch in which it has mass; in a
    stretch all orders of the events that are there are equally likely.
    """
    events = [(0, pieces) for pieces in left] + [(1, pieces) for pieces in right]
    cuts = sorted({Fraction(end) for _, pieces in events for lo, hi, _ in pieces for end in (lo, hi)})
    places = []
    for _, pieces in events:
        own: dict[int, Fraction] = {}
        for lo, hi, mass in pieces:
            if lo == hi:
                own[2 * cuts.index(Fraction(lo))] = own.get(2 * cuts.index(Fraction(lo)), Fraction(0)) + mass
                continue
            for cell in range(cuts.index(Fraction(lo)), cuts.index(Fraction(hi))):
                share = mass * (cuts[cell + 1] - cuts[cell]) / (Fraction(hi) - Fraction(lo))
                own[2 * cell + 1] = own.get(2 * cell + 1, Fraction(0)) + share
        places.append(own)
    for chosen in itertools.product(*(sorted(own) for own in places)):
        weight = math.prod((own[at] for own, at in zip(places, chosen, strict=True)), start=Fraction(1))
        stretches = []
        for at in sorted(set(chosen)):
            here = [number for number, place in enumerate(chosen) if place == at]
            if at % 2 == 0:
                stretches.append([([here], Fraction(1))])
            else:
                orders = list(itertools.permutations(here))
                stretches.append([([[one] for one in order], Fraction(1, len(orders))) for order in orders])
        for combination in itertools.product(*stretches):
            moments = [moment for order, _ in combination for moment in order]
            flat = [[number for moment in moments for number in moment if events[number][0] == s] for s in (0, 1)]
            apart = all(len({events[number][0] for number in moment}) == len(moment) for moment in moments)
            if apart and all(own == sorted(own) for own in flat):
                share = math.prod((part for _, part in combination), start=Fraction(1))
                yield [tuple(sorted(events[number][0] for number in moment)) for moment in moments], weight * share


def uncertain_probability(left: Sequence[Pieces], right: Sequence[Pieces], query: tuple) -> Fraction | None:
    """The probability of a query given that each side's events are in order; None where they cannot be."""
    found = [(holds(order, query), weight) for order, weight in uncertain_worlds(left, right)]
    total = sum((weight for _, weight in found), Fraction(0))
    return sum((weight for yes, weight in found if yes), Fraction(0)) / total if total else None
