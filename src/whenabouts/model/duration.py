"""Durations: "2s", "1h 30m", a timedelta, or a plain number for data whose times are plain numbers."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from whenabouts.errors import BadArgument

_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
    "w": 7 * 86400 * 10**9,
}
_NAMES = {
    "nanosecond": "ns", "nanos": "ns", "microsecond": "us", "micros": "us", "µs": "us", "μs": "us",
    "millisecond": "ms", "millis": "ms", "second": "s", "sec": "s", "minute": "m", "min": "m",
    "hour": "h", "hr": "h", "day": "d", "week": "w",
}  # fmt: skip
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Zµμ]+)\s*")

DurationLike = "str | dt.timedelta | int | float | Duration"


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time, exact: in nanoseconds for timestamps, or a bare number for numeric times."""

    amount: Fraction
    plain: bool

    def __str__(self) -> str:
        if self.plain:
            return f"{float(self.amount):g}"
        sign, rest, parts = ("-" if self.amount < 0 else ""), abs(self.amount), []
        for unit in ("d", "h", "m", "s", "ms", "us", "ns"):
            whole = rest // _NANOSECONDS[unit]
            if whole:
                parts.append(f"{whole}{unit}")
                rest -= whole * _NANOSECONDS[unit]
        return sign + (" ".join(parts) or "0s")


def is_duration_text(text: str) -> bool:
    """Whether a text reads as a duration, so that it is not taken for a column's name."""
    return _read(text) is not None


def duration(value: str | dt.timedelta | int | float | Duration, role: str = "duration") -> Duration:
    """Read a duration in any of the accepted forms.

    >>> str(duration("1h 30m")), str(duration(2.5))
    ('1h 30m', '2.5')
    """
    if hasattr(value, "item"):
        value = _from_numpy(value)
    if isinstance(value, Duration):
        return value
    if isinstance(value, dt.timedelta):
        micros = (value.days * 86400 + value.seconds) * 10**6 + value.microseconds
        nanos = getattr(value, "nanoseconds", 0)  # of a pandas Timedelta, which is a timedelta with more digits
        return Duration(Fraction(micros * 1000 + nanos), plain=False)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadArgument(f"{role} must be a text such as '2s', a timedelta or a number, not {value!r}.")
    if isinstance(value, str):
        amount = _read(value)
        if amount is None:
            units = ", ".join(_NANOSECONDS)
            raise BadArgument(f"{role} {value!r} cannot be read. Write it as '2s' or '1h 30m'; units: {units}.")
        return Duration(amount, plain=False)
    if not math.isfinite(value):
        raise BadArgument(f"{role} must be finite, not {value!r}.")
    return Duration(Fraction(value), plain=True)


def _from_numpy(value: Any) -> Any:
    """A NumPy scalar as the Python value that it stands for; a timedelta64 as a Duration, to the nanosecond."""
    if type(value).__name__ == "timedelta64" and value == value and value.dtype != "m8":  # NaT is not itself
        seconds = value.astype("timedelta64[s]")  # nanoseconds alone would overflow beyond 292 years
        rest = (value - seconds.astype(value.dtype)).astype("timedelta64[ns]")
        return Duration(Fraction(int(seconds.astype("int64")) * 10**9 + int(rest.astype("int64"))), plain=False)
    return value.item()


def _read(text: str) -> Fraction | None:
    body = text.strip()
    sign = -1 if body.startswith("-") else 1
    body = body.removeprefix("-")
    total, at = Fraction(0), 0
    while at < len(body):
        part = _PART.match(body, at)
        if part is None:
            return None
        word = part[2] if part[2] in _NANOSECONDS else part[2].lower()
        unit = word if word in _NANOSECONDS else _NAMES.get(word) or _NAMES.get(word.removesuffix("s"))
        if unit is None:
            return None
        total += Fraction(part[1]) * _NANOSECONDS[unit]
        at = part.end()
    return sign * total if at else None
