"""One tree of exceptions. Each message says what is wrong, where, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WhenaboutsError(Exception):
    """The root: catch this to catch everything the library raises on purpose."""


class BadArgument(WhenaboutsError, ValueError):
    """An argument has a value that the operator cannot work with."""


class UnknownColumn(WhenaboutsError, KeyError):
    """A column was named that the data does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class WrongType(WhenaboutsError, TypeError):
    """A column or an argument is of a type that does not fit its role."""


class MixedUnits(WhenaboutsError, TypeError):
    """Times of different kinds meet: timestamps with numbers, or zoned with zoneless timestamps."""


class MixedEngines(WhenaboutsError, TypeError):
    """The two sides do not live in the same engine, or one is a stream and the other is not."""


class BadRows(WhenaboutsError, ValueError):
    """Rows break the data contract of `whenabouts.events`."""


class DuplicateIds(WhenaboutsError, ValueError):
    """An id that the caller declared unique occurs more than once."""


class BadQuery(WhenaboutsError, ValueError):
    """A query cannot be read, or does not fit the data. Says where: the line, with a caret under the place.

    Parameters
    ----------
    problem : str
        What is wrong, and what to write instead.
    text : str, optional
        The whole query.
    start, end : int
        The characters of the query that are at fault.
    """

    def __init__(self, problem: str, text: str | None = None, start: int = 0, end: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.text = text
        before = "" if text is None else text[:start]
        self.line = before.count("\n") + 1
        self.column = start - (before.rfind("\n") + 1) + 1
        self._length = max(1, (start + 1 if end is None else end) - start)

    def __str__(self) -> str:
        if self.text is None:
            return self.problem
        shown = (self.text.split("\n") or [""])[self.line - 1]
        room = max(1, len(shown) - self.column + 1)
        caret = "".join(c if c == "\t" else " " for c in shown[: self.column - 1]) + "^" * min(self._length, room)
        return f"{self.problem}\n  line {self.line}: {shown}\n  {' ' * len(f'line {self.line}: ')}{caret}"

    def __reduce__(self) -> tuple[object, ...]:
        """Survive a trip between processes with the place it points at."""
        return _bad_query, (self.problem, self.text, self.line, self.column, self._length)


def _bad_query(problem: str, text: str | None, line: int, column: int, length: int) -> BadQuery:
    error = BadQuery(problem, text)
    error.line, error.column, error._length = line, column, length
    return error


class StateMismatch(WhenaboutsError, RuntimeError):
    """The state that a stream left in its checkpoint is of another query, or of a version that cannot be read."""


class MissingJava(WhenaboutsError, RuntimeError):
    """Spark was asked for and no Java can be found."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint `" Did you mean 'x'?"`, or nothing where no known word is close."""
    close = difflib.get_close_matches(str(word), list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown_column(name: str, known: Iterable[str], where: str) -> UnknownColumn:
    """The error for a column that is not there, with all that are and the nearest one."""
    names = list(known)
    return UnknownColumn(f"{name!r} is not in {where} ({', '.join(names)}).{nearest(name, names)}")
