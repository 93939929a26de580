"""How points are blurred into clouds: the radius of each, and how samples lie within it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, get_args

from whenabouts.errors import BadArgument

Shape = Literal["ball", "gaussian"]
Radii = Literal["uniform", "gaussian"]
Layout = Literal["nested", "flat", "packed"]
"""How a cloud stands in its row: an array of points, an array of all coordinates, or the bytes of that."""


@dataclass(frozen=True)
class Blur:
    """A recipe for clouds: columns of coordinates, radii, samples each, and a seed.

    `radius` is a column's name or a range; a row's radius is drawn from the range, uniformly or from a normal
    distribution about its middle with variance (r_min + r_max) / 5, cut off at the ends (paper 003, section 7).
    """

    points: tuple[str, ...]
    radius: str | tuple[float, float]
    samples: int
    shape: Shape
    radii: Radii
    seed: int
    into: str
    id: str | None = None
    layout: Layout = "nested"

    def __post_init__(self) -> None:
        if not self.points:
            raise BadArgument('wa.blur needs the columns of the coordinates: points=["x", "y"].')
        if not isinstance(self.radius, str):
            low, high = self.radius
            if not (0.0 <= low <= high < math.inf):
                raise BadArgument(f"radius={self.radius!r}: give a number of zero or more, or a rising range of them.")
        if isinstance(self.samples, bool) or not isinstance(self.samples, Integral) or self.samples < 1:
            raise BadArgument(f"samples={self.samples!r}: a cloud needs a whole number of samples, at least one.")
        for value, name, kind in (
            (self.shape, "shape", Shape), (self.radii, "radii", Radii), (self.layout, "layout", Layout)
        ):  # fmt: skip
            choices = get_args(kind)
            if value not in choices:
                raise BadArgument(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")
