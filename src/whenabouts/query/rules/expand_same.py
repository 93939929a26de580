"""`[attr]` is written out: every variable's attribute equals that of the first."""

from __future__ import annotations

from collections.abc import Sequence

from whenabouts.model.expression import And, Attribute, Comparison, Expression, IsNull, Same, children, with_children


def expand_same(node: Expression, variables: Sequence[str]) -> Expression:
    """The condition without `[attr]`. With a single variable it says that the value is known."""
    if not isinstance(node, Same):
        return with_children(node, tuple(expand_same(part, variables) for part in children(node)))
    first, *others = (Attribute(variable, node.name, span=node.span) for variable in variables)
    if not others:
        return IsNull(first, negated=True, span=node.span)
    equal: list[Expression] = [Comparison("=", first, other, span=node.span) for other in others]
    return equal[0] if len(equal) == 1 else And(tuple(equal), span=node.span)
