"""What was seen of some frames, kept for as long as the frames are: the next question about them needs no look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, ref

from pyspark.sql import DataFrame

T = TypeVar("T")
_Entry = tuple[tuple["ref[DataFrame]", ...], object, Any]

_kept: WeakKeyDictionary[DataFrame, list[_Entry]] = WeakKeyDictionary()


def once(frames: Sequence[DataFrame], meaning: object, look: Callable[[], T]) -> T:
    """What a look at these very frames brings, or brought before if it meant the same.

    It may only serve to plan by, and never be what an answer depends on: a frame can have other rows by now, where what
    it reads from was changed.
    """
    first, *others = frames
    refs = tuple(map(ref, others))
    entries = [entry for entry in _kept.get(first, ()) if all(other() is not None for other in entry[0])]
    for known, meant, seen in entries:
        if known == refs and meant == meaning:
            return seen
    seen = look()
    _kept[first] = [*entries, (refs, meaning, seen)]
    return seen
