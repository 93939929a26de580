"""What Spark's Python workers are spared: looking through everything that was ever imported, after every task.

A worker collects garbage when a task ends. With Numba, pandas and Arrow loaded that is a walk over a hundred thousand
objects that live as long as the worker does: 70 ms on the processor, a few times a micro-batch, for nothing.
"""

from __future__ import annotations

import gc

_TASKS = 8
"""So many tasks of a worker may still load something: after those, all that is new is looked through."""

_begun = 0


def begin_task() -> None:
    """Called first in every task: what is there by now is not looked through again, and freed when it is let go."""
    global _begun
    _begun += 1
    if _begun <= _TASKS:
        gc.freeze()
