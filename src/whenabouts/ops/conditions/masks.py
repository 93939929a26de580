"""Conditions on single events, decided for all rows of a table at once.

The same three-valued logic as everywhere: a value may be unknown, and only what is true counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

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
from whenabouts.model.pattern import Conditions, Pattern
from whenabouts.ops.conditions.columns import Flags, plain_column, read_ints, read_reals, unknown_of
from whenabouts.query.typing import kind_of

_LOWEST = -(2**63)
_LARGEST = 2**63 - 1
_NUMPY: dict[str, Any] = {
    "=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
_ARROW: dict[str, Any] = {
    "=": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip


class Vector(NamedTuple):
    """A value for each row (or one for all), and which are unknown; what stands there means nothing."""

    values: NDArray[Any]
    unknown: Flags | None

    @property
    def true(self) -> Flags:
        """Which rows are true, of a condition."""
        return self.values if self.unknown is None else self.values & ~self.unknown


def component_masks(
    pattern: Pattern,
    conditions: Conditions,
    table: pa.Table,
    kinds: Mapping[str, Kind | None],
    tick: int,
    type_column: str | None,
) -> NDArray[np.bool_]:
    """Which rows fit which component, by type and by all that is said of its variable alone: a row a component."""
    reader = Reader(table, kinds, tick)
    fits = np.ones((len(pattern.components), len(table)), dtype=np.bool_)
    if not all(bool(np.all(reader.evaluate(part).true)) for part in conditions.constant):
        fits[:] = False
        return fits
    for place, (one, parts) in enumerate(zip(pattern.components, conditions.single, strict=True)):
        if one.type is not None:
            assert type_column is not None
            fits[place] &= reader.has_type(type_column, one.type)
        for part in parts:
            fits[place] &= reader.evaluate(part).true
    return fits


class Reader:
    """Evaluates expressions over one table; the variable of an attribute does not matter, there is one event a row."""

    def __init__(self, table: pa.Table, kinds: Mapping[str, Kind | None], tick: int) -> None:
        self.table, self.kinds, self.tick = table, kinds, tick
        self._columns: dict[str, Vector] = {}
        self._types: dict[str, tuple[NDArray[Any], list[str]]] = {}

    def has_type(self, column: str, name: str) -> Flags:
        """Which rows have a type; types are compared as text."""
        if column not in self._types:
            encoded = plain_column(self.table, column).cast(pa.large_string()).dictionary_encode()
            codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            self._types[column] = codes, encoded.dictionary.to_pylist()
        codes, known = self._types[column]
        return codes == (known.index(name) if name in known else -2)

    def evaluate(self, node: Expression) -> Vector:
        """The value of a checked and normalised expression in every row."""
        match node:
            case Attribute(name=name):
                return self._column(name)
            case Constant(value=value):
                return Vector(np.asarray(_plain(value, self.tick)), None)
            case Negative(value=value):
                vector = self.evaluate(value)
                return vector._replace(values=-vector.values)
            case Arithmetic(op=op, left=left, right=right):
                return self._arithmetic(op, left, right)
            case Comparison(op=op, left=left, right=right):
                return self._compare(op, left, right)
            case IsNull(value=value, negated=negated):
                unknown = self._unknown(value)
                return Vector(~unknown if negated else unknown, None)
            case IsIn(value=value, options=options, negated=negated):
                found = self._is_in(value, options)
                return found._replace(values=~found.values) if negated else found
            case Not(part=part):
                vector = self.evaluate(part)
                return vector._replace(values=~vector.values)
            case And(parts=parts):
                return reduce(_and, map(self.evaluate, parts))
            case Or(parts=parts):
                return _negated(reduce(_and, (_negated(self.evaluate(part)) for part in parts)))
            case _:
                raise AssertionError(f"{node!r} was not normalised")

    def _column(self, name: str) -> Vector:
        if name not in self._columns:
            column, kind = plain_column(self.table, name), self.kinds[name]
            assert kind is not None
            if kind == "real":
                self._columns[name] = Vector(*read_reals(column))
            elif kind == "boolean":
                unknown = unknown_of(column)
                known = column if unknown is None else column.fill_null(False)
                self._columns[name] = Vector(known.to_numpy(zero_copy_only=False), unknown)
            else:
                self._columns[name] = Vector(*read_ints(column, kind, self.tick, name))
        return self._columns[name]

    def _unknown(self, node: Expression) -> Flags:
        if isinstance(node, Attribute) and self.kinds[node.name] == "text":
            unknown = unknown_of(plain_column(self.table, node.name))
        elif isinstance(node, Constant):
            unknown = None
        else:
            unknown = self.evaluate(node).unknown
        return np.zeros(len(self.table), dtype=np.bool_) if unknown is None else unknown

    def _reals(self, node: Expression) -> Vector:
        vector = self.evaluate(node)
        return vector._replace(values=vector.values.astype(np.float64, copy=False))

    def _arithmetic(self, op: str, left: Expression, right: Expression) -> Vector:
        if op != "/" and all(kind_of(part, self.kinds) != "real" for part in (left, right)):
            return _whole(op, self.evaluate(left), self.evaluate(right))
        return _real(op, self._reals(left), self._reals(right))

    def _compare(self, op: str, left: Expression, right: Expression) -> Vector:
        kinds = [kind_of(part, self.kinds) for part in (left, right)]
        if kinds[0] == "text":
            found = _ARROW[op](self._text(left), self._text(right))
            if isinstance(found, pa.Scalar):
                return Vector(np.asarray(found.as_py()), None)
            unknown = unknown_of(found)
            return Vector(found.fill_null(False).to_numpy(zero_copy_only=False), unknown)
        read = self._reals if "real" in kinds else self.evaluate
        one, other = read(left), read(right)
        return Vector(_NUMPY[op](one.values, other.values), _either(one.unknown, other.unknown))

    def _text(self, node: Expression) -> Any:
        if isinstance(node, Attribute):
            return plain_column(self.table, node.name).cast(pa.large_string())
        assert isinstance(node, Constant)
        return pa.scalar(node.value, pa.large_string())

    def _is_in(self, value: Expression, options: Sequence[Expression]) -> Vector:
        texts = [option.value for option in options if isinstance(option, Constant)]
        if isinstance(value, Attribute) and self.kinds[value.name] == "text" and len(texts) == len(options):
            column = self._text(value)
            found = pc.is_in(column, pa.array(texts, column.type))
            return Vector(found.to_numpy(zero_copy_only=False), unknown_of(column))
        unequal = (_negated(self._compare("=", value, option)) for option in options)
        return _negated(reduce(_and, unequal))


def _plain(value: Any, tick: int) -> Any:
    return int(ticks_of(value, tick)) if isinstance(value, dt.datetime | Duration) else value


def _either(one: Flags | None, other: Flags | None) -> Flags | None:
    return other if one is None else one if other is None else one | other


def _and(one: Vector, other: Vector) -> Vector:
    """Kleene's AND: false if either is false, else unknown if either is unknown."""
    unknown = _either(one.unknown, other.unknown)
    if unknown is not None:
        for part in (one, other):
            surely_false = ~part.values if part.unknown is None else ~part.values & ~part.unknown
            unknown = unknown & ~surely_false
    return Vector(one.true & other.true, unknown)


def _negated(vector: Vector) -> Vector:
    return vector._replace(values=~vector.values)


def _whole(op: str, one: Vector, other: Vector) -> Vector:
    """Whole numbers; what does not fit 64 bits, and a remainder of zero parts, is unknown."""
    a, b = np.asarray(one.values, dtype=np.int64), np.asarray(other.values, dtype=np.int64)
    with np.errstate(over="ignore"):
        if op == "+":
            values = np.asarray(a + b)
            lost = ((a ^ values) & (b ^ values)) < 0
        elif op == "-":
            values = np.asarray(a - b)
            lost = ((a ^ b) & (a ^ values)) < 0
        elif op == "*":
            values = np.asarray(a * b)
            lost = (b != 0) & (np.abs(a) > _LARGEST // np.where(b == 0, 1, np.abs(b)))
        else:
            lost = b == 0
            values = np.asarray(np.fmod(a, np.where(lost, 1, b)))
    lost = lost | (values == _LOWEST)
    return Vector(values, _either(_either(one.unknown, other.unknown), lost if lost.any() else None))


def _real(op: str, one: Vector, other: Vector) -> Vector:
    """Doubles; a division by zero is unknown, and so is what has no value, such as inf - inf."""
    a, b = one.values, other.values
    with np.errstate(all="ignore"):
        if op in "+-*":
            values = np.asarray(a + b if op == "+" else a - b if op == "-" else a * b)
            lost = np.isnan(values)
        else:
            values = np.asarray(a / b if op == "/" else np.fmod(a, b))
            lost = np.isnan(values) | (b == 0)
    return Vector(values, _either(_either(one.unknown, other.unknown), lost if lost.any() else None))
