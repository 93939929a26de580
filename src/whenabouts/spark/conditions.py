"""Conditions on single events as Column expressions, which Spark pushes down to the source.

They say what `ops.conditions.masks` says, row by row: NaN is unknown, and so is what cannot be computed. Simple
comparisons of a column with a constant stay as they are, for these are what sources can filter by.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import reduce
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from whenabouts.model.duration import Duration
from whenabouts.model.expression import (
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    Expression,
    IsIn,
    IsNull,
    Kind,
    Negative,
    Not,
    Or,
    ticks_of,
)
from whenabouts.model.pattern import Component
from whenabouts.query.typing import kind_of
from whenabouts.spark.columns import named, ticks

_COMPARE: dict[str, Any] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_WHOLE: dict[str, Any] = {"+": F.try_add, "-": F.try_subtract, "*": F.try_multiply, "%": F.try_mod}
_REAL: dict[str, Any] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": F.try_divide, "%": F.try_mod,
}  # fmt: skip
_MICROSECOND = 1_000
_LOWEST = -(2**63)


class Columns:
    """Makes Columns of checked and normalised expressions over the columns of one DataFrame."""

    def __init__(self, schema: pa.Schema, kinds: Mapping[str, Kind | None]) -> None:
        self.schema, self.kinds = schema, kinds

    def fits(self, component: Component, parts: tuple[Expression, ...], type_column: str | None) -> Column:
        """Whether a row fits a component: true, or else false or null."""
        conditions = [self.condition(part, positive=True) for part in parts]
        if component.type is not None:
            assert type_column is not None
            conditions.insert(0, self._has_type(type_column, component.type))
        return reduce(and_, conditions, F.lit(True)) if conditions else F.lit(True)

    def _has_type(self, column: str, name: str) -> Column:
        return named(column).cast("string") == F.lit(name)

    def condition(self, node: Expression, *, positive: bool = False) -> Column:
        """A condition; where it is `positive`, nothing looks at whether it is false or unknown."""
        match node:
            case Comparison(op=op, left=left, right=right):
                return self._compare(op, left, right, positive)
            case IsIn(value=value, options=options, negated=negated):
                found = self._is_in(value, options)
                return ~found if negated else found
            case IsNull(value=value, negated=negated):
                column = self.value(value)
                return column.isNotNull() if negated else column.isNull()
            case Not(part=part):
                return ~self.condition(part)
            case And(parts=parts):
                return reduce(and_, (self.condition(part, positive=positive) for part in parts))
            case Or(parts=parts):
                return reduce(or_, (self.condition(part, positive=positive) for part in parts))
            case _:
                return self.value(node)

    def value(self, node: Expression) -> Column:
        """A value: numbers as long or double, moments and lengths of time as microseconds."""
        kind = kind_of(node, self.kinds)
        match node:
            case Attribute(name=name):
                return self._attribute(name, kind)
            case Constant(value=value):
                return _literal(value)
            case Negative(value=value):
                negated = self.value(value)
                return -negated if kind == "real" else F.try_subtract(F.lit(0).cast("long"), negated)
            case Arithmetic(op=op, left=left, right=right):
                if kind != "real":
                    return F.nullif(_WHOLE[op](self.value(left), self.value(right)), F.lit(_LOWEST))
                return _known(_REAL[op](self._real(left), self._real(right)))
            case _:
                return self.condition(node)

    def _attribute(self, name: str, kind: Kind) -> Column:
        column, stored = named(name), self.schema.field(name).type
        if kind == "integer":
            return column if pa.types.is_int64(stored) else column.cast("long")
        if kind == "real":
            real = column if pa.types.is_float64(stored) else column.cast("double")
            return _known(real)
        if kind in ("instant", "local", "duration"):
            if pa.types.is_date(stored):
                return ticks(column.cast("timestamp_ntz"), pa.timestamp("us"))
            return ticks(column, stored)
        return column

    def _real(self, node: Expression) -> Column:
        value = self.value(node)
        return value if kind_of(node, self.kinds) == "real" else value.cast("double")

    def _compare(self, op: str, left: Expression, right: Expression, positive: bool) -> Column:
        if isinstance(left, Constant) and isinstance(right, Attribute):
            op, left, right = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op), right, left
        if isinstance(left, Attribute) and isinstance(right, Constant):
            plain = self._plain_comparison(op, left, right, positive)
            if plain is not None:
                return plain
        real = "real" in (kind_of(left, self.kinds), kind_of(right, self.kinds))
        read = self._real if real else self.value
        return _COMPARE[op](read(left), read(right))

    def _plain_comparison(self, op: str, left: Attribute, right: Constant, positive: bool) -> Column | None:
        """A column against a constant in their own types, if that says the same."""
        column, stored, kind = named(left.name), self.schema.field(left.name).type, self.kinds[left.name]
        value = right.value
        if kind == "real" and pa.types.is_floating(stored) and positive:
            assert isinstance(value, int | float)
            return _COMPARE[op](column, F.lit(float(value))) & ~F.isnan(column)
        if kind == "instant" and isinstance(value, dt.datetime):
            return _COMPARE[op](column, F.timestamp_micros(F.lit(_micros(value)).cast("long")))
        if kind == "local" and pa.types.is_timestamp(stored) and isinstance(value, dt.datetime):
            return _COMPARE[op](column, F.lit(value.isoformat(sep=" ")).cast("timestamp_ntz"))
        return None

    def _is_in(self, value: Expression, options: tuple[Expression, ...]) -> Column:
        constants = [option.value for option in options if isinstance(option, Constant)]
        kind = kind_of(value, self.kinds)
        if len(constants) == len(options) and all(
            type(one) is {"integer": int, "text": str}.get(kind) for one in constants
        ):
            return self.value(value).isin(constants)
        return reduce(or_, (self._compare("=", value, option, False) for option in options))


def _known(real: Column) -> Column:
    """A double, or null for NaN."""
    return F.nanvl(real, F.lit(None).cast("double"))


def _micros(value: dt.datetime | Duration) -> int:
    return int(ticks_of(value, _MICROSECOND))


def _literal(value: bool | int | float | str | dt.datetime | Duration) -> Column:
    if isinstance(value, dt.datetime | Duration):
        return F.lit(_micros(value)).cast("long")
    if isinstance(value, int) and not isinstance(value, bool):
        return F.lit(value).cast("long")
    return F.lit(value)
