"""Models of time: how the columns of a row say when it happened."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from whenabouts.errors import BadArgument
from whenabouts.model.duration import Duration, duration, is_duration_text
from whenabouts.model.histogram import Histogram, Templates

DurationLike = str | dt.timedelta | int | float | Duration


@dataclass(frozen=True, slots=True)
class At:
    """The time is known exactly."""

    t: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.t,)


@dataclass(frozen=True, slots=True)
class Between:
    """Uniform on [lo, hi]."""

    lo: str
    hi: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.lo, self.hi)


@dataclass(frozen=True, slots=True)
class Around:
    """Uniform on [t - before, t + after], the same margins in every row."""

    t: str
    before: Duration
    after: Duration

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.t,)


@dataclass(frozen=True, slots=True)
class AroundColumn:
    """Uniform on [t - delta, t + delta], with a delta of its own in every row."""

    t: str
    delta: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.t, self.delta)


@dataclass(frozen=True)
class Detected:
    """Detection minus latency, the latency's histogram named by a column (paper 000, example 3)."""

    t: str
    templates: Templates
    by: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.t, self.by) if self.by else (self.t,)


@dataclass(frozen=True, slots=True)
class HistogramColumns:
    """A histogram of its own in every row: an array of edges and one of masses."""

    edges: str
    mass: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.edges, self.mass)


@dataclass(frozen=True, slots=True)
class PmfColumns:
    """Finitely many possible times in every row: an array of points and one of masses."""

    points: str
    mass: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.points, self.mass)


TimeModel = At | Between | Around | AroundColumn | Detected | HistogramColumns | PmfColumns


def at(t: str) -> At:
    """The time stands in column `t`, without doubt."""
    return At(t)


def between(lo: str, hi: str) -> Between:
    """Any moment from column `lo` to column `hi` is equally likely."""
    return Between(lo, hi)


def around(t: str, delta: DurationLike) -> Around | AroundColumn:
    """Uniform on `t` plus or minus `delta`: a duration, or the name of a column that holds one per row."""
    if isinstance(delta, str) and not is_duration_text(delta):
        return AroundColumn(t, delta)
    margin = duration(delta, "around(..., delta)")
    if margin.amount < 0:
        raise BadArgument(f"around({t!r}, {margin}): the margin must not be negative.")
    return Around(t, margin, margin)


def rounded(t: str, to: DurationLike, how: Literal["nearest", "down", "up"] = "nearest") -> Around:
    """Column `t` was rounded to a multiple of `to`.

    `nearest` means the true time is within half of `to`; `down` (a clock that cuts off: seconds without
    their fraction) that it is up to `to` later; `up` that it is up to `to` earlier.
    """
    grain = duration(to, "rounded(..., to)")
    if grain.amount < 0:
        raise BadArgument(f"rounded({t!r}, to={grain}): the grain must not be negative.")
    shares = {"nearest": (0.5, 0.5), "down": (0.0, 1.0), "up": (1.0, 0.0)}
    if how not in shares:
        raise BadArgument(f"rounded(..., how={how!r}): choose one of {', '.join(map(repr, shares))}.")
    before, after = (Duration(grain.amount * int(2 * share) / 2, grain.plain) for share in shares[how])
    return Around(t, before, after)


def detected(t: str, latency: Histogram | Mapping[str, Histogram], by: str | None = None) -> Detected:
    """Detected at column `t`, a random latency after it happened.

    Parameters
    ----------
    t : str
        The column with the time of detection.
    latency : Histogram, or mapping of name to Histogram
        The distribution of the latency; edges are seconds for timestamps, the times' own unit for numbers.
    by : str, optional
        The column that names the row's latency (the sensor); needed where there are several.
    """
    if isinstance(latency, Histogram):
        if by is not None:
            raise BadArgument("detected(..., by=...) needs a mapping of names to histograms as latency.")
        return Detected(t, {"": latency}, None)
    if not isinstance(latency, Mapping):
        raise BadArgument(f"detected(..., latency=...) must be a wa.Histogram or map names to them, not {latency!r}.")
    templates = {str(name): histogram for name, histogram in latency.items()}
    strangers = [name for name, given in templates.items() if type(given) is not Histogram]
    if not templates or strangers:
        raise BadArgument(
            f"detected(..., latency=...) must map names to wa.Histogram; look at {strangers or 'it: it is empty'}."
        )
    if by is None:
        raise BadArgument("detected(..., latency={...}) with named histograms needs by=, the column that names one.")
    return Detected(t, templates, by)


def histogram(edges: str, mass: str) -> HistogramColumns:
    """Every row has its own histogram: column `edges` an array of n + 1 times, `mass` one of n masses."""
    return HistogramColumns(edges, mass)


def pmf(points: str, mass: str) -> PmfColumns:
    """Every row has its own list of possible times: column `points`, with probabilities in `mass`."""
    return PmfColumns(points, mass)


def describe(model: TimeModel) -> str:
    """The model in words, for plans and charts."""
    if isinstance(model, At):
        return f"at {model.t}"
    if isinstance(model, Between):
        return f"uniform on [{model.lo}, {model.hi}]"
    if isinstance(model, Around):
        return f"uniform on [{model.t} - {model.before}, {model.t} + {model.after}]"
    if isinstance(model, AroundColumn):
        return f"uniform on [{model.t} - {model.delta}, {model.t} + {model.delta}]"
    if isinstance(model, Detected):
        which = f"one of {len(model.templates)} latency histograms by {model.by}" if model.by else "a latency histogram"
        return f"{model.t} minus {which}"
    if isinstance(model, HistogramColumns):
        return f"a histogram a row ({model.edges}, {model.mass})"
    return f"a pmf a row ({model.points}, {model.mass})"


def columns_of(models: Sequence[TimeModel]) -> tuple[str, ...]:
    """All columns that some models read, without repetition, in order."""
    return tuple(dict.fromkeys(column for model in models for column in model.columns))
