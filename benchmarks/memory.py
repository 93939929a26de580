"""The memory that this process and all its descendants hold: Python, the JVM, and Spark's Python workers."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

PAGE = os.sysconf("SC_PAGE_SIZE")


class PeakMemory:
    """
    Sample the resident memory of the process tree, while the block runs, and remember the largest sum.

    Pages that processes share are counted once for each of them, so that the figure is an upper bound. It is read from
    ``/proc``, and is None where there is none.
    """

    def __init__(self, *, every_seconds: float = 0.2) -> None:
        self.peak_bytes: int | None = None
        self._every_seconds = every_seconds
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    @property
    def peak_gb(self) -> float | None:
        """The largest sum, in units of 2**30 bytes."""
        return None if self.peak_bytes is None else self.peak_bytes / 2**30

    def __enter__(self) -> PeakMemory:
        """Start to sample."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while True:
            held = resident_bytes(os.getpid())
            if held is not None:
                self.peak_bytes = max(held, self.peak_bytes or 0)
            if self._done.wait(self._every_seconds):
                return


def resident_bytes(root: int) -> int | None:
    """Add up the resident memory of a process and its descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name of the program stands in brackets and may hold spaces; the parent is the second word after it.
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(folder.name))
    if not children:
        return None
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        waiting += children.get(process, [])
        try:
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
        except OSError:
            continue
    return total
