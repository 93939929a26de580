"""From a table to what the search needs: rows past the door, on one clock and origin, and who may stand where."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.kernels.match.ticks import count_in_ticks, window_in_ticks
from whenabouts.kernels.match.work import Question
from whenabouts.ops.conditions.masks import component_masks
from whenabouts.ops.match.evaluate import Prepared
from whenabouts.ops.match.keys import group_codes, rows_of
from whenabouts.ops.match.question import PatternMatch
from whenabouts.schema import Refusals, check_ids, read_times, to_events

Flags = NDArray[np.bool_]


def prepare(question: PatternMatch, table: pa.Table, fits: Flags | None = None, owned: Flags | None = None) -> Prepared:
    """Check the rows that fit some component, and list them by component and key.

    `fits` has a row a component and says which rows may stand there, where that is already known; `owned` says
    which rows may be the first event of a match.
    """
    pattern = question.pattern
    if fits is None:
        fits = component_masks(pattern, question.conditions, table, question.kinds, question.moment_tick, question.type)
    some = fits.any(axis=0)
    counts = {"left_rows": len(table) if owned is None else int(owned.sum()), "candidates": int(some.sum())}
    if not some.all():
        table, fits = table.filter(pa.array(some)), fits[:, some]
        owned = None if owned is None else owned[some]
    table = table.select(list(question.columns))
    times = read_times(table, question.contract.time, question.clock)
    check_ids(table, question.contract, times.problems)
    good = times.problems.good
    if not question.quarantine:
        refusals = Refusals(question.contract, "the events")
        refusals.add(table, times.problems)
        refusals.raise_if_any()
    counts["rejected"] = int(len(good) - good.sum())
    if not good.all():
        table, fits = table.filter(pa.array(good)), fits[:, good]
        owned = None if owned is None else owned[good]
    rows = np.flatnonzero(good).astype(np.int64)
    origin = _origin(question, times.anchor[rows])
    events = to_events(times, rows, origin)
    window = question.window
    if question.grain:
        events, window = count_in_ticks(events, question.grain), window_in_ticks(window, question.grain)
    groups, group_count = group_codes(table, question.conditions.keys, len(pattern.components))
    lists, codes = rows_of(fits, groups)
    if owned is not None:
        first = next(place for place, one in enumerate(pattern.components) if not one.negated)
        mine = owned[lists[first]]
        lists[first], codes[first] = lists[first][mine], codes[first][mine]
    asked = Question(window, question.grain > 0, pattern.strategy == "skip_till_next_match", question.min_confidence)
    return Prepared(
        events, lists, codes, group_count, [one.negated for one in pattern.components], question.code.over(table),
        asked, question.top or 0, counts, question, table, origin,
    )  # fmt: skip


def _origin(question: PatternMatch, anchors: NDArray[np.int64] | NDArray[np.float64]) -> int:
    """The first anchor, from which exact times are counted; a tick where time is counted in ticks."""
    if not question.clock.exact or not len(anchors):
        return 0
    first, grain = int(anchors.min()), question.grain
    if not grain:
        return first
    return int(first // int(grain) * int(grain)) if grain == int(grain) else 0
