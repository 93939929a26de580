"""Words on the command line: durations, lists, keys, predicates and distributions, as text."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from typing import TYPE_CHECKING

from whenabouts.errors import BadArgument
from whenabouts.model.duration import Duration
from whenabouts.model.histogram import Histogram
from whenabouts.model.predicate import Timing, deadline, delay, within

if TYPE_CHECKING:
    from collections.abc import Mapping


def number_or_text(text: str) -> int | float | str:
    """A number where the text is one, for times that are plain numbers; else the text, such as `2s`."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def moment_or_column(text: str) -> int | float | dt.datetime | str:
    """A number, a timestamp in ISO 8601, or else the name of a column."""
    value = number_or_text(text)
    if isinstance(value, str):
        with suppress(ValueError):
            return dt.datetime.fromisoformat(value)
    return value


def predicate_of(within_: str | None, deadline_: str | None, delay_: str | None) -> Timing:
    """The one predicate that was given."""
    given = [
        (make, text) for make, text in ((within, within_), (deadline, deadline_), (delay, delay_)) if text is not None
    ]
    if len(given) != 1:
        problem = "None of them was given" if not given else f"{len(given)} of them were given"
        raise BadArgument(f"{problem}: choose one of --within 2s, --deadline 2s and --delay 2s.")
    make, text = given[0]
    return make(number_or_text(text))


def names_of(text: str | None) -> tuple[str, ...]:
    """The names in `a,b`."""
    return tuple(name.strip() for name in text.split(",") if name.strip()) if text else ()


def keys_of(text: str | None) -> Mapping[str, str] | None:
    """The equality keys in `a,b` or `left_name=right_name`."""
    keys = {}
    for name in names_of(text):
        left, _, right = (part.strip() for part in name.partition("="))
        keys[left] = right or left
    return keys or None


def histogram_of(text: str) -> Histogram:
    """A distribution: `5` is a point, `0,10` is uniform, `0,20,30,40:0.1,0.3,0.6` has edges and masses.

    >>> histogram_of("0,10").span, histogram_of("5").span
    ((0.0, 10.0), (5.0, 5.0))
    """
    edges_text, _, mass_text = text.partition(":")
    try:
        edges = [float(part) for part in edges_text.split(",")]
        mass = [float(part) for part in mass_text.split(",")] if mass_text else [1.0]
    except ValueError:
        raise BadArgument(
            f"{text!r} is not a time. Write 5 for a point, 0,10 for any moment between two, "
            "or 0,20,30,40:0.1,0.3,0.6 for the edges and masses of a histogram."
        ) from None
    if len(edges) == 1:
        edges *= 2
    return Histogram(edges, mass)


def in_plain_numbers(predicate: Timing) -> Timing:
    """The predicate on times that count seconds, where it has a unit."""
    if predicate.length.plain:
        return predicate
    return Timing(predicate.kind, Duration(predicate.length.amount / 10**9, plain=True))
