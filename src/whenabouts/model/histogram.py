"""A histogram: the distribution of a time, or of a latency, as buckets that are uniform inside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from whenabouts.errors import BadArgument

MASS_TOLERANCE = 1e-9
"""How far the masses of a distribution may be from summing to one; they are then scaled to it."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Buckets [edges[k], edges[k + 1]] with probability mass[k] (paper 000, definition 1).

    Buckets may have unequal widths and zero mass; one of no width is a point.

    >>> Histogram([0, 20, 30, 40], [0.1, 0.3, 0.6]).span
    (0.0, 40.0)
    """

    edges: tuple[float, ...]
    mass: tuple[float, ...]

    def __init__(self, edges: Sequence[float], mass: Sequence[float]) -> None:
        object.__setattr__(self, "edges", tuple(float(edge) for edge in edges))
        object.__setattr__(self, "mass", tuple(float(part) for part in mass))
        problem = problem_of(self.edges, self.mass)
        if problem:
            raise BadArgument(f"Histogram(edges={list(self.edges)}, mass={list(self.mass)}): {problem}.")

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last edge: min(H) and max(H)."""
        return self.edges[0], self.edges[-1]

    def shifted(self, by: float) -> Histogram:
        """H + x: the same buckets, later by `by`."""
        return Histogram([edge + by for edge in self.edges], self.mass)

    def mirrored(self) -> Histogram:
        """The distribution of -T. An occurrence is a detection minus its latency: `mirrored().shifted(t)`."""
        return Histogram([-edge for edge in reversed(self.edges)], tuple(reversed(self.mass)))

    def pieces(self) -> list[tuple[float, float, float]]:
        """The buckets (lo, hi, mass) that have mass, scaled to sum to one."""
        total = math.fsum(self.mass)
        return [(lo, hi, m / total) for (lo, hi), m in zip(pairwise(self.edges), self.mass, strict=True) if m > 0]


def problem_of(edges: Sequence[float], mass: Sequence[float]) -> str | None:
    """What is wrong with a histogram, or None."""
    if len(edges) != len(mass) + 1:
        return f"{len(mass)} masses need {len(mass) + 1} edges, not {len(edges)}"
    if not mass:
        return "it has no bucket"
    if not all(math.isfinite(value) for value in (*edges, *mass)):
        return "edges and masses must be finite"
    if any(a > b for a, b in pairwise(edges)):
        return "edges must not decrease"
    if any(part < 0 for part in mass):
        return "masses must not be negative"
    if abs(math.fsum(mass) - 1.0) > MASS_TOLERANCE:
        return f"masses must sum to 1, not {math.fsum(mass):.12g}"
    return None


Templates = Mapping[str, Histogram]
"""Named latency histograms, one a sensor (paper 000, example 3)."""
