"""A condition as the parts that must all hold: nested ANDs become one list, without repetition."""

from __future__ import annotations

from whenabouts.model.expression import And, Constant, Expression, Or


def conjuncts(node: Expression | None) -> tuple[Expression, ...]:
    """The parts of a condition whose conjunction it is; a condition that is TRUE has none."""
    return tuple(dict.fromkeys(_parts(node))) if node is not None else ()


def _parts(node: Expression) -> list[Expression]:
    if isinstance(node, And):
        return [one for part in node.parts for one in _parts(part)]
    if node == Constant(True):
        return []
    if isinstance(node, Or):
        return _factored(node)
    return [node]


def _factored(node: Or) -> list[Expression]:
    """`(a AND b) OR (a AND c)` as `a` and `(b OR c)`: what all branches share must hold anyway."""
    branches = [conjuncts(part) for part in node.parts]
    shared = [one for one in branches[0] if all(one in branch for branch in branches[1:])]
    if not shared:
        return [node]
    rest = [tuple(one for one in branch if one not in shared) for branch in branches]
    if not all(rest):
        return shared
    left = [branch[0] if len(branch) == 1 else And(branch) for branch in rest]
    return [*shared, Or(tuple(left), span=node.span)]
