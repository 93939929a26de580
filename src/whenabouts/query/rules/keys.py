"""Equalities across variables that chain through the whole pattern become partition keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from whenabouts.model.expression import Attribute, Comparison, Expression, Kind
from whenabouts.model.pattern import Pattern

_KEY_KINDS = ("integer", "text", "boolean", "instant", "local", "duration")
"""Real numbers are no keys: engines differ in which of them they hold for equal."""


def partition_keys(
    joint: Sequence[Expression],
    pattern: Pattern,
    kinds: Mapping[str, Kind | None],
    layouts: Mapping[str, str] | None = None,
) -> tuple[tuple[tuple[str, ...], ...], tuple[Expression, ...]]:
    """The chains of equal attributes that cover the pattern, the longest first, and the parts they do not imply.

    Attributes of present variables that are said to be equal, directly or through others, form a chain. It covers the
    pattern if it has an attribute of every present variable, and if each absent variable has one that is said to be
    equal to a member; a chain does not run through absent variables, since what is said of them only says which events
    are missed. Where a chain has several attributes of one variable, that with the commonest name stands for it.
    `layouts` tells how columns are stored: only columns that are stored alike make a key together.
    """
    layouts = layouts or {}
    absent = {one.variable for one in pattern.components if one.negated}
    equalities = [found for part in joint if (found := _equality(part, kinds, layouts))]
    chains = _chains([pair for pair in equalities if not absent.intersection(one.variable for one in pair)])
    keys = []
    for chain in sorted(chains, key=len, reverse=True):
        common = Counter(one.name for one in chain)
        members: dict[str, Attribute] = {}
        for one in sorted(chain, key=lambda one: -common[one.name]):
            members.setdefault(one.variable, one)
        for pair in equalities:
            for one, other in (pair, pair[::-1]):
                if one.variable in absent and other in chain:
                    members.setdefault(one.variable, one)
        if all(variable in members for variable in pattern.variables):
            keys.append([members[variable] for variable in pattern.variables])
    rest = tuple(part for part in joint if not _implied(_equality(part, kinds, layouts), keys))
    return tuple(tuple(one.name for one in key) for key in keys), rest


def _equality(
    part: Expression, kinds: Mapping[str, Kind | None], layouts: Mapping[str, str]
) -> tuple[Attribute, Attribute] | None:
    """The attributes of two variables that a part says are equal, if they are of one kind that can be a key."""
    match part:
        case Comparison(op="=", left=Attribute() as left, right=Attribute() as right):
            alike = kinds[left.name] == kinds[right.name] and layouts.get(left.name) == layouts.get(right.name)
            possible = alike and kinds[left.name] in _KEY_KINDS and left.variable != right.variable
            return (left, right) if possible else None
        case _:
            return None


def _chains(equalities: Sequence[tuple[Attribute, Attribute]]) -> list[list[Attribute]]:
    """The attributes in lists of those that are equal to each other."""
    chain_of: dict[Attribute, list[Attribute]] = {}
    for pair in equalities:
        one, other = (chain_of.setdefault(attribute, [attribute]) for attribute in pair)
        if one is not other:
            one.extend(other)
            chain_of.update(dict.fromkeys(other, one))
    return list({id(chain): chain for chain in chain_of.values()}.values())


def _implied(equality: tuple[Attribute, Attribute] | None, keys: Sequence[Sequence[Attribute]]) -> bool:
    return equality is not None and any(all(one in key for one in equality) for key in keys)
