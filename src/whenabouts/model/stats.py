"""What went on inside an operator: pass `stats=wa.Stats()` and read it after the frame was computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING

COUNTS = (
    "left_rows", "right_rows", "candidates", "surely_yes", "probed", "computed", "lookup_hits", "emitted",
    "rejected", "buffer_max", "buffer_total", "arrivals", "partial", "pruned",
    "window_pairs", "object_pruned", "sample_pruned",
)  # fmt: skip
"""The counts that slices report."""


class Stats:
    """Counts of one run.

    Pairs are counted where they are decided: `surely_no` without being looked at, `surely_yes` by their
    range alone, and `probed` one by one, of which `computed` needed a probability and `lookup_hits` reused
    one; `candidates` are the last two kinds together. `buffer_mean` and `buffer_max` are lengths of the
    stream buffers, for the strategies that keep them.

    A pattern counts the `partial` matches that it made and those of them that were `pruned` before they were complete;
    its `candidates` are the events that fit some component.

    A similarity join counts `window_pairs`, the pairs that meet in their windows; of these `object_pruned` by what is
    known of whole objects, `sample_pruned` by their samples' spheres or boxes, `surely_yes` accepted without a
    distance, and `computed` refined. `pruning_power` has the shares.

    On Spark the counts arrive with the data: they are zero until the frame has been computed once.
    """

    if TYPE_CHECKING:
        left_rows: int
        right_rows: int
        candidates: int
        surely_yes: int
        probed: int
        computed: int
        lookup_hits: int
        emitted: int
        rejected: int
        buffer_max: int
        buffer_total: int
        arrivals: int
        partial: int
        pruned: int
        window_pairs: int
        object_pruned: int
        sample_pruned: int

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Back to zero: an operator does this when it takes the object."""
        self.strategy = ""
        self.slices = 0
        self._counts: dict[str, int] = {}
        self._source: Callable[[], Mapping[str, int] | None] | None = None

    def __getattr__(self, name: str) -> int:
        if name not in COUNTS:
            raise AttributeError(f"Stats has no {name!r}; it counts {', '.join(COUNTS)}.")
        return self.counts.get(name, 0)

    @property
    def counts(self) -> dict[str, int]:
        """All counts by name; fetched from Spark the first time that they are there."""
        if self._source is not None:
            found = self._source()
            if found is not None:
                self._source = None
                self.add(found)
        return self._counts

    @property
    def surely_no(self) -> int:
        """Pairs that were never looked at."""
        return max(self.left_rows * self.right_rows - self.candidates, 0)

    @property
    def pruning_power(self) -> dict[str, float]:
        """Of the pairs in the windows of a similarity join, the shares that were pruned by objects and by samples."""
        whole = self.window_pairs or 1
        return {"objects": self.object_pruned / whole, "samples": self.sample_pruned / whole}

    @property
    def buffer_mean(self) -> float:
        """The average number of buffered events after an arrival."""
        return self.buffer_total / self.arrivals if self.arrivals else 0.0

    def add(self, counts: Mapping[str, int]) -> None:
        """Take in the counts of one slice."""
        merge_counts(self._counts, counts)

    def wait_for(self, source: Callable[[], Mapping[str, int] | None]) -> None:
        """Let the counts come from an engine that computes later."""
        self._source = source

    def __repr__(self) -> str:
        shown = {name: self.counts.get(name, 0) for name in COUNTS}
        shown["surely_no"] = self.surely_no
        head = [f"strategy={self.strategy!r}", f"slices={self.slices}"]
        return f"Stats({', '.join(head + [f'{name}={value:,}' for name, value in shown.items() if value])})"


def merge_counts(into: MutableMapping[str, int], more: Mapping[str, int]) -> None:
    """Add counts up; of the longest buffers keep the longest."""
    for name, count in more.items():
        old = into.get(name, 0)
        into[name] = max(old, count) if name == "buffer_max" else old + count
