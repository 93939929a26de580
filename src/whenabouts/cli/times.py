"""Models of time as text: `between(lo, hi)`, `around(t, 2s)`, `detected(t, latency.json, by=sensor)`.

The text is read word by word and looked up in a table of models; none of it is ever run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from whenabouts.cli.words import number_or_text
from whenabouts.errors import BadArgument, nearest
from whenabouts.model.histogram import Histogram
from whenabouts.model.times import TimeModel, around, at, between, detected, histogram, pmf, rounded

_TOKEN = re.compile(r"""\s*(?:(?P<quoted>"[^"]*"|'[^']*')|(?P<mark>[(),=])|(?P<word>[^\s(),='"]+))""")


@dataclass(frozen=True)
class _Form:
    """How a model is written: its parameters in order, and how many must be there."""

    make: Callable[..., TimeModel]
    parameters: tuple[str, ...]
    required: int
    example: str


def parse_time(text: str) -> TimeModel:
    """Read a model of time.

    >>> parse_time("around(t, 2s)").columns
    ('t',)
    """
    tokens = _tokens(text)
    name, kind, position = tokens[0]
    if kind != "word" or name not in _FORMS:
        _fail(text, position, f"a model of time, one of {', '.join(_FORMS)}.{nearest(name, _FORMS)}")
    form = _FORMS[name]
    values = _arguments(text, tokens, form)
    missing = tuple(parameter for parameter in form.parameters[: form.required] if parameter not in values)
    if missing:
        raise BadArgument(f"{text!r} lacks {' and '.join(missing)}. Write it as {form.example}.")
    return form.make(**values)


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Words and marks with their kind and position, and the end of the text."""
    tokens, position = [], 0
    while text[position:].strip():
        found = _TOKEN.match(text, position)
        if found is None:
            _fail(text, position + len(text[position:]) - len(text[position:].lstrip()), "a closing quote")
        kind = str(found.lastgroup)
        word = found[kind]
        tokens.append((word[1:-1] if kind == "quoted" else word, kind, found.start(kind)))
        position = found.end()
    return [*tokens, ("", "end", len(text))]


def _arguments(text: str, tokens: list[tuple[str, str, int]], form: _Form) -> dict[str, str]:
    """The arguments between the brackets, by parameter."""
    _expect(text, tokens[1], "(")
    values: dict[str, str] = {}
    at_token = 2
    while tokens[at_token][0] != ")" or tokens[at_token][1] != "mark":
        start = tokens[at_token][2]
        words, at_token = _words(tokens, at_token)
        parameter = None
        if tokens[at_token][:2] == ("=", "mark"):
            parameter = " ".join(words)
            words, at_token = _words(tokens, at_token + 1)
        if not words:
            _fail(text, tokens[at_token][2], "a name or a value")
        parameter = parameter or next((one for one in form.parameters if one not in values), "")
        if parameter not in form.parameters or parameter in values:
            _fail(text, start, f"what {form.example} has")
        values[parameter] = " ".join(words)
        if tokens[at_token][:2] == (",", "mark"):
            at_token += 1
        elif tokens[at_token][:2] != (")", "mark"):
            _fail(text, tokens[at_token][2], "',' or ')'")
    if tokens[at_token + 1][1] != "end":
        _fail(text, tokens[at_token + 1][2], "the end")
    return values


def _words(tokens: list[tuple[str, str, int]], at_token: int) -> tuple[list[str], int]:
    """Neighbouring words, which together are one value, as in `1h 30m`; and the place after them."""
    words = []
    while tokens[at_token][1] in ("word", "quoted"):
        words.append(tokens[at_token][0])
        at_token += 1
    return words, at_token


def _expect(text: str, token: tuple[str, str, int], mark: str) -> None:
    if token[:2] != (mark, "mark"):
        _fail(text, token[2], repr(mark))


def _fail(text: str, position: int, expected: str) -> NoReturn:
    raise BadArgument(f"The model of time cannot be read:\n  {text}\n  {' ' * position}^ expected {expected}")


def _around(t: str, delta: str) -> TimeModel:
    return around(t, number_or_text(delta))


def _rounded(t: str, to: str, how: Any = "nearest") -> TimeModel:
    return rounded(t, number_or_text(to), how)


def _detected(t: str, latency: str, by: str | None = None) -> TimeModel:
    return detected(t, read_templates(Path(latency)), by)


def read_templates(path: Path) -> Histogram | dict[str, Histogram]:
    """Latency histograms from JSON: `{"name": {"edges": [...], "mass": [...]}}`, or one of them without a name."""
    wanted = 'It must hold {"name": {"edges": [0, 1, 2], "mass": [0.5, 0.5]}, ...}.'
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadArgument(f"{str(path)!r} cannot be read: {error.strerror}. {wanted}") from error
    except ValueError as error:
        raise BadArgument(f"{str(path)!r} is not JSON: {error}. {wanted}") from error
    try:
        if isinstance(found, dict) and found.keys() == {"edges", "mass"}:
            return Histogram(found["edges"], found["mass"])
        return {str(name): Histogram(one["edges"], one["mass"]) for name, one in found.items()}
    except BadArgument as error:
        raise BadArgument(f"{str(path)!r}: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadArgument(f"{str(path)!r} does not hold latency histograms. {wanted}") from error


_FORMS = {
    "at": _Form(at, ("t",), 1, "at(t)"),
    "between": _Form(between, ("lo", "hi"), 2, "between(lo, hi)"),
    "around": _Form(_around, ("t", "delta"), 2, "around(t, 2s)"),
    "rounded": _Form(_rounded, ("t", "to", "how"), 2, "rounded(t, 15s, down)"),
    "detected": _Form(_detected, ("t", "latency", "by"), 2, "detected(t, latency.json, by=sensor)"),
    "histogram": _Form(histogram, ("edges", "mass"), 2, "histogram(edges, mass)"),
    "pmf": _Form(pmf, ("points", "mass"), 2, "pmf(points, mass)"),
}
