"""Lanes as Numba compiles them: vectors of LLVM, which any processor has in some width."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

_COUNT = 8
_BYTES = 8
"""Of a number: a row may begin anywhere."""
_REAL, _WORD = ir.DoubleType(), ir.IntType(64)
_VECTOR, _WORDS = ir.VectorType(_REAL, _COUNT), ir.VectorType(_WORD, _COUNT)
_FUSED = ("contract",)
"""A product that is added to something is rounded once."""


class _LanesType(types.Type):
    """Numba's name for eight numbers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


_LANES = _LanesType()


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _LanesType) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _spread(builder: Any, value: Any, kind: ir.VectorType = _VECTOR) -> Any:
    """The same value in every lane."""
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), _COUNT), [0] * _COUNT)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)


def _wide(builder: Any, value: Any) -> Any:
    return value if value.type == _VECTOR else _spread(builder, value)


def _define(symbol: Any, name: str) -> None:
    """Lanes and lanes, or lanes and a number, are combined lane by lane."""

    @infer_global(symbol)  # type: ignore[no-untyped-call]
    class _Typed(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if _LANES in args and all(arg == _LANES or arg == types.float64 for arg in args):
                return signature(_LANES, *args)  # type: ignore[no-untyped-call]
            return None

    def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        one, other = (_wide(builder, arg) for arg in args)
        return getattr(builder, name)(one, other, flags=_FUSED)

    for kinds in ((_LANES, _LANES), (_LANES, types.float64), (types.float64, _LANES)):
        lower_builtin(symbol, *kinds)(lowered)  # type: ignore[no-untyped-call]


for _symbol, _name in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv"),
    (operator.iadd, "fadd"), (operator.isub, "fsub"), (operator.imul, "fmul"), (operator.itruediv, "fdiv"),
):  # fmt: skip
    _define(_symbol, _name)


def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any, vector: ir.VectorType) -> Any:
    """Where the lanes of an array begin."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), vector.as_pointer())


def _is_row(kind: Any, of: Any) -> bool:
    """Whether an array is one of such numbers, one beside the other; Numba refuses to compile what is none."""
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C" and kind.dtype == of


def _load(builder: Any, place: Any) -> Any:
    loaded = builder.load(place)
    loaded.align = _BYTES
    return loaded


def _bounded(builder: Any, sign: str, values: Any, bound: Any) -> Any:
    """The lanes that are so to a number, and the number in place of the others."""
    other = _spread(builder, bound)
    return builder.select(builder.fcmp_ordered(sign, values, other), values, other)


def _chosen(builder: Any, sign: str, values: Any, count: Any) -> Any:
    """The lanes whose numbers are so to a count, and nothing in the others."""
    numbers = ir.Constant(_WORDS, list(range(_COUNT)))
    wanted = builder.icmp_signed(sign, numbers, _spread(builder, count, _WORDS))
    return builder.select(wanted, values, ir.Constant(_VECTOR, [0.0] * _COUNT))


@intrinsic
def lanes(typing: Any, row: Any, at: Any) -> Any:
    """The numbers of a row from `at` on."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load(builder, _place(context, builder, sig.args[0], args[0], args[1], _VECTOR))

    return (_LANES(row, types.intp), code) if _is_row(row, types.float64) else None


@intrinsic
def put(typing: Any, row: Any, at: Any, values: Any) -> Any:
    """Write lanes to a row from `at` on."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        store = builder.store(args[2], _place(context, builder, sig.args[0], args[0], args[1], _VECTOR))
        store.align = _BYTES
        return context.get_dummy_value()

    return (types.none(row, types.intp, _LANES), code) if _is_row(row, types.float64) else None


@intrinsic
def spread(typing: Any, value: Any) -> Any:
    """The same number in all lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return _LANES(types.float64), code


@intrinsic
def greatest(typing: Any, values: Any, floor: Any) -> Any:
    """The lanes, none of them less than a number."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _bounded(builder, ">", *args)

    return _LANES(_LANES, types.float64), code


@intrinsic
def least(typing: Any, values: Any, ceiling: Any) -> Any:
    """The lanes, none of them greater than a number."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _bounded(builder, "<", *args)

    return _LANES(_LANES, types.float64), code


@intrinsic
def only(typing: Any, values: Any, count: Any) -> Any:
    """The first so many lanes, and nothing in the others."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _chosen(builder, "<", *args)

    return _LANES(_LANES, types.int64), code


@intrinsic
def since(typing: Any, values: Any, count: Any) -> Any:
    """The lanes but for the first so many, and nothing in those."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _chosen(builder, ">=", *args)

    return _LANES(_LANES, types.int64), code


@intrinsic
def put_where(typing: Any, codes: Any, at: Any, code: Any, value: Any, values: Any) -> Any:
    """The lanes, with a number in place of those for which `codes` from `at` on have this code."""

    def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = _load(builder, _place(context, builder, sig.args[0], args[0], args[1], _WORDS))
        same = builder.icmp_signed("==", found, _spread(builder, args[2], _WORDS))
        return builder.select(same, _spread(builder, args[3]), args[4])

    kinds = codes, types.intp, types.int64, types.float64, _LANES
    return (_LANES(*kinds), lowered) if _is_row(codes, types.int64) else None


@intrinsic
def total(typing: Any, values: Any) -> Any:
    """The sum of all lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values, count = args[0], _COUNT
        while count > 1:
            count //= 2
            halves = [[*range(count)], [*range(count, 2 * count)]]
            masks = [ir.Constant(ir.VectorType(ir.IntType(32), count), half) for half in halves]
            nobody = ir.Constant(values.type, ir.Undefined)
            values = builder.fadd(*(builder.shuffle_vector(values, nobody, mask) for mask in masks))
        return builder.extract_element(values, ir.Constant(ir.IntType(32), 0))

    return types.float64(_LANES), code


@intrinsic
def natural(typing: Any, number: Any) -> Any:
    """A number that is known not to be negative, so that no place counted from an end is looked for."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        assume = builder.module.declare_intrinsic("llvm.assume", (), ir.FunctionType(ir.VoidType(), [ir.IntType(1)]))
        builder.call(assume, [builder.icmp_signed(">=", args[0], ir.Constant(_WORD, 0))])
        return args[0]

    return types.int64(types.int64), code
