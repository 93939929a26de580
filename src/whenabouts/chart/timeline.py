"""Events of two sides as the pieces of their distributions, on one clock, read by the join's own door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.errors import BadArgument
from whenabouts.model.clock import Clock
from whenabouts.ops.timing.prepare import Sorted, prepare
from whenabouts.ops.timing.question import Side, TimingJoin

_NANOSECONDS = {
    "days": 86_400 * 10**9, "hours": 3_600 * 10**9, "minutes": 60 * 10**9, "seconds": 10**9,
    "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1,
}  # fmt: skip


class Drawable(Protocol):
    """What a chart needs to know of `wa.Events` or `wa.Segments`."""

    @property
    def table(self) -> pa.Table | None: ...
    @property
    def contract(self) -> Any: ...
    @property
    def clock(self) -> Clock: ...


@dataclass(frozen=True)
class Drawn:
    """One event: its possible moments as pieces (lo, hi, mass), in order."""

    pieces: list[tuple[float, float, float]]

    @property
    def earliest(self) -> float:
        return self.pieces[0][0]

    @property
    def latest(self) -> float:
        return self.pieces[-1][1]


@dataclass(frozen=True)
class Timeline:
    """Pairs of events in ticks of a clock, counted from an origin that is a value of the data itself."""

    pairs: list[tuple[Drawn, Drawn]]
    clock: Clock
    origin: Any

    @property
    def first(self) -> float:
        return min(event.earliest for pair in self.pairs for event in pair)

    @property
    def last(self) -> float:
        return max(event.latest for pair in self.pairs for event in pair)


def read_pairs(left: Drawable, right: Drawable, ids: list[tuple[Any, Any]]) -> Timeline:
    """The events of some pairs of ids, on one clock and one origin."""
    clock = left.clock.meet(right.clock)
    sides = (left, right)
    tables = [
        _rows_of(side, {pair[place] for pair in ids}, role)
        for place, (side, role) in enumerate(zip(sides, ("left", "right"), strict=True))
    ]
    join = TimingJoin(
        Side("left", left.contract, True, left.clock),
        Side("right", right.contract, True, right.clock),
        clock,
        0.0,
        0.0,
        min_confidence=1.0,
    )
    prepared = prepare(join, *tables)
    known = _by_id(prepared.left, left.contract), _by_id(prepared.right, right.contract)
    missing = [id for pair in ids for id, some in zip(pair, known, strict=True) if id not in some]
    if missing:
        raise BadArgument(
            f"The result holds the id {missing[0]!r}, but the events do not. Pass the events that were joined."
        )
    origin = _origin(clock, (prepared.left, prepared.right), (left.contract, right.contract))
    return Timeline([(known[0][one], known[1][other]) for one, other in ids], clock, origin)


def _origin(clock: Clock, sides: Sequence[Sorted], contracts: Sequence[Any]) -> Any:
    """The value of the data at tick zero: the first of all, where the clock counts whole ticks; else plain zero."""
    if not clock.exact:
        return 0.0
    values = [
        value[0] if isinstance(value, list) else value
        for side, contract in zip(sides, contracts, strict=True)
        for value in side.table.column(contract.time.columns[0]).take(pa.array(side.rows)).to_pylist()
    ]
    return min(values)


def unit_for(clock: Clock, span: float) -> tuple[str, float]:
    """The name of the unit in which a span of ticks reads well, and how many ticks it has."""
    if clock.kind == "number":
        return "", 1.0
    long_enough = (name for name, length in _NANOSECONDS.items() if span * clock.tick >= 2 * length)
    name = next(long_enough, "nanoseconds")
    return name, _NANOSECONDS[name] / clock.tick


def _rows_of(side: Drawable, ids: set[Any], role: str) -> pa.Table:
    if side.table is None:
        raise BadArgument(
            f"The {role} events are in Spark, and charts are drawn in this process. Bring the few rows of the chart "
            "here with .toArrow(), and make wa.events of them."
        )
    column = side.table.column(side.contract.id)
    return side.table.filter(pc.is_in(column, pa.array(ids, column.type)))


def _by_id(side: Sorted, contract: Any) -> dict[Any, Drawn]:
    """Each event by its id."""
    ids = side.table.column(contract.id).to_pylist()
    return {ids[row]: Drawn(_pieces(side, at)) for at, row in enumerate(side.rows.tolist())}


def _pieces(side: Sorted, at: int) -> list[tuple[float, float, float]]:
    """The pieces (lo, hi, mass) of the event at a position."""
    events, shapes = side.events, side.events.shapes
    if side.uniform:
        return [(float(events.earliest[at]), float(events.latest[at]), 1.0)]
    own = slice(int(shapes.start[events.shape[at]]), int(shapes.start[events.shape[at] + 1]))
    columns = (shapes.lo[own] + events.anchor[at], shapes.hi[own] + events.anchor[at], shapes.mass[own])
    return list(zip(*(column.tolist() for column in columns), strict=True))
