"""Events of two sides as the pieces of their distributions, on one clock, read by the join's own door."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.errors import BadArgument
from whenabouts.model.clock import Clock
from whenabouts.ops.timing_join import Side, Sorted, TimingJoin, prepare

_UNITS = [
    ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0),
    ("milliseconds", 1e-3), ("microseconds", 1e-6), ("nanoseconds", 1e-9),
]  # fmt: skip


class DrawnEvents(Protocol):
    """What a chart needs to know of `wa.Events`."""

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


def read_pairs(left: DrawnEvents, right: DrawnEvents, ids: list[tuple[Any, Any]]) -> Timeline:
    """The events of some pairs of ids, on one clock and one origin."""
    clock = left.clock.meet(right.clock)
    sides = (left, right)
    tables = [
        _rows_of(side, {pair[place] for pair in ids}, role)
        for place, (side, role) in enumerate(zip(sides, ("left", "right"), strict=True))
    ]
    join = TimingJoin(
        Side("left", left.contract, True), Side("right", right.contract, True), clock, 0.0, 0.0, min_confidence=1.0
    )
    prepared = prepare(join, *tables)
    known = _by_id(prepared.left, left.contract), _by_id(prepared.right, right.contract)
    missing = [id for pair in ids for id, some in zip(pair, known, strict=True) if id not in some]
    if missing:
        raise BadArgument(
            f"The result holds the id {missing[0]!r}, but the events do not. Pass the events that were joined."
        )
    return Timeline(
        [(known[0][one], known[1][other]) for one, other in ids], clock, _origin(prepared.left, left, clock)
    )


def _origin(side: Sorted, events: DrawnEvents, clock: Clock) -> Any:
    """The value of the data that stands at tick zero."""
    value = side.table.column(events.contract.time.columns[0])[int(side.rows[0])].as_py()
    value = value[0] if isinstance(value, list) else value
    ticks = float(side.events.anchor[0])
    if clock.kind == "number":
        return value - ticks
    return value - dt.timedelta(microseconds=ticks * clock.tick / 1000)


def unit_for(clock: Clock, span: float) -> tuple[str, float]:
    """The name of the unit in which a span of ticks reads well, and how many ticks it has."""
    if clock.kind == "number":
        return "", 1.0
    seconds = span * clock.tick * 1e-9
    name, length = next(((name, length) for name, length in _UNITS if seconds >= 2 * length), _UNITS[-1])
    return name, length / (clock.tick * 1e-9)


def _rows_of(side: DrawnEvents, ids: set[Any], role: str) -> pa.Table:
    if side.table is None:
        raise BadArgument(
            f"The {role} events are in Spark, and charts are drawn in this process. Bring the few rows of the chart "
            "here with .toArrow(), and make wa.events of them."
        )
    column = side.table.column(side.contract.id)
    return side.table.filter(pc.is_in(column, pa.array(ids, column.type)))


def _by_id(side: Sorted, contract: Any) -> dict[Any, Drawn]:
    """Each event by its id."""
    events, shapes = side.events, side.events.shapes
    ids = side.table.column(contract.id).to_pylist()
    drawn = {}
    for at, row in enumerate(side.rows.tolist()):
        own = slice(int(shapes.start[events.shape[at]]), int(shapes.start[events.shape[at] + 1]))
        anchor = float(events.anchor[at])
        columns = (shapes.lo[own] + anchor, shapes.hi[own] + anchor, shapes.mass[own])
        pieces = list(zip(*(column.tolist() for column in columns), strict=True))
        drawn[ids[row]] = Drawn(pieces)
    return drawn
