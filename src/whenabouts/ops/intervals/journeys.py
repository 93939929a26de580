"""Journeys: GPS rows with the nearest stop, and a list of stops, as visits with uncertainty windows (section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.kernels.events import Ints
from whenabouts.kernels.intervals.journeys import visit_windows
from whenabouts.model.clock import Clock
from whenabouts.schema.arrow import codes, nothing, plain
from whenabouts.schema.times import to_ticks


@dataclass(frozen=True)
class Journeys:
    """Which columns hold what, and the stops of every route in order; without a column the one route is None."""

    journey: str
    time: str
    stop: str
    route: str | None
    stops: Mapping[Any, Sequence[Any]]
    clock: Clock

    @property
    def columns(self) -> list[str]:
        return [self.journey, self.time, self.stop, *([self.route] if self.route else [])]

    def schema(self, data: pa.Schema) -> pa.Schema:
        """A visit has two lost events, its arrival and its departure, in a window."""
        moment = data.field(self.time).type
        kinds = {
            "visit": pa.string(), "seq": pa.int64(), "time": moment, "journey": data.field(self.journey).type,
            "stop": data.field(self.stop).type, "opens": moment, "closes": moment, "ahead": pa.int64(),
            "behind": pa.int64(),
        }  # fmt: skip
        return pa.schema([pa.field(name, kind) for name, kind in kinds.items()])

    def __call__(self, table: pa.Table) -> pa.Table:
        """Two rows for every visit of every stop that lies between the first and the last one that was seen."""
        table = table.select(self.columns)
        missing = np.logical_or.reduce([nothing(table.column(name).combine_chunks()) for name in self.columns])
        table = table.filter(pa.array(~missing))
        position = self._positions(table)
        table = table.filter(pa.array(position >= 0))
        position = position[position >= 0]
        journey = codes(plain(table.column(self.journey)).combine_chunks())
        ticks, _ = to_ticks(table.column(self.time).combine_chunks(), self.clock)
        order = np.lexsort((ticks, journey))
        start = np.searchsorted(journey[order], np.arange(int(journey.max(initial=-1)) + 2))
        _, place, opens, closes, ahead, behind = visit_windows(start, position[order], ticks[order])
        return self._rows(table, order[opens], order[closes], place, ahead, behind)

    def _positions(self, table: pa.Table) -> Ints:
        """The place of each row's stop on its route; -1 where the route does not have it."""
        stop = plain(table.column(self.stop)).combine_chunks()
        position = np.full(len(table), -1, dtype=np.int64)
        route = None if self.route is None else plain(table.column(self.route)).combine_chunks()
        for name, stops in self.stops.items():
            found = pc.index_in(stop, pa.array(stops, stop.type)).fill_null(-1).to_numpy(zero_copy_only=False)
            here = np.ones(len(table), dtype=np.bool_)
            if route is not None:
                here = pc.equal(route, pa.scalar(name, route.type)).to_numpy(zero_copy_only=False)
            position[here] = found[here]
        return position

    def _rows(self, table: pa.Table, opens: Ints, closes: Ints, place: Ints, ahead: Ints, behind: Ints) -> pa.Table:
        schema = self.schema(table.schema)
        twice = np.repeat(np.arange(len(opens)), 2)
        at = pa.array(opens[twice])
        journey = table.column(self.journey).combine_chunks().take(at)
        stop = self._stop_names(table, opens, place, schema.field("stop").type).take(pa.array(twice))
        moments = table.column(self.time).combine_chunks()
        visit = pc.binary_join_element_wise(journey.cast(pa.string()), stop.cast(pa.string()), " at ")
        columns = [
            visit, pa.array(np.tile([1, 2], len(opens)), pa.int64()), pa.nulls(len(twice), schema.field("time").type),
            journey, stop, moments.take(at), moments.take(pa.array(closes[twice])), pa.array(ahead[twice]),
            pa.array(behind[twice]),
        ]  # fmt: skip
        return pa.table([one.cast(own.type) for one, own in zip(columns, schema, strict=True)], schema=schema)

    def _stop_names(self, table: pa.Table, opens: Ints, place: Ints, kind: pa.DataType) -> pa.Array:
        """The name of each visit's stop, by its place on the route of its journey."""
        if self.route is None:
            return pa.array(self.stops[None], kind).take(pa.array(place))
        names = list(self.stops)
        route = plain(table.column(self.route)).combine_chunks()
        number = pc.index_in(route.take(pa.array(opens)), pa.array(names, route.type))
        first = np.cumsum([0, *(len(self.stops[name]) for name in names)])[:-1]
        every = pa.array([stop for name in names for stop in self.stops[name]], kind)
        return every.take(pa.array(first[number.to_numpy(zero_copy_only=False).astype(np.int64)] + place))
