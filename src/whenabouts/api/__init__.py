"""The public verbs, one a file: read the arguments, look at the kind of data, hand over to ops or spark."""

from __future__ import annotations

from whenabouts.api.congestions import congestions, journeys
from whenabouts.api.events import Events, events
from whenabouts.api.explain import Explanation, explain
from whenabouts.api.interval_query import interval_query
from whenabouts.api.match import match
from whenabouts.api.pair import probability, satisfaction_time
from whenabouts.api.segments import Segments, segments
from whenabouts.api.timing_join import timing_join

__all__ = [
    "Events",
    "Explanation",
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
]
