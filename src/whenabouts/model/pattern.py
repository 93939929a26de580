"""Patterns: sequences of events of given types, conditions on them, and a window (paper 002, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from whenabouts.model.duration import Duration
from whenabouts.model.expression import Expression, Node

Strategy = Literal["skip_till_any_match", "skip_till_next_match"]


@dataclass(frozen=True, slots=True)
class Component(Node):
    """One place of a sequence: `Type variable`, or `!Type variable` for an event that must be absent there.

    The type is None for `ANY`, which any event fits. An absent event would stand strictly between the present
    components before and after it, so a pattern neither begins nor ends with one.
    """

    type: str | None
    variable: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Returned(Node):
    """`variable` (the whole event, `attribute` is None) or `variable.attribute AS name`."""

    variable: str
    attribute: str | None = None
    name: str | None = None

    @property
    def column(self) -> str:
        """The name of its column in the result."""
        return self.name or (self.variable if self.attribute is None else f"{self.variable}_{self.attribute}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a pattern query asks for.

    Events bound to the present components happen at strictly increasing times, and the last less than `window`
    after the first; no window is no bound. `where` is the condition as it was written; `strategy` says which events may
    be skipped. `returns` is empty where nothing was written, which means every present variable.
    """

    components: tuple[Component, ...]
    where: Expression | None = None
    strategy: Strategy = "skip_till_any_match"
    window: Duration | None = None
    returns: tuple[Returned, ...] = ()
    text: str | None = field(default=None, compare=False, repr=False, kw_only=True)
    """The text that it was read from, which errors point into."""

    @property
    def present(self) -> tuple[Component, ...]:
        """The components that a match binds, in order."""
        return tuple(one for one in self.components if not one.negated)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of all components, absent ones too, in order."""
        return tuple(one.variable for one in self.components)

    @property
    def returned(self) -> tuple[Returned, ...]:
        """What a match returns, written out."""
        return self.returns or tuple(Returned(one.variable, span=one.span) for one in self.present)


@dataclass(frozen=True, slots=True)
class Conditions:
    """A pattern's condition, normalised and sorted by what it takes to decide it.

    The condition is the conjunction of all parts; each is checked as soon as the variables that it reads are bound.
    A part that reads an absent variable (of a negated component) says which events are missed there: such an event
    spoils a match if every part that reads its variable is true. No part reads two absent variables.

    Attributes
    ----------
    constant
        Parts that read no variable at all, such as `1 = 2`.
    single
        For each component, the parts that read its variable alone.
    joint
        Parts that read two or more variables.
    keys
        Chains of equal attributes that cover the pattern: each names an attribute for every component, absent ones
        too, and in a match all of them are equal and known. Events may be partitioned by the keys together.
    rest
        The joint parts that the keys do not imply: all that is left to check where events were partitioned.
    """

    constant: tuple[Expression, ...]
    single: tuple[tuple[Expression, ...], ...]
    joint: tuple[Expression, ...]
    keys: tuple[tuple[str, ...], ...] = ()
    rest: tuple[Expression, ...] = ()
