"""Template histograms: the shapes that detection latencies take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from whenabouts.model.histogram import Histogram

__all__ = ["template_histograms"]


def template_histograms(
    count: int, *, buckets: int = 20, length: tuple[float, float] = (20, 200), seed: int, prefix: str = "s"
) -> dict[str, Histogram]:
    """
    Draw template histograms at random, as example 5 of the PTJoin paper does.

    Each starts at 0. Its length is uniform between the two given; its buckets have widths that differ by up to a
    factor of three and masses that are uniform on the simplex.

    Parameters
    ----------
    count
        How many templates.
    buckets
        How many buckets each has.
    length
        The shortest and the longest latency range, in the unit of time of the events (seconds for timestamps).
    seed
        What the random numbers start from.
    prefix
        What the names start with; a number follows, with as many digits as the last one needs.

    Returns
    -------
    dict of str to Histogram
        Name to template, in the order of the names.

    Examples
    --------
    >>> templates = template_histograms(500, seed=5)
    >>> list(templates)[:2], len(templates["s000"].mass)
    (['s000', 's001'], 20)
    """
    from whenabouts.model.histogram import Histogram

    if count < 1 or buckets < 1 or not 0 < length[0] <= length[1]:
        message = (
            "template histograms need count >= 1, buckets >= 1 and 0 < length[0] <= length[1]; "
            f"got {count=}, {buckets=}, {length=}"
        )
        raise ValueError(message)
    random = np.random.default_rng(seed)
    lengths = random.uniform(*length, (count, 1))
    ends = np.cumsum(random.uniform(0.5, 1.5, (count, buckets)), axis=1)
    edges = np.hstack([np.zeros((count, 1)), ends / ends[:, -1:] * lengths])
    mass = random.dirichlet(np.ones(buckets), count)
    digits = len(str(count - 1))
    return {
        f"{prefix}{number:0{digits}}": Histogram(edges=tuple(edges[number].tolist()), mass=tuple(mass[number].tolist()))
        for number in range(count)
    }
