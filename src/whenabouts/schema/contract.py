"""The contract of a side, what is wrong with rows that break it, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.errors import BadRows, DuplicateIds, WrongType, unknown_column
from whenabouts.model.times import TimeModel
from whenabouts.schema.arrow import codes, in_one, nulls


@dataclass(frozen=True)
class Contract:
    """What a side of an operator must hold: its id, its model of time, and whether ids must be unique."""

    id: str
    time: TimeModel
    unique_ids: bool = False

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that an error shows of a bad row."""
        return tuple(dict.fromkeys((self.id, *self.time.columns)))


class Readable(Protocol):
    """What a message about bad rows needs to know of their contract."""

    @property
    def shown(self) -> tuple[str, ...]: ...


class Problems:
    """The first thing that is wrong with each row, as an index into `reasons`; 0 is nothing.

    `examples` is a row for each of the reasons.
    """

    def __init__(self, count: int) -> None:
        self.code = np.zeros(count, dtype=np.int64)
        self.reasons = [""]
        self.examples = [-1]

    def add(self, bad: NDArray[np.bool_], reason: str) -> None:
        """Mark rows that have no earlier reason."""
        if not bad.any():
            return
        fresh = bad & (self.code == 0)
        if fresh.any():
            self.reasons.append(reason)
            self.examples.append(int(np.argmax(fresh)))
            self.code[fresh] = len(self.reasons) - 1

    @property
    def none(self) -> bool:
        """Whether every row is good."""
        return len(self.reasons) == 1

    @property
    def good(self) -> NDArray[np.bool_]:
        return self.code == 0

    def texts(self) -> pa.Array:
        """The reasons as an Arrow column, null for a good row."""
        texts = pa.array([None, *self.reasons[1:]], pa.string())
        return texts.take(pa.array(self.code))


def field_of(schema: pa.Schema, name: str, where: str) -> pa.Field:
    """A column's field, or an error that names the columns there are."""
    if name not in schema.names:
        raise unknown_column(name, schema.names, where)
    return schema.field(name)


def key_field(schema: pa.Schema, name: str, where: str) -> pa.Field:
    """The field of a column that tells things apart, which must hold values that can be compared."""
    field = field_of(schema, name, where)
    check_comparable(field.type, repr(name))
    return field


def check_comparable(kind: pa.DataType, role: str) -> None:
    """What is looked up among others must be one value: arrays and structs are not."""
    if pa.types.is_nested(kind):
        raise WrongType(f"{role} is {kind}; only single values are compared. Take what tells them apart out of it.")


def check_ids(table: pa.Table, contract: Contract, problems: Problems) -> None:
    """Add null ids, and repeated ones where they must be unique."""
    ids = in_one(table.column(contract.id))
    if ids.null_count:
        problems.add(nulls(ids), f"{contract.id!r} is null")
    if contract.unique_ids:
        code = codes(ids)
        repeated = np.bincount(code, minlength=1)[code] > 1
        problems.add(repeated, f"{contract.id!r} is not unique")


class Refusals:
    """Bad rows of one side, gathered over any number of batches: a count and an example for each reason."""

    def __init__(self, contract: Readable, where: str, maker: str = "events") -> None:
        self.contract = contract
        self.where = where
        self.maker = maker
        self.counts: dict[str, int] = {}
        self.examples: dict[str, str] = {}

    @property
    def count(self) -> int:
        return sum(self.counts.values())

    def add(self, table: pa.Table, problems: Problems) -> None:
        """Take note of what is wrong in a table."""
        names = list(self.contract.shown)
        for code, reason in enumerate(problems.reasons[1:], start=1):
            rows = np.flatnonzero(problems.code == code)
            self.counts[reason] = self.counts.get(reason, 0) + len(rows)
            if reason not in self.examples:
                example = table.select(names).slice(problems.examples[code], 1).to_pylist()[0]
                self.examples[reason] = ", ".join(f"{name}={value!r}" for name, value in example.items())

    def raise_if_any(self, about: str = "") -> None:
        """Raise one error that names column, count, an example row and the remedy of every reason given.

        `about` are words that a reason must contain.
        """
        if not any(about in reason for reason in self.counts):
            return
        lines = [
            f"  {reason}: {_rows(count)}, for example {self.examples[reason]}. {_remedy(reason)}"
            for reason, count in self.counts.items()
        ]
        error = DuplicateIds if all("not unique" in reason for reason in self.counts) else BadRows
        raise error(
            f"{_rows(self.count)} of {self.where} cannot be used.\n"
            + "\n".join(lines)
            + (
                "\nThese are set aside by no one: only beside the times of the other side are they too large."
                if about
                else f'\nOr pass bad_rows="quarantine" to wa.{self.maker}: the good rows are joined, '
                f"and these come back in {self.maker}.rejected with their reason."
            )
        )


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _remedy(reason: str) -> str:
    """What to do about a reason."""
    for words, remedy in _REMEDIES:
        if words in reason:
            return remedy
    raise AssertionError(f"no remedy is written for the reason {reason!r}")


_REMEDIES = [
    ("is null", "Fill it in, or filter these rows out."),
    ("holds a null", "Fill it in, or filter these rows out."),
    ("is after", "Swap the two ends, or correct them."),
    ("NaN", "Filter these rows out, or give them a wide interval."),
    ("infinit", "Give the row a finite bound: an unbounded time has no uniform distribution."),
    ("negative mass", "Masses are probabilities: make them zero or more."),
    ("is negative", "A margin is a length: make it zero or more."),
    ("sum to 1", "Divide the row's masses by their sum."),
    ("not sorted", "Sort the edges, and the masses with them."),
    ("too large", "Subtract a common origin, or use timestamps."),
    ("names no latency", "Add the name to latency=, or filter these rows out."),
    ("not unique", "Give every event its own id, or leave unique_ids off."),
    ("one weight for each", "Give every sample a weight, or leave weights= out: then all are equally likely."),
    ("different dimensions", "Every point of an object needs the same coordinates."),
    ("like the others", "Objects that are to be compared need equally many coordinates."),
    ("whole points", "Coordinates stand point after point: say with dimensions= how many a point has."),
    ("whole numbers", "Pack numbers as float64, little-endian: NumPy's tobytes() does."),
    ("without coordinates", "A point needs at least one coordinate."),
    ("differ between rows", "Samples of one object share its place; give each object its own id."),
    ("is empty", "A distribution needs at least one bucket or point."),
    ("is below", "Number the events of a key from 1 on, or say first=."),
    ("bounds are not the same", "Bounds are those of the key: write the same ones into all of its rows."),
    ("is not the same", "How many events a key has is one number: write it into all of its rows."),
    ("holds no end", "Say expected=, the number of events of a key or the column that holds it."),
    ("is beyond", "Correct the number, or what is expected of the key."),
    ("odd number", "Say expected=, the number of events of a key, where its last one may be lost."),
    ("no segment", "A key needs at least a start and an end."),
    ("million events", "Number the events of a key one by one: a gap in the numbers is a lost event."),
    ("out of order", "The roles of a key are start, then suspend and resume in turn, then end."),
    ("none of start", "Use these four words."),
    ("there twice", "Keep one of the two rows, or correct the numbers."),
    ("does not come after", "Events of one key happen one after the other: correct the times or the numbers."),
    ("outside its bounds", "Widen the bounds, or correct the time."),
    ("tell a rate", "Say bounds=, the earliest and the latest time of a key."),
    ("no room", "Widen the bounds: lost events need some time to happen in."),
    ("events in a row are lost", "Number the events one by one, or leave such keys out: little can be said of them."),
    ("events are lost", "Number the events one by one, or leave such keys out: nothing can be said of them."),
    ("other events in its window", "Leave the counts of other events at zero where a time is known."),
    ("beside it is lost", "Use wa.at for this key, or fill the lost event in with a wide time of its own."),
    ("does not have", "A histogram of n buckets has n + 1 edges and n masses; a pmf has as many points as masses."),
]
