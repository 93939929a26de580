"""NOT moves inwards by De Morgan's laws, which hold in three-valued logic too, until only truth values have one."""

from __future__ import annotations

from dataclasses import replace

from whenabouts.model.expression import And, Compare, Comparison, Constant, Expression, IsBetween, IsIn, IsNull, Not, Or

_OPPOSITE: dict[Compare, Compare] = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def push_not(node: Expression) -> Expression:
    """The condition with NOT before attributes only."""
    match node:
        case Not(part=part):
            return _negated(part)
        case And(parts=parts) | Or(parts=parts):
            return replace(node, parts=tuple(map(push_not, parts)))
        case _:
            return node


def _negated(node: Expression) -> Expression:
    match node:
        case Not(part=part):
            return push_not(part)
        case And(parts=parts, span=span):
            return Or(tuple(map(_negated, parts)), span=span)
        case Or(parts=parts, span=span):
            return And(tuple(map(_negated, parts)), span=span)
        case Comparison(op=op):
            return replace(node, op=_OPPOSITE[op])
        case IsIn(negated=negated) | IsBetween(negated=negated) | IsNull(negated=negated):
            return replace(node, negated=not negated)
        case Constant(value=bool(value)):
            return replace(node, value=not value)
        case _:
            return Not(node, span=node.span)
