"""BETWEEN becomes two comparisons, and IN with one option an equality: simple parts are what engines push down."""

from __future__ import annotations

from dataclasses import replace

from whenabouts.model.expression import And, Comparison, Expression, IsBetween, IsIn, Or, children, with_children


def spell_out(node: Expression) -> Expression:
    """The condition in comparisons where they say the same, also of unknown values."""
    node = with_children(node, tuple(spell_out(part) for part in children(node)))
    if isinstance(node, IsBetween):
        if node.negated:
            below, above = Comparison("<", node.value, node.low), Comparison(">", node.value, node.high)
            return Or((below, above), span=node.span)
        return And((Comparison(">=", node.value, node.low), Comparison("<=", node.value, node.high)), span=node.span)
    if isinstance(node, IsIn):
        options = tuple(dict.fromkeys(node.options))
        if len(options) == 1:
            return Comparison("!=" if node.negated else "=", node.value, options[0], span=node.span)
        return replace(node, options=options)
    return node
