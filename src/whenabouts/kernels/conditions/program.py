"""A stack machine that decides conditions over the events bound to a pattern's components.

Values are 64-bit integers (whole numbers, codes of texts, truth values, ticks of time) or doubles. `UNKNOWN` stands for
an unknown integer or truth value, NaN for an unknown double; logic is three-valued. Truth values are 0 and 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints

UNKNOWN = -(2**63)

(
    LOAD_INT, LOAD_REAL, CONSTANT_INT, CONSTANT_REAL, TO_REAL,
    ADD_INT, SUBTRACT_INT, MULTIPLY_INT, REMAINDER_INT, NEGATE_INT,
    ADD_REAL, SUBTRACT_REAL, MULTIPLY_REAL, DIVIDE_REAL, REMAINDER_REAL, NEGATE_REAL,
    EQUAL_INT, UNEQUAL_INT, LESS_INT, AT_MOST_INT,
    EQUAL_REAL, UNEQUAL_REAL, LESS_REAL, AT_MOST_REAL,
    NOT, AND, OR, IS_UNKNOWN_INT, IS_UNKNOWN_REAL,
) = range(29)  # fmt: skip


class Program(NamedTuple):
    """The conditions of a pattern over the columns of its events, in the form that the machine reads.

    Condition c is the instructions `first[c]:first[c + 1]`; each has an operation, the component whose event it reads,
    and an operand: a row of `ints` or `reals`, or a place among the constants. `reads[c]` has a bit for each component
    that condition c reads. `of[starts[v]:starts[v + 1]]` are the conditions that read component v.
    """

    first: Ints
    reads: Ints
    starts: Ints
    of: Ints
    operation: Ints
    component: Ints
    operand: Ints
    ints: NDArray[np.int64]
    reals: NDArray[np.float64]
    int_constants: Ints
    real_constants: Floats
    depth: int


class Stack(NamedTuple):
    """Room for the values that a program works on: one for each thread."""

    ints: Ints
    reals: Floats


@jit
def stack_for(program: Program) -> Stack:
    """Room enough for a program."""
    return Stack(np.empty(program.depth, dtype=np.int64), np.empty(program.depth, dtype=np.float64))


@jit
def binding_holds(program: Program, at: Ints, fresh: int, bound: int, stack: Stack) -> bool:
    """Whether all conditions hold that became decidable when component `fresh` was bound.

    `at[v]` is the row of the event at component v, and `bound` has a bit for each component that is bound, the fresh
    one among them. These are the conditions that read `fresh` and nothing that is not bound; true alone will do.
    """
    for place in range(program.starts[fresh], program.starts[fresh + 1]):
        condition = program.of[place]
        if program.reads[condition] & ~bound == 0 and not condition_holds(program, at, condition, stack):
            return False
    return True


@jit
def condition_holds(program: Program, at: Ints, condition: int, stack: Stack) -> bool:
    """Whether a condition is true of the events at rows `at`, one for each component that it reads."""
    begin, end = program.first[condition], program.first[condition + 1]
    operation, component, operand = program.operation, program.component, program.operand
    if end - begin == 3 and operation[begin] == operation[begin + 1] == LOAD_INT and operation[end - 1] <= AT_MOST_INT:
        left = program.ints[operand[begin], at[component[begin]]]
        right = program.ints[operand[begin + 1], at[component[begin + 1]]]
        return _compare_int(operation[begin + 2], left, right) == 1
    ints, reals = stack.ints, stack.reals
    i, r = 0, 0
    for step in range(begin, end):
        op = operation[step]
        if op == LOAD_INT:
            ints[i] = program.ints[operand[step], at[component[step]]]
            i += 1
        elif op == LOAD_REAL:
            reals[r] = program.reals[operand[step], at[component[step]]]
            r += 1
        elif op == CONSTANT_INT:
            ints[i] = program.int_constants[operand[step]]
            i += 1
        elif op == CONSTANT_REAL:
            reals[r] = program.real_constants[operand[step]]
            r += 1
        elif op == TO_REAL:
            i -= 1
            reals[r] = np.nan if ints[i] == UNKNOWN else float(ints[i])
            r += 1
        elif op == NEGATE_INT:
            ints[i - 1] = UNKNOWN if ints[i - 1] == UNKNOWN else -ints[i - 1]
        elif op == NEGATE_REAL:
            reals[r - 1] = -reals[r - 1]
        elif op <= REMAINDER_INT:
            i -= 1
            ints[i - 1] = _compute_int(op, ints[i - 1], ints[i])
        elif op <= REMAINDER_REAL:
            r -= 1
            reals[r - 1] = _compute_real(op, reals[r - 1], reals[r])
        elif op <= AT_MOST_INT:
            i -= 1
            ints[i - 1] = _compare_int(op, ints[i - 1], ints[i])
        elif op <= AT_MOST_REAL:
            r -= 2
            ints[i] = _compare_real(op, reals[r], reals[r + 1])
            i += 1
        elif op == NOT:
            ints[i - 1] = UNKNOWN if ints[i - 1] == UNKNOWN else 1 - ints[i - 1]
        elif op == IS_UNKNOWN_INT:
            ints[i - 1] = 1 if ints[i - 1] == UNKNOWN else 0
        elif op == IS_UNKNOWN_REAL:
            r -= 1
            ints[i] = 1 if math.isnan(reals[r]) else 0
            i += 1
        else:
            i -= 1
            ints[i - 1] = _logic(op, ints[i - 1], ints[i])
    return ints[0] == 1


@jit
def _compute_int(op: int, left: int, right: int) -> int:
    """Whole numbers; what does not fit 64 bits, and a remainder of zero parts, is unknown."""
    if left == UNKNOWN or right == UNKNOWN:
        return UNKNOWN
    if op in (ADD_INT, SUBTRACT_INT):
        other = right if op == ADD_INT else -right
        if (other > 0 and left > 9223372036854775807 - other) or (other < 0 and left < -9223372036854775807 - other):
            return UNKNOWN
        return left + other
    if op == MULTIPLY_INT:
        if left == 0 or right == 0:
            return 0
        if abs(left) > 9223372036854775807 // abs(right):
            return UNKNOWN
        return left * right
    if right == 0:
        return UNKNOWN
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


@jit
def _compute_real(op: int, left: float, right: float) -> float:
    """Doubles; a division by zero is unknown, and so is what has no value, such as inf - inf."""
    if op == ADD_REAL:
        return left + right
    if op == SUBTRACT_REAL:
        return left - right
    if op == MULTIPLY_REAL:
        return left * right
    if right == 0.0 or math.isnan(left) or math.isnan(right) or (op == REMAINDER_REAL and math.isinf(left)):
        return np.nan
    if op == DIVIDE_REAL:
        return left / right
    return np.fmod(left, right)


@jit
def _compare_int(op: int, left: int, right: int) -> int:
    if left == UNKNOWN or right == UNKNOWN:
        return UNKNOWN
    if op == EQUAL_INT:
        return 1 if left == right else 0
    if op == UNEQUAL_INT:
        return 1 if left != right else 0
    if op == LESS_INT:
        return 1 if left < right else 0
    return 1 if left <= right else 0


@jit
def _compare_real(op: int, left: float, right: float) -> int:
    if math.isnan(left) or math.isnan(right):
        return UNKNOWN
    if op == EQUAL_REAL:
        return 1 if left == right else 0
    if op == UNEQUAL_REAL:
        return 1 if left != right else 0
    if op == LESS_REAL:
        return 1 if left < right else 0
    return 1 if left <= right else 0


@jit
def _logic(op: int, left: int, right: int) -> int:
    """Kleene's AND and OR."""
    decisive = 0 if op == AND else 1
    if left == decisive or right == decisive:
        return decisive
    return UNKNOWN if left == UNKNOWN or right == UNKNOWN else 1 - decisive
