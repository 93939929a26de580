"""The contract of uncertain objects: id, place in the sequence or in time, samples, and equality keys."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.errors import BadArgument, WrongType
from whenabouts.kernels.events import Ints
from whenabouts.model.times import At, TimeModel, columns_of
from whenabouts.schema.arrow import codes, nulls
from whenabouts.schema.clocks import clock_of
from whenabouts.schema.clouds import Samples, check_cloud_types, read_clouds
from whenabouts.schema.contract import Problems, field_of, key_field
from whenabouts.schema.read import read_times

SAMPLES, WEIGHTS = "__samples", "__weights"
"""The columns into which samples that stand in rows of their own are gathered."""
DIFFERS = "__differs"
"""A column that says whether rows of one object disagree on what should be the same in all of them."""
REPEATED = "__repeated"
"""A column that says whether an id occurs again, where only the engine can know."""
OBJECT, DIMENSION = "__object", "__dimension"
"""Columns beside all of the data: an id once more, and the usual dimension."""
_OWN = (SAMPLES, WEIGHTS, DIFFERS, REPEATED, OBJECT, DIMENSION)


@dataclass(frozen=True)
class ObjectContract:
    """What the columns of uncertain objects mean.

    `samples` is a column of clouds in any layout that `clouds.py` reads; or the columns of the coordinates, where every
    sample has a row of its own and rows of one id are one object.
    """

    id: str
    seq: str | None
    time: TimeModel | None
    samples: str | tuple[str, ...]
    weights: str | None = None
    by: tuple[str, ...] = ()
    dimension: int | None = None
    unique_ids: bool = True

    @property
    def grouped(self) -> bool:
        return not isinstance(self.samples, str)

    @property
    def models(self) -> tuple[TimeModel, ...]:
        """The places of the sequence and in time that there are."""
        return tuple(model for model in (None if self.seq is None else At(self.seq), self.time) if model is not None)

    @property
    def fixed_columns(self) -> tuple[str, ...]:
        """The columns that are the same in all rows of an object."""
        return tuple(dict.fromkeys((self.id, *columns_of(self.models), *self.by)))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        samples = (self.samples,) if isinstance(self.samples, str) else self.samples
        more = (self.weights,) if self.weights else ()
        return tuple(dict.fromkeys((*self.fixed_columns, *samples, *more)))

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that identify an object in a message."""
        return self.fixed_columns

    @property
    def gathered(self) -> ObjectContract:
        """The contract of the same objects after `gather_rows`: one row each."""
        if not self.grouped:
            return self
        weights = None if self.weights is None else WEIGHTS
        return replace(self, samples=SAMPLES, weights=weights, dimension=len(self.samples))


def check_contract(contract: ObjectContract, schema: pa.Schema) -> None:
    """Raise where columns are missing, of a type that does not fit, or in the way."""
    taken = [name for name in schema.names if name.lower() in _OWN]
    if taken:
        raise BadArgument(f"whenabouts makes columns of this name itself: {', '.join(map(repr, taken))}. Rename yours.")
    for name in (contract.id, *contract.by):
        key_field(schema, name, "the objects")
    if isinstance(contract.samples, str):
        check_cloud_types(schema, contract.samples, contract.weights, contract.dimension, "the objects")
        return
    if not contract.samples:
        raise BadArgument('samples=[] names no column. For one row a sample write samples=["x", "y"].')
    for name in (*contract.samples, *((contract.weights,) if contract.weights else ())):
        kind = field_of(schema, name, "the objects").type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise WrongType(f"{name!r} must hold numbers, one a sample, not {kind}.")


def gather_rows(table: pa.Table, contract: ObjectContract) -> pa.Table:
    """One row for each object, from one row for each sample; a table that has them already stays as it is.

    What is the same for all samples is taken from the first; where it is not the same, `differing` will say so.
    """
    if not contract.grouped or SAMPLES in table.column_names:
        return table
    code = codes(table.column(contract.id).combine_chunks())
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code, minlength=1) if len(code) else np.zeros(0, dtype=np.int64)
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    first = pa.array(order[start[:-1]]) if len(code) else pa.array([], pa.int64())
    gathered = table.select(list(contract.fixed_columns)).take(first)
    flat = _side_by_side([table.column(name) for name in contract.samples], order)
    samples = pa.LargeListArray.from_arrays(pa.array(start * len(contract.samples)), flat)
    gathered = gathered.append_column(SAMPLES, samples)
    if contract.weights is not None:
        weights = _side_by_side([table.column(contract.weights)], order)
        gathered = gathered.append_column(WEIGHTS, pa.LargeListArray.from_arrays(pa.array(start), weights))
    return gathered.append_column(DIFFERS, pa.array(_differing(table, contract, order, start)))


def _side_by_side(columns: list[pa.ChunkedArray], order: Ints) -> pa.Array:
    """The numbers of some columns, row by row in an order; nulls stay nulls, which are no NaN."""
    arrays = [column.cast(pa.float64()).combine_chunks() for column in columns]
    flat, missing = (
        np.column_stack([part[order] for part in parts]).reshape(-1)
        for parts in ([one.to_numpy(zero_copy_only=False) for one in arrays], [nulls(one) for one in arrays])
    )
    return pa.array(flat, mask=missing if missing.any() else None)


def _differing(table: pa.Table, contract: ObjectContract, order: Ints, start: Ints) -> NDArray[np.bool_]:
    differs = np.zeros(len(start) - 1, dtype=np.bool_)
    sizes = np.diff(start)
    for name in contract.fixed_columns[1:]:
        code = codes(table.column(name).combine_chunks())[order]
        differs |= np.bincount(
            np.repeat(np.arange(len(sizes)), sizes), code != np.repeat(code[start[:-1]], sizes), len(sizes)
        ).astype(np.bool_)
    return differs


def read_objects(table: pa.Table, contract: ObjectContract) -> tuple[Samples, int, Problems]:
    """The clouds of gathered rows with their dimension, and all that is wrong with each row."""
    problems = Problems(len(table))
    ids = table.column(contract.id).combine_chunks()
    problems.add(nulls(ids), f"{contract.id!r} is null")
    if DIFFERS in table.column_names:
        differs = table.column(DIFFERS).combine_chunks().to_numpy(zero_copy_only=False)
        names = ", ".join(map(repr, contract.fixed_columns[1:]))
        problems.add(differs, f"{names} differ between rows of one object")
    if REPEATED in table.column_names:
        again = table.column(REPEATED).combine_chunks().to_numpy(zero_copy_only=False)
        problems.add(again, f"{contract.id!r} is not unique")
    elif contract.unique_ids and not contract.grouped:
        code = codes(ids)
        problems.add(np.bincount(code, minlength=1)[code] > 1, f"{contract.id!r} is not unique")
    for model in contract.models:
        found = read_times(table, model, clock_of(table.schema, model, "the objects")).problems
        for code_, reason in enumerate(found.reasons[1:], start=1):
            problems.add(found.code == code_, reason)
    final = contract.gathered
    assert isinstance(final.samples, str)
    samples, dimension = read_clouds(table, final.samples, final.weights, final.dimension, problems)
    if contract.grouped:
        problems.reasons = [_in_own_words(reason, contract) for reason in problems.reasons]
    return samples, dimension, problems


def _in_own_words(reason: str, contract: ObjectContract) -> str:
    """A reason that names the columns that were given, not those into which they were gathered."""
    coordinates = ", ".join(map(repr, contract.samples))
    return reason.replace(repr(SAMPLES), coordinates).replace(repr(WEIGHTS), repr(contract.weights))
