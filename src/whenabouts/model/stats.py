"""What went on inside an operator: pass `stats=wa.Stats()` and read it after the frame was computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields


@dataclass
class Stats:
    """Counts of one run.

    Pairs are counted where they are decided: `surely_no` without being looked at, `surely_yes` by their
    range alone, and `probed` one by one, of which `computed` needed a probability and `lookup_hits` reused
    one. `buffer_mean` and `buffer_max` are lengths of the stream buffers, for the strategies that keep them.
    """

    strategy: str = ""
    slices: int = 0
    left_rows: int = 0
    right_rows: int = 0
    candidates: int = 0
    surely_yes: int = 0
    surely_no: int = 0
    probed: int = 0
    computed: int = 0
    lookup_hits: int = 0
    emitted: int = 0
    rejected: int = 0
    buffer_max: int = 0
    buffer_total: int = 0
    arrivals: int = 0
    _pending: Callable[[], Mapping[str, int] | None] | None = field(default=None, repr=False, compare=False)

    @property
    def buffer_mean(self) -> float:
        """The average number of buffered events after an arrival."""
        return self.buffer_total / self.arrivals if self.arrivals else 0.0

    def clear(self) -> None:
        """Back to zero: an operator does this when it takes the object."""
        for one in fields(self):
            setattr(self, one.name, one.default)

    def add(self, counts: Mapping[str, int]) -> None:
        """Take in the counts of one slice."""
        for name, count in counts.items():
            old = getattr(self, name)
            setattr(self, name, max(old, count) if name == "buffer_max" else old + count)

    def wait_for(self, source: Callable[[], Mapping[str, int] | None]) -> None:
        """Let the counts come from an engine that computes later; they are fetched by `refresh`."""
        self._pending = source

    def refresh(self) -> Stats:
        """Fetch the counts of a Spark frame that has been computed; does nothing before that."""
        if self._pending is not None:
            counts = self._pending()
            if counts is not None:
                self._pending = None
                self.add(counts)
        return self


COUNTS = tuple(
    one.name for one in fields(Stats) if one.name not in ("strategy", "slices", "_pending")
)
"""The names of the counts that slices report."""
