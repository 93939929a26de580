"""One pair of uncertain times: its probability, and paper 000's satisfaction time."""

from __future__ import annotations

from whenabouts.api.timing_join import check_confidence
from whenabouts.errors import WrongType
from whenabouts.model.clock import Clock
from whenabouts.model.histogram import Histogram
from whenabouts.model.predicate import Timing


def probability(x: Histogram, y: Histogram, predicate: Timing) -> float:
    """P(predicate) for two uncertain times given as histograms; edges are seconds where the predicate has a unit.

    >>> import whenabouts as wa
    >>> wa.probability(wa.Histogram([0, 10], [1]), wa.Histogram([10, 20], [1]), wa.within(10))
    0.5
    """
    from whenabouts.ops.timing.single import pair_probability

    _check_histograms(x, y)
    if not isinstance(predicate, Timing):
        raise WrongType(f"The predicate must be wa.within(d), wa.deadline(d) or wa.delay(d), not {predicate!r}.")
    seconds = Clock("number", exact=False) if predicate.length.plain else Clock("instant", tick=10**9)
    low, high = predicate.band(seconds)
    return pair_probability(x, y, low, high)


def satisfaction_time(x: Histogram, y: Histogram, confidence: float) -> float:
    """Paper 000's stime: the T for which P(x + max(y) - T >= y) = confidence (definition 8).

    While y's latest time is at most T + d, `deadline(d)` holds with the confidence, and beyond it does not.

    >>> import whenabouts as wa
    >>> h2 = wa.Histogram([70, 80, 90, 100, 110], [0.15, 0.3, 0.4, 0.15])
    >>> h3 = wa.Histogram([170, 190, 200, 210], [0.1, 0.3, 0.6])
    >>> round(wa.satisfaction_time(h3, h2, 0.8), 2)
    208.59
    """
    from whenabouts.ops.timing.single import pair_satisfaction_time

    check_confidence(confidence, "confidence")
    _check_histograms(x, y)
    return pair_satisfaction_time(x, y, confidence)


def _check_histograms(*times: object) -> None:
    for time in times:
        if not isinstance(time, Histogram):
            raise WrongType(f"A time must be a wa.Histogram(edges, mass), not {time!r}.")
