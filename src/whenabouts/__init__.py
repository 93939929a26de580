"""whenabouts: queries over events whose times are uncertain, with the probability that each answer holds.

Names are loaded when they are first used: importing the package starts no JVM and compiles nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "whenabouts.api": (
        "Events",
        "Segments",
        "congestions",
        "events",
        "explain",
        "interval_query",
        "journeys",
        "match",
        "probability",
        "satisfaction_time",
        "segments",
        "timing_join",
    ),
    "whenabouts.api.objects": ("Objects", "blur", "objects"),
    "whenabouts.api.similarity_join": ("similarity_join",),
    "whenabouts.model.times": ("around", "at", "between", "detected", "histogram", "pmf", "rounded"),
    "whenabouts.model.predicate": ("Timing", "deadline", "delay", "within"),
    "whenabouts.model.histogram": ("Histogram",),
    "whenabouts.model.stats": ("Stats",),
    "whenabouts.errors": ("BadQuery", "WhenaboutsError"),
    "whenabouts.spark.raised": ("spark_errors",),
    "whenabouts.spark.session": ("local_session", "tune"),
    "whenabouts.spark.streaming.watch": ("watch",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BadQuery",
    "Events",
    "Histogram",
    "Objects",
    "Segments",
    "Stats",
    "Timing",
    "WhenaboutsError",
    "around",
    "at",
    "between",
    "blur",
    "congestions",
    "deadline",
    "delay",
    "detected",
    "events",
    "explain",
    "histogram",
    "interval_query",
    "journeys",
    "local_session",
    "match",
    "objects",
    "pmf",
    "probability",
    "rounded",
    "satisfaction_time",
    "segments",
    "similarity_join",
    "spark_errors",
    "timing_join",
    "tune",
    "watch",
    "within",
]

if TYPE_CHECKING:
    from whenabouts.api import (
        Events,
        Segments,
        congestions,
        events,
        explain,
        interval_query,
        journeys,
        match,
        probability,
        satisfaction_time,
        segments,
        timing_join,
    )
    from whenabouts.api.objects import Objects, blur, objects
    from whenabouts.api.similarity_join import similarity_join
    from whenabouts.errors import BadQuery, WhenaboutsError
    from whenabouts.model.histogram import Histogram
    from whenabouts.model.predicate import Timing, deadline, delay, within
    from whenabouts.model.stats import Stats
    from whenabouts.model.times import around, at, between, detected, histogram, pmf, rounded
    from whenabouts.spark.raised import spark_errors
    from whenabouts.spark.session import local_session, tune
    from whenabouts.spark.streaming.watch import watch


def __getattr__(name: str) -> Any:
    if name == "chart":
        return importlib.import_module("whenabouts.chart")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'whenabouts' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "chart"]
