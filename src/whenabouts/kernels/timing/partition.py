"""PTJoin's ranges: the table of satisfaction shifts read as bounds (paper 000, theorem 3)."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels.events import Events, shape_supports
from whenabouts.kernels.timing.bounds import Bounds, at_anchors
from whenabouts.kernels.timing.probing import Table


def partition_bounds(left: Events, right: Events, table: Table, low: float, high: float, certain: bool) -> Bounds:
    """The ranges VR, LPR, SR, RPR of every left event over the latest times of the right side.

    For a template u the ends are the least and the greatest satisfaction time over the templates v of the
    other side: LPR = [no_before, yes_from), SR = [yes_from, yes_to], RPR = (yes_to, no_after]. With
    `certain`, SR holds only pairs of probability one. Where some pair of templates can leave the band on
    both ends at once no pair is sure, and SR is empty: the paper rules that out by d >= max(pi).
    """
    first_u, last_u = shape_supports(left.shapes)
    first_v, last_v = shape_supports(right.shapes)
    reach = (last_u - first_u)[:, None] + (last_v - first_v)[None, :]
    near = 1e-9 * reach
    least, most = table.shifts[:, :, 0] + last_v, table.shifts[:, :, 1] + last_v
    no_before = np.min(least - near, axis=1)
    no_after = np.max(most + near, axis=1)
    if certain:
        yes_from = low + last_u + np.max(last_v - first_v)
        yes_to = high + first_u
    else:
        both_ends = (reach > high - low).any(axis=1)
        yes_from = np.where(both_ends, np.inf, np.max(least + near, axis=1))
        yes_to = np.where(both_ends, -np.inf, np.min(most - near, axis=1))
    return at_anchors(left, Bounds(no_before, yes_from, yes_to, no_after))
