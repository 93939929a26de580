"""Compiling conditions over several events: from the tree to a program, and the program over a table's columns."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whenabouts.errors import WrongType
from whenabouts.kernels.conditions import program as machine
from whenabouts.kernels.conditions.program import Program
from whenabouts.kernels.events import Ints
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
    variables,
)
from whenabouts.ops.conditions.columns import plain_column, read_ints, read_reals
from whenabouts.query.typing import kind_of

_INT = {"+": machine.ADD_INT, "-": machine.SUBTRACT_INT, "*": machine.MULTIPLY_INT, "%": machine.REMAINDER_INT}
_REAL = {
    "+": machine.ADD_REAL, "-": machine.SUBTRACT_REAL, "*": machine.MULTIPLY_REAL, "/": machine.DIVIDE_REAL,
    "%": machine.REMAINDER_REAL,
}  # fmt: skip
_COMPARE_INT = {"=": machine.EQUAL_INT, "!=": machine.UNEQUAL_INT, "<": machine.LESS_INT, "<=": machine.AT_MOST_INT}
_COMPARE_REAL = {
    "=": machine.EQUAL_REAL, "!=": machine.UNEQUAL_REAL, "<": machine.LESS_REAL, "<=": machine.AT_MOST_REAL,
}  # fmt: skip
_MIRRORED = {">": "<", ">=": "<="}
_UNKNOWN = machine.UNKNOWN
_LARGEST = 2**63 - 1
T = TypeVar("T")


@dataclass(frozen=True)
class Code:
    """Compiled conditions without data: instructions, and what must be read to run them."""

    conditions: tuple[tuple[tuple[int, int, int], ...], ...]
    reads: tuple[int, ...]
    components: int
    int_columns: tuple[str, ...]
    real_columns: tuple[str, ...]
    int_constants: tuple[int | str, ...]
    real_constants: tuple[float, ...]
    kinds: Mapping[str, Kind | None]
    tick: int

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that the program reads."""
        return self.int_columns + self.real_columns

    def over(self, table: pa.Table) -> Program:
        """The program over the rows of a table."""
        texts = _Texts(table, [name for name in self.int_columns if self.kinds[name] == "text"], self.int_constants)
        ints = np.empty((len(self.int_columns), len(table)), dtype=np.int64)
        for place, name in enumerate(self.int_columns):
            ints[place] = texts.codes[name] if name in texts.codes else self._ints(table, name)
        reals = np.empty((len(self.real_columns), len(table)))
        for place, name in enumerate(self.real_columns):
            reals[place] = read_reals(plain_column(table, name))[0]
        constants = [texts.code(one) if isinstance(one, str) else one for one in self.int_constants]
        steps = np.array([step for one in self.conditions for step in one], dtype=np.int64).reshape(-1, 3)
        reading = [[c for c, mask in enumerate(self.reads) if mask >> v & 1] for v in range(self.components)]
        return Program(
            first=_offsets(self.conditions),
            reads=np.array(self.reads, dtype=np.int64),
            starts=_offsets(reading),
            of=np.array([c for one in reading for c in one], dtype=np.int64),
            operation=np.ascontiguousarray(steps[:, 0]),
            component=np.ascontiguousarray(steps[:, 1]),
            operand=np.ascontiguousarray(steps[:, 2]),
            ints=ints,
            reals=reals,
            int_constants=np.array(constants, dtype=np.int64),
            real_constants=np.array(self.real_constants, dtype=np.float64),
            depth=max(map(len, self.conditions), default=0) + 1,
        )

    def _ints(self, table: pa.Table, name: str) -> Ints:
        kind = self.kinds[name]
        assert kind is not None
        values, unknown = read_ints(plain_column(table, name), kind, self.tick, name)
        lowest = values == _UNKNOWN
        if lowest.any():
            raise WrongType(
                f"{name!r} holds {_UNKNOWN}, which is too low to compare between events. Replace it by null."
            )
        return values if unknown is None else np.where(unknown, _UNKNOWN, values)


def compile_conditions(
    parts: Sequence[Expression], names: Sequence[str], kinds: Mapping[str, Kind | None], tick: int
) -> Code:
    """Compile conditions over the variables of a pattern, `names`, which are its components in order."""
    compiler = _Compiler(names, kinds, tick)
    conditions, reads = [], []
    for part in parts:
        compiler.steps = []
        compiler.emit(part)
        conditions.append(tuple(compiler.steps))
        reads.append(sum(1 << names.index(variable) for variable in variables(part)))
    return Code(
        tuple(conditions), tuple(reads), len(names), tuple(compiler.int_columns), tuple(compiler.real_columns),
        tuple(value for _, value in compiler.int_constants), tuple(compiler.real_constants), dict(kinds), tick,
    )  # fmt: skip


class _Compiler:
    """Emits the instructions of one condition after the other; columns and constants are shared."""

    def __init__(self, names: Sequence[str], kinds: Mapping[str, Kind | None], tick: int) -> None:
        self.names, self.kinds, self.tick = names, kinds, tick
        self.steps: list[tuple[int, int, int]] = []
        self.int_columns: list[str] = []
        self.real_columns: list[str] = []
        self.int_constants: list[tuple[str, int | str]] = []
        self.real_constants: list[float] = []

    def emit(self, node: Expression, real: bool = False) -> None:
        """Leave the value of a node on the stack, as a double if so asked."""
        kind = kind_of(node, self.kinds)
        match node:
            case Attribute(variable=variable, name=name):
                columns = self.real_columns if kind == "real" else self.int_columns
                op = machine.LOAD_REAL if kind == "real" else machine.LOAD_INT
                self._step(op, self.names.index(variable), _place(columns, name))
            case Constant(value=value):
                self._constant(value, real)
                return
            case Negative(value=value):
                self.emit(value)
                self._step(machine.NEGATE_REAL if kind == "real" else machine.NEGATE_INT)
            case Arithmetic(op=op, left=left, right=right):
                as_real = kind == "real"
                self.emit(left, as_real)
                self.emit(right, as_real)
                self._step(_REAL[op] if as_real else _INT[op])
            case Comparison(op=op, left=left, right=right):
                self._compare(op, left, right)
            case IsIn(value=value, options=options, negated=negated):
                for place, option in enumerate(options):
                    self._compare("=", value, option)
                    if place:
                        self._step(machine.OR)
                if negated:
                    self._step(machine.NOT)
            case IsNull(value=value, negated=negated):
                self.emit(value)
                is_real = kind_of(value, self.kinds) == "real"
                self._step(machine.IS_UNKNOWN_REAL if is_real else machine.IS_UNKNOWN_INT)
                if negated:
                    self._step(machine.NOT)
            case Not(part=part):
                self.emit(part)
                self._step(machine.NOT)
            case And(parts=parts) | Or(parts=parts):
                for place, part in enumerate(parts):
                    self.emit(part)
                    if place:
                        self._step(machine.AND if isinstance(node, And) else machine.OR)
            case _:
                raise AssertionError(f"{node!r} was not normalised")
        if real and kind != "real":
            self._step(machine.TO_REAL)

    def _compare(self, op: str, left: Expression, right: Expression) -> None:
        if op in _MIRRORED:
            op, left, right = _MIRRORED[op], right, left
        as_real = "real" in (kind_of(left, self.kinds), kind_of(right, self.kinds))
        self.emit(left, as_real)
        self.emit(right, as_real)
        self._step(_COMPARE_REAL[op] if as_real else _COMPARE_INT[op])

    def _constant(self, value: bool | int | float | str | dt.datetime | Duration, real: bool) -> None:
        plain = _ticks(value, self.tick) if isinstance(value, dt.datetime | Duration) else value
        if isinstance(plain, float) or real:
            assert isinstance(plain, int | float)
            self._step(machine.CONSTANT_REAL, 0, _place(self.real_constants, float(plain)))
            return
        whole: int | str = plain if isinstance(plain, str) else int(plain)
        self._step(machine.CONSTANT_INT, 0, _place(self.int_constants, (type(whole).__name__, whole)))

    def _step(self, operation: int, component: int = 0, operand: int = 0) -> None:
        self.steps.append((operation, component, operand))


class _Texts:
    """One code for every text of some columns and constants, in the order of the texts (by code point)."""

    def __init__(self, table: pa.Table, names: Sequence[str], constants: Sequence[int | str]) -> None:
        columns = {name: plain_column(table, name).cast(pa.large_string()) for name in names}
        words = pa.array([one for one in constants if isinstance(one, str)], pa.large_string())
        distinct = [pc.unique(column) for column in [*columns.values(), words]]
        every = pc.unique(pa.chunked_array(distinct)).drop_null()
        self.known = every.take(pc.sort_indices(every))
        self.codes = {name: self._codes(column) for name, column in columns.items()}

    def _codes(self, column: pa.Array) -> Ints:
        found = pc.index_in(column, self.known)
        return found.cast(pa.int64()).fill_null(_UNKNOWN).to_numpy(zero_copy_only=False)

    def code(self, text: str) -> int:
        """The code of a constant."""
        return int(pc.index_in(pa.scalar(text, pa.large_string()), self.known).as_py())


def _ticks(value: dt.datetime | Duration, tick: int) -> int:
    """A constant in ticks; a moment beyond 64 bits, as year 9999 in nanoseconds, is the last that they reach."""
    return max(-_LARGEST, min(int(ticks_of(value, tick)), _LARGEST))


def _offsets(runs: Sequence[Sequence[object]]) -> Ints:
    return np.cumsum([0, *map(len, runs)], dtype=np.int64)


def _place(known: list[T], value: T) -> int:
    """Where a value stands in a list, at whose end it is put if it is new."""
    if value not in known:
        known.append(value)
    return known.index(value)
