"""Relations between intervals (Allen's thirteen, and unions of them), and quantified queries over segments.

Paper 004, section 2.2. An interval is [start, end] with start < end; the basic relations exclude each other, and
between two intervals exactly one holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Allen = Literal[
    "precedes", "preceded by", "meets", "met by", "overlaps", "overlapped by", "starts", "started by",
    "during", "contains", "finishes", "finished by", "equals",
]  # fmt: skip

CONVERSE: dict[Allen, Allen] = {
    "precedes": "preceded by", "meets": "met by", "overlaps": "overlapped by", "starts": "started by",
    "during": "contains", "finishes": "finished by", "equals": "equals",
    "preceded by": "precedes", "met by": "meets", "overlapped by": "overlaps", "started by": "starts",
    "contains": "during", "finished by": "finishes",
}  # fmt: skip
"""The relation of b to a, for that of a to b."""

BASIC: tuple[Allen, ...] = (
    "precedes", "meets", "overlaps", "finished by", "contains", "starts", "equals", "started by", "during",
    "finishes", "overlapped by", "met by", "preceded by",
)  # fmt: skip
"""All thirteen, from a far before b to a far after it."""

RELATIONS: dict[str, frozenset[Allen]] = {
    **{name: frozenset({name}) for name in BASIC},
    "before": frozenset({"precedes"}),
    "after": frozenset({"preceded by"}),
    "starts before": frozenset({"precedes", "meets", "overlaps", "finished by", "contains"}),
    "starts with": frozenset({"starts", "equals", "started by"}),
    "starts after": frozenset({"during", "finishes", "overlapped by", "met by", "preceded by"}),
    "ends before": frozenset({"precedes", "meets", "overlaps", "starts", "during"}),
    "ends with": frozenset({"finishes", "equals", "finished by"}),
    "ends after": frozenset({"contains", "started by", "overlapped by", "met by", "preceded by"}),
    "intersects": frozenset(BASIC) - {"precedes", "preceded by"},
}
"""Every name that a query may use, with the basic relations that it stands for. The paper's INTERSECTS holds for
intervals that share a moment, be it only an end; its STARTS BEFORE and ENDS AFTER are those of the ends."""


@dataclass(frozen=True, slots=True)
class Quantifier:
    """EVERY, or AT LEAST `count`; SOME is AT LEAST 1. EVERY holds where there is nothing."""

    kind: Literal["every", "at least"]
    count: int = 1


@dataclass(frozen=True, slots=True)
class IntervalQuery:
    """`outer relations inner`, such as `AT LEAST 2 a INTERSECTS SOME b` (paper 004, table 1).

    The outer quantifier is the one that is written first: it holds for so many segments of its side that each relates
    to so many segments of the other side as the inner quantifier says. `a` is the left side, `b` the right.

    Attributes
    ----------
    outer, inner
        The quantifiers, in the order of writing.
    subject
        The side of the outer quantifier; the other one is that of the inner.
    names
        The relations as they were written, any of which may hold; keys of `RELATIONS`.
    """

    outer: Quantifier
    subject: Literal["a", "b"]
    names: tuple[str, ...]
    inner: Quantifier

    @property
    def relations(self) -> frozenset[Allen]:
        """The basic relations of the subject to the other side, any of which will do."""
        return frozenset().union(*(RELATIONS[name] for name in self.names))

    @property
    def left_to_right(self) -> frozenset[Allen]:
        """The same as relations of a segment of `a` to one of `b`, whichever is the subject."""
        return self.relations if self.subject == "a" else frozenset(CONVERSE[one] for one in self.relations)
