"""What Spark's Python workers are spared: walks over all that was ever imported, and memory that comes and goes.

A worker collects garbage when a task ends. With Numba, pandas and Arrow loaded that is a walk over a hundred thousand
objects that live as long as the worker does: 70 ms on the processor, a few times a micro-batch, for nothing.

Large arrays are given back to the system as soon as they are let go, and the next task, which needs as many, gets its
memory page by page again. A worker keeps some for the next one.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_TASKS = 8
"""So many tasks of a worker may still load something: after those, all that is new is looked through."""
_KEPT = 512 << 20
"""Bytes of memory, let go, that a worker keeps; as much may be in one piece."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""What glibc calls these settings."""

_begun = 0


def begin_task() -> None:
    """Called first in every task: what is there by now is not looked through again, and freed when it is let go.

    The first task has the worker keep memory, too.
    """
    global _begun
    _begun += 1
    if _begun <= _TASKS:
        gc.freeze()
    if _begun == 1:
        _keep_memory()


def _keep_memory() -> None:
    """Have the C library keep memory that is let go, where it is one that can."""
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, _KEPT)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
