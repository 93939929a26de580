"""What is asked of every side."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 1e-12
"""A probability that equals the threshold counts."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """
    What is asked of every side: which pairs are within `window`, with a confidence of `threshold` or more?

    `min_width` and `max_width` are the narrowest and the widest interval in either table. Our side finds out by itself;
    the peers are told, and leave out what such data does not need.
    """

    window: float
    threshold: float
    min_width: float
    max_width: float

    @property
    def one_sided(self) -> bool:
        """Whether no interval is wider than the window, so that the second tail is zero."""
        return self.max_width <= self.window

    @property
    def has_points(self) -> bool:
        """Whether an interval may have no width, so that the ramps must not be divided by it."""
        return self.min_width == 0

    @property
    def reach(self) -> float:
        """How far apart the middles of a pair can be."""
        return self.window if self.threshold > 0.5 else self.window + self.max_width

    @property
    def least(self) -> float:
        """The least confidence that counts."""
        return self.threshold - TOLERANCE
