"""Which method evaluates a pattern, from how many events each component takes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whenabouts.errors import BadArgument
from whenabouts.kernels.events import Ints
from whenabouts.kernels.match.work import Found
from whenabouts.ops.match.evaluate import Prepared, by_points, by_runs, grown
from whenabouts.ops.match.sweeps import swept


def matches(prepared: Prepared, method: str) -> Iterator[Found]:
    """The matches in chunks; all methods give the same ones.

    "query_order" walks over complete sequences three times (paper 002, section 5.1), "sorted" prunes as it goes (B.1,
    B.3), "selectivity" does so from the rarest component outwards (5.3); "any_state" keeps runs (5.2, B.2), and
    "point" goes through single moments (section 4, A).
    """
    if method == "point":
        return by_points(prepared)
    if method == "any_state":
        return by_runs(prepared)
    if method == "sorted":
        at_once = swept(prepared)
        if at_once is not None:
            return at_once
    if method == "selectivity":
        return grown(prepared, rarest_first(prepared), incremental=True)
    return grown(prepared, pattern_order(prepared), incremental=method != "query_order")


def choose_method(prepared: Prepared, method: str) -> tuple[str, str]:
    """The method that is used and why."""
    if method == "point" and not _has_points(prepared):
        raise BadArgument(
            'method="point" goes through the possible moments of each event, and continuous times have too many. '
            'Pass tick= as well, or another method: "auto" never looks at single moments.'
        )
    if method != "auto":
        return method, "asked for"
    in_order = expected_partials(prepared, pattern_order(prepared))
    from_rarest = expected_partials(prepared, rarest_first(prepared))
    if from_rarest < 0.8 * in_order:
        why = f"about {from_rarest:,.0f} partial matches from the rarest component, {in_order:,.0f} in pattern order"
        return "selectivity", why
    return "sorted", f"about {in_order:,.0f} partial matches in pattern order"


def _has_points(prepared: Prepared) -> bool:
    """Whether every event has finitely many possible moments."""
    events = prepared.events
    if prepared.question.discrete:
        return True
    if len(events.shape) == 0:
        return bool((events.earliest == events.latest).all())
    return bool((events.shapes.lo == events.shapes.hi).all())


def pattern_order(prepared: Prepared) -> Ints:
    """The present places as they stand."""
    return np.arange(prepared.negated.count(False), dtype=np.int64)


def rarest_first(prepared: Prepared) -> Ints:
    """The present places, rarest first; after it always one beside those that are bound, again the rarer."""
    sizes = [len(rows) for rows, absent in zip(prepared.rows, prepared.negated, strict=True) if not absent]
    first = int(np.argmin(sizes))
    order, low, high = [first], first, first
    while len(order) < len(sizes):
        if low > 0 and (high + 1 == len(sizes) or sizes[low - 1] <= sizes[high + 1]):
            low -= 1
            order.append(low)
        else:
            high += 1
            order.append(high)
    return np.array(order, dtype=np.int64)


def expected_partials(prepared: Prepared, order: Ints) -> float:
    """About how many partial matches are made when components are bound in an order.

    Each event is taken to meet as many of the next component as happen, on average, within a window and a width.
    """
    events = prepared.events
    sizes = [len(rows) for rows, absent in zip(prepared.rows, prepared.negated, strict=True) if not absent]
    if not len(events.earliest) or not all(sizes):
        return float(sum(sizes))
    span = float(events.latest.max() - events.earliest.min()) or 1.0
    reach = min(prepared.question.window, span) + float((events.latest - events.earliest).mean())
    share = min(1.0, reach / span) / max(prepared.group_count, 1)
    total, partial = 0.0, 1.0
    for step, place in enumerate(order):
        partial *= sizes[place] if step == 0 else sizes[place] * share
        total += partial
    return total
