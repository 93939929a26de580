"""Possible worlds of a pattern: the judge of every match, its time range and its confidence.

A world gives every event one time. In a world a plain automaton reads the events in the order of time, as an engine for
certain times does, and says which sequences match. Worlds are enumerated and their probabilities summed, all in exact
fractions; nothing here is shared with what it judges.

Discrete time has finitely many worlds. Continuous time has finitely many *kinds* of worlds: cut the line at every end
of an interval, modulo the window W. Two times in different cells of that grid compare like their cells, also after one
was shifted by W; times in the same cell, or in cells that W carries onto each other, compare like their positions
inside, all orders of which are equally likely. One world for every choice of cells and every order stands for all of
its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby, permutations, product
from math import factorial, floor

Piece = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Event:
    """An id, a time as pieces (lo, hi, mass), and whatever predicates look at."""

    id: object
    pieces: tuple[Piece, ...]
    kind: str = ""
    value: object = None

    def __hash__(self) -> int:
        return hash(self.id)


def event(id, lo, hi=None, kind="", value=None) -> Event:
    """An event that is uniform on [lo, hi], or certain."""
    lo = Fraction(lo)
    return Event(id, ((lo, Fraction(lo if hi is None else hi), Fraction(1)),), kind, value)


@dataclass(frozen=True)
class Component:
    """What one place of a pattern takes; a negated one takes nothing, it forbids."""

    fits: Callable[[Event], bool]
    negated: bool = False


@dataclass(frozen=True)
class Pattern:
    """`rules` are (places, test): a test of the events at some places, given as a mapping from place to event."""

    components: Sequence[Component]
    window: Fraction
    strategy: str = "any"
    rules: Sequence[tuple[tuple[int, ...], Callable[[Mapping[int, Event]], bool]]] = field(default=())

    @property
    def places(self) -> list[int]:
        """The places that are not negated, in order."""
        return [place for place, component in enumerate(self.components) if not component.negated]

    def admits(self, place: int, one: Event, bound: Mapping[int, Event], known: Sequence[int]) -> bool:
        """Whether an event may stand at a place, by its own merits and by the rules whose places are all known."""
        trial = {**bound, place: one}
        return self.components[place].fits(one) and all(
            test(trial) for places, test in self.rules if place in places and set(places) <= {*known, place}
        )


@dataclass
class Answer:
    """What the worlds say of one signature."""

    earliest: Fraction
    latest: Fraction
    confidence: Fraction


World = dict[Event, Fraction]


def matches_in(world: World, pattern: Pattern) -> list[tuple[Event, ...]]:
    """The matches of one world: an automaton that reads its events in the order of time."""
    places = pattern.places
    runs: list[tuple[Event, ...]] = [()]
    complete = []
    for _, tied in groupby(sorted(world, key=world.__getitem__), key=world.__getitem__):
        now = list(tied)
        fresh, kept = [], []
        for run in runs:
            bound = dict(zip(places, run, strict=False))
            known = places[: len(run)]
            takers = [one for one in now if pattern.admits(places[len(run)], one, bound, known)]
            fresh += [(*run, one) for one in takers]
            if not takers or not run or pattern.strategy == "any":
                kept.append(run)
        complete += [run for run in fresh if len(run) == len(places)]
        runs = kept + [run for run in fresh if len(run) < len(places)]
    return [
        run
        for run in complete
        if world[run[-1]] - world[run[0]] < pattern.window and not _forbidden(world, pattern, run)
    ]


def _forbidden(world: World, pattern: Pattern, run: tuple[Event, ...]) -> bool:
    """Whether an event that fits a negated component lies between its neighbours."""
    places = pattern.places
    bound = dict(zip(places, run, strict=True))
    for place, component in enumerate(pattern.components):
        if component.negated:
            before = world[bound[max(other for other in places if other < place)]]
            after = world[bound[min(other for other in places if other > place)]]
            if any(before < t < after and pattern.admits(place, one, bound, places) for one, t in world.items()):
                return True
    return False


def discrete(events: Sequence[Event], pattern: Pattern) -> dict[tuple, Answer]:
    """All answers where time is whole ticks: a piece (lo, hi, mass) is uniform on the ticks lo, lo + 1, ..., hi."""
    answers: dict[tuple, Answer] = {}
    for times in product(*[_ticks(one) for one in events]):
        share = Fraction(1)
        for _, mass in times:
            share *= mass
        world = {one: t for one, (t, _) in zip(events, times, strict=True)}
        for run in set(matches_in(world, pattern)):
            _add(answers, run, world[run[0]], world[run[-1]], share)
    return answers


def _ticks(one: Event) -> list[tuple[Fraction, Fraction]]:
    return [
        (Fraction(tick), mass / (hi - lo + 1)) for lo, hi, mass in one.pieces for tick in range(int(lo), int(hi) + 1)
    ]


def _add(answers, run, earliest, latest, share) -> None:
    signature = tuple(one.id for one in run)
    if signature not in answers:
        answers[signature] = Answer(earliest, latest, Fraction(0))
    answer = answers[signature]
    answer.earliest = min(answer.earliest, earliest)
    answer.latest = max(answer.latest, latest)
    answer.confidence += share


@dataclass(frozen=True)
class Cell:
    """Where a time may lie: an interval between two cuts, or a point; `residue` numbers its interval modulo W."""

    lo: Fraction
    hi: Fraction
    residue: int | None
    mass: Fraction


def continuous(events: Sequence[Event], pattern: Pattern) -> dict[tuple, Answer]:
    """All answers where time is continuous; a piece without width is a point."""
    cuts = _cuts(events, pattern.window)
    answers: dict[tuple, Answer] = {}
    for cells in product(*[list(_cells(one, cuts, pattern.window)) for one in events]):
        share = Fraction(1)
        for cell in cells:
            share *= cell.mass
        for world, part in _orders(events, cells):
            for run in matches_in(world, pattern):
                first, last = (cells[events.index(one)] for one in (run[0], run[-1]))
                _add(answers, run, first.lo, last.hi, share * part)
    return answers


def _cuts(events: Sequence[Event], window: Fraction) -> list[Fraction]:
    """Every end of a piece, modulo W."""
    ends = {end for one in events for lo, hi, _ in one.pieces for end in (lo, hi)}
    return sorted({end - window * floor(end / window) for end in ends})


def _cells(one: Event, cuts: list[Fraction], window: Fraction) -> Iterator[Cell]:
    for lo, hi, mass in one.pieces:
        if not mass:
            continue
        if lo == hi:
            yield Cell(lo, hi, None, mass)
            continue
        for turn in range(floor(lo / window) - 1, floor(hi / window) + 1):
            for residue, start in enumerate(cuts):
                end = cuts[residue + 1] if residue + 1 < len(cuts) else cuts[0] + window
                a, b = turn * window + start, turn * window + end
                if lo <= a and b <= hi:
                    yield Cell(a, b, residue, mass * (b - a) / (hi - lo))


def _orders(events: Sequence[Event], cells: Sequence[Cell]) -> Iterator[tuple[World, Fraction]]:
    """One world for every order of the times that share a residue, and its share of the worlds of these cells."""
    classes: dict[int, list[int]] = {}
    for number, cell in enumerate(cells):
        if cell.residue is not None:
            classes.setdefault(cell.residue, []).append(number)
    base = {number: cell.lo for number, cell in enumerate(cells)}
    share = Fraction(1)
    for members in classes.values():
        share /= factorial(len(members))
    for ranks in product(*[list(permutations(range(len(members)))) for members in classes.values()]):
        times = dict(base)
        for members, rank in zip(classes.values(), ranks, strict=True):
            for number, place in zip(members, rank, strict=True):
                cell = cells[number]
                times[number] = cell.lo + (cell.hi - cell.lo) * Fraction(place + 1, len(members) + 1)
        yield {events[number]: t for number, t in times.items()}, share
