"""The question that a pattern query asks, as a value that travels to wherever the data is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.errors import BadQuery, nearest
from whenabouts.model.clock import Clock
from whenabouts.model.expression import Kind, attributes
from whenabouts.model.pattern import Conditions, Pattern
from whenabouts.ops.conditions.compile import Code, compile_conditions
from whenabouts.query.conditions import conditions_of
from whenabouts.query.typing import check_types
from whenabouts.schema import Contract, plain_type
from whenabouts.schema.kinds import kinds_of, tick_of

Method = Literal["auto", "point", "query_order", "any_state", "sorted", "selectivity"]
METHODS: tuple[str, ...] = get_args(Method)
FITS = "__fits"
"""A column that an engine may add: a bit for each component that a row fits."""


@dataclass(frozen=True)
class PatternMatch:
    """The whole question, as a value that travels to wherever the data is.

    Attributes
    ----------
    pattern, conditions, code
        What is asked, typed against the data; its condition sorted by what decides it; and those joint conditions that
        the keys do not imply, compiled.
    contract, clock, quarantine
        What the columns mean, how the times count, and whether bad rows are set aside.
    type
        The column of event types; None where every component is ANY.
    window
        Last minus first is less than this, in the clock's ticks; infinite where the query has no WITHIN.
    grain
        The distance of two possible moments in discrete time, in the clock's ticks; 0 is continuous time.
    min_confidence, top
        Which matches are wanted: those at least so sure (and not impossible), and the so many surest of them.
    data_columns, kept
        All columns of the data, which a variable returns; and columns that an engine wants to keep beside the rows.
    """

    pattern: Pattern
    conditions: Conditions
    code: Code
    kinds: Mapping[str, Kind | None]
    moment_tick: int
    contract: Contract
    clock: Clock
    type: str | None
    window: float
    grain: float = 0.0
    min_confidence: float = 0.0
    top: int | None = None
    method: Method = "auto"
    quarantine: bool = False
    data_columns: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read once it is known which components a row fits."""
        keys = [name for key in self.conditions.keys for name in key]
        return tuple(
            dict.fromkeys(
                (self.contract.id, *self.contract.time.columns, *keys, *self.code.columns, *self.carried, *self.kept)
            )
        )

    @property
    def condition_columns(self) -> tuple[str, ...]:
        """The columns by which it is decided which components a row fits."""
        read = [one.name for parts in self.conditions.single for part in parts for one in attributes(part)]
        return tuple(dict.fromkeys((*([self.type] if self.type else []), *read)))

    @property
    def carried(self) -> tuple[str, ...]:
        """The columns that a match returns."""
        names: list[str] = []
        for one in self.pattern.returned:
            names += self.data_columns if one.attribute is None else [one.attribute]
        return tuple(dict.fromkeys(names))

    def unpack_fits(self, table: pa.Table) -> NDArray[np.bool_]:
        """Which rows fit which component, by the bits in the column `FITS`: a row a component."""
        bits = table.column(FITS).to_numpy()
        return np.stack([bits >> place & 1 == 1 for place in range(len(self.pattern.components))])

    def output_schema(self, schema: pa.Schema) -> pa.Schema:
        """signature, earliest, latest, confidence, then a struct a variable returned, or the attribute itself."""
        fields = [
            pa.field("signature", pa.list_(schema.field(self.contract.id).type)),
            pa.field("earliest", self.moment_type),
            pa.field("latest", self.moment_type),
            pa.field("confidence", pa.float64()),
        ]
        for one in self.pattern.returned:
            if one.attribute is None:
                kind = pa.struct([schema.field(name) for name in self.data_columns])
            else:
                kind = schema.field(one.attribute).type
            fields.append(pa.field(one.column, kind))
        return pa.schema(fields)

    @property
    def moment_type(self) -> pa.DataType:
        """How moments are told: timestamps where the times are, else doubles."""
        if self.clock.kind == "number":
            return pa.float64()
        unit = {1: "ns", 1_000: "us", 1_000_000: "ms", 1_000_000_000: "s"}[self.clock.tick]
        return pa.timestamp(unit, "UTC" if self.clock.kind == "instant" else None)


def plan_match(
    pattern: Pattern,
    schema: pa.Schema,
    contract: Contract,
    clock: Clock,
    type_column: str | None,
    *,
    grain: float = 0.0,
    min_confidence: float = 0.0,
    top: int | None = None,
    method: Method = "auto",
    quarantine: bool = False,
) -> PatternMatch:
    """Type a pattern against the data's columns and compile its conditions; nothing is read."""
    kinds, tick = kinds_of(schema), tick_of(schema)
    _check_types_of_events(pattern, schema, type_column)
    checked = check_types(pattern, kinds, tick)
    conditions = conditions_of(checked, kinds, {one.name: str(plain_type(one.type)) for one in schema})
    window = float("inf") if pattern.window is None else clock.ticks(pattern.window, "WITHIN")
    typed = any(one.type is not None for one in pattern.components)
    return PatternMatch(
        checked, conditions, compile_conditions(conditions.rest, checked.variables, kinds, tick), kinds, tick, contract,
        clock, type_column if typed else None, window, grain, min_confidence, top, method, quarantine,
        tuple(schema.names),
    )  # fmt: skip


def _check_types_of_events(pattern: Pattern, schema: pa.Schema, type_column: str | None) -> None:
    typed = [one for one in pattern.components if one.type is not None]
    if not typed:
        return
    place = (typed[0].span.start, typed[0].span.end) if typed[0].span else ()
    text = pattern.text if place else None
    if type_column is None:
        hint = nearest("type", schema.names)
        raise BadQuery(
            f"{typed[0].type!r} is a type of events, but these have none: name their column in wa.events(..., type=), "
            f"or write ANY.{hint}",
            text,
            *place,
        )
    kind = plain_type(schema.field(type_column).type)
    if not (pa.types.is_large_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        raise BadQuery(
            f"The column of types, {type_column!r}, must hold text or whole numbers, not {kind}.", text, *place
        )
