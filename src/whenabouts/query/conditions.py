"""From a checked pattern to its conditions, sorted by what it takes to decide them."""

from __future__ import annotations

from collections.abc import Mapping

from whenabouts.errors import BadQuery
from whenabouts.model.expression import Expression, Kind, Span, variables
from whenabouts.model.pattern import Conditions, Pattern
from whenabouts.query.format import format_expression
from whenabouts.query.rules.conjuncts import conjuncts
from whenabouts.query.rules.expand_same import expand_same
from whenabouts.query.rules.keys import partition_keys
from whenabouts.query.rules.push_not import push_not
from whenabouts.query.rules.spell_out import spell_out


def conditions_of(
    pattern: Pattern, kinds: Mapping[str, Kind | None], layouts: Mapping[str, str] | None = None
) -> Conditions:
    """The parts of a pattern's condition, by the variables that they read; keys are of columns stored alike."""
    where = pattern.where
    parts = conjuncts(None if where is None else normalised(where, pattern))
    absent = {one.variable for one in pattern.components if one.negated}
    constant: list[Expression] = []
    single: dict[str, list[Expression]] = {variable: [] for variable in pattern.variables}
    joint: list[Expression] = []
    for part in parts:
        read = variables(part)
        if len(absent.intersection(read)) > 1:
            raise _two_absent(pattern, part, sorted(absent.intersection(read)))
        if not read:
            constant.append(part)
        elif len(read) == 1:
            single[read[0]].append(part)
        else:
            joint.append(part)
    keys, rest = partition_keys(joint, pattern, kinds, layouts)
    return Conditions(tuple(constant), tuple(map(tuple, single.values())), tuple(joint), keys, rest)


def normalised(where: Expression, pattern: Pattern) -> Expression:
    """The condition with `[attr]` written out, NOT pushed inwards and BETWEEN in comparisons."""
    present = [one.variable for one in pattern.present]
    absent = [one.variable for one in pattern.components if one.negated]
    return spell_out(push_not(expand_same(where, [*present, *absent])))


def _two_absent(pattern: Pattern, part: Expression, names: list[str]) -> BadQuery:
    place = part.span or Span(0, 1)
    return BadQuery(
        f"{format_expression(part)} compares {' and '.join(names)}, which are both absent: each is judged by itself "
        "and the events that are present.",
        pattern.text if part.span else None,
        place.start,
        place.end,
    )
