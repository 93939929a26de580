"""The contract of segmented intervals (paper 004, definition 1): what the columns of point events mean."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import pyarrow as pa

from whenabouts.errors import WrongType
from whenabouts.model.times import At, TimeModel
from whenabouts.schema.arrow import is_text
from whenabouts.schema.contract import field_of, key_field

ROLES = ("start", "suspend", "resume", "end")
Moment = str | int | float | dt.datetime | None


@dataclass(frozen=True)
class SegmentContract:
    """What the columns of point events mean. `lo` and `hi` are columns, constants or nothing."""

    key: str
    seq: str
    time: TimeModel
    role: str | None = None
    expected: str | int | None = None
    lo: Moment = None
    hi: Moment = None
    first: int = 1
    ahead: str | None = None
    behind: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that an error shows of a bad row."""
        return tuple(dict.fromkeys((self.key, self.seq, *self.time.columns)))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        named = (self.role, self.expected, self.lo, self.hi, self.ahead, self.behind)
        return tuple(dict.fromkeys((self.key, self.seq, *self.time.columns, *(n for n in named if isinstance(n, str)))))

    @property
    def certain(self) -> bool:
        return isinstance(self.time, At)


def check_columns(schema: pa.Schema, contract: SegmentContract, where: str = "segments") -> None:
    """Raise where a column is missing or of a type that does not fit its role."""
    key_field(schema, contract.key, where)
    seq = field_of(schema, contract.seq, where).type
    if not pa.types.is_integer(seq):
        raise WrongType(f"{contract.seq!r} must number the events of a key with integers, not {seq}.")
    if contract.role is not None and not is_text(field_of(schema, contract.role, where).type):
        kind = schema.field(contract.role).type
        raise WrongType(f"{contract.role!r} must hold the roles start, suspend, resume and end as text, not {kind}.")
    for name in (contract.expected, contract.ahead, contract.behind):
        if isinstance(name, str) and not pa.types.is_integer(field_of(schema, name, where).type):
            raise WrongType(f"{name!r} must hold numbers of events as integers, not {schema.field(name).type}.")
    for bound in (contract.lo, contract.hi):
        if isinstance(bound, str):
            field_of(schema, bound, where)
