"""The words of titles and labels: probabilities, amounts and predicates as people say them."""

from __future__ import annotations

import math

from whenabouts.model.clock import Clock
from whenabouts.model.predicate import Timing

_SECONDS = Clock("instant", tick=10**9)
_NUMBERS = Clock("number", exact=False)


def band_of(predicate: Timing) -> tuple[float, float]:
    """The band of Y - X on histograms of plain numbers, which count seconds where the predicate does."""
    return predicate.band(_NUMBERS if predicate.length.plain else _SECONDS)


def unit_of(predicate: Timing) -> str:
    """What the numbers of an axis count, in brackets; nothing where the predicate is a plain number itself."""
    return "" if predicate.length.plain else " (seconds)"


def say_probability(p: float) -> str:
    """Four digits, and more where fewer would round a doubt away.

    >>> say_probability(0.73), say_probability(1.0), say_probability(0.999996)
    ('0.73', '1', '0.999996')
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    digits = max(4, 1 - math.floor(math.log10(1.0 - p)))
    shown = f"{p:.{digits}f}".rstrip("0") if p > 1e-3 else f"{p:.3g}"
    return "1" if shown == "1." else shown


def say_confidence(p: float) -> str:
    """At most four digits, for columns of numbers; a doubt too small for them is said in words.

    >>> say_confidence(0.6), say_confidence(1.0), say_confidence(0.999996)
    ('0.6', '1', 'nearly 1')
    """
    return "nearly 1" if 0.99995 <= p < 1.0 else f"{p:.4g}"


def say_number(value: float, step: float) -> str:
    """A number to the precision that `step` asks for, without idle zeros.

    >>> say_number(6412.3456, 0.5), say_number(6412.0, 0.5), say_number(6412.3456, 40)
    ('6,412.3', '6,412', '6,412')
    """
    digits = max(0, -math.floor(math.log10(step))) if step > 0 else 0
    shown = f"{value:,.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def say_predicate(predicate: Timing) -> str:
    """The predicate as a clause about X and Y."""
    if predicate.kind == "within":
        return f"X and Y happened within {predicate.length} of each other"
    if predicate.kind == "deadline":
        return f"Y happened no later than {predicate.length} after X"
    return f"Y happened at least {predicate.length} after X"
