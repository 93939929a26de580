"""When a buffered event is obsolete: the last moment of a future arrival that could still join it.

For a buffered event b and any arrival a of the other side, of which only the latest time m is known, the pair is
surely out for m above RH(b) (paper 001, figure 1). Arrivals after the watermark W have m >= W, so b is obsolete exactly
when RH(b) < W. That is theorem 4's rule (paper 000) and LH of the oldest possible arrival (paper 001), read from the
buffered event's side: their rule is one bound for a whole buffer, this is a bound for each event.

RH is reached by the arrival that is stochastically earliest relative to its latest time: the widest uniform interval,
the templates one by one, or, where every row may bring any shape, all mass at the far end of the widest one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from whenabouts.kernels.events import Events, Floats, Shapes, shape_supports, with_shapes
from whenabouts.kernels.timing.bounds import shaped_bounds, uniform_bounds
from whenabouts.model.clock import Clock
from whenabouts.model.times import Detected, HistogramColumns, PmfColumns, TimeModel
from whenabouts.schema import histogram_shapes, read_times, to_events

_MANY = 64
_ROUNDING = 8.0
"""How many units in the last place an absolute time may be off, by which events are kept longer."""


@dataclass(frozen=True)
class Expiry:
    """When events of one side expire: `low` and `high` are the band on arrival - event."""

    model: TimeModel
    clock: Clock
    arrivals: TimeModel
    max_width: float
    low: float
    high: float
    confidence: float

    def of(self, rows: pa.Table) -> Floats:
        """RH of every row, in ticks; infinite where the predicate has no end."""
        times = read_times(rows, self.model, self.clock)
        if self.high == np.inf or not len(rows):
            return np.full(len(rows), np.inf)
        origin = int(times.anchor.min()) if self.clock.exact else 0
        events = to_events(times, slice(None), origin)
        if times.shapes is None and self._uniform:
            group = np.zeros(len(rows), dtype=np.int64)
            widths = np.zeros(1), np.array([self.max_width])
            last = uniform_bounds(
                events.earliest, events.latest, group, *widths, self.low, self.high, self.confidence, False
            ).no_after
        else:
            shaped = with_shapes(events) if times.shapes is None else events
            last = shaped.anchor + self._last_arrivals(shaped.shapes)[shaped.shape]
        absolute = last + origin
        return absolute + _ROUNDING * np.spacing(np.abs(absolute))

    def at_the_latest(self, moment: Floats) -> Floats:
        """What RH cannot exceed, whatever the confidence, for events with these latest times: cheap, and a bound."""
        if self.high == np.inf:
            return np.full(len(moment), np.inf)
        bound = moment + (self.high + self.max_width)
        return bound + 4 * _ROUNDING * np.spacing(np.abs(moment) + np.abs(bound))

    @property
    def _uniform(self) -> bool:
        return not isinstance(self.arrivals, Detected | HistogramColumns | PmfColumns)

    def _last_arrivals(self, shapes: Shapes) -> Floats:
        """RH of every shape relative to its anchor: the latest of those against each shape that an arrival can have."""
        count = len(shapes.start) - 1
        first, last = shape_supports(shapes)
        alone = Events(first, last, np.zeros(count), np.arange(count, dtype=np.int64), shapes)
        ends = [
            shaped_bounds(alone, one, self.low, self.high, self.confidence, False).no_after + shift
            for one, shift in self._arrivals()
        ]
        return np.max(ends, axis=0)

    def _arrivals(self) -> list[tuple[Shapes, float]]:
        """The shapes that an arrival can have, and how far its latest time is beyond that of the shape.

        Templates stand one by one, so that none is blurred by the others; only where they are many, all together.
        """
        if isinstance(self.arrivals, Detected):
            seconds = 1.0 if self.clock.kind == "number" else 1e9 / self.clock.tick
            templates = [each.mirrored() for each in self.arrivals.templates.values()]
            sets = [templates] if len(templates) > _MANY else [[one] for one in templates]
            shapes = [histogram_shapes(one) for one in sets]
            return [(one._replace(lo=one.lo * seconds, hi=one.hi * seconds), 0.0) for one in shapes]
        start = np.array([0, 1], dtype=np.int64)
        if self._uniform:
            return [(Shapes(start, np.array([-self.max_width]), np.zeros(1), np.ones(1)), 0.0)]
        return [(Shapes(start, np.zeros(1), np.zeros(1), np.ones(1)), self.max_width)]
