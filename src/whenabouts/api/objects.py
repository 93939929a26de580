"""`objects`: what the columns of uncertain objects mean; and `blur`, which makes clouds of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from whenabouts.api.frames import as_table, is_spark, like
from whenabouts.api.intake import BadRows, DurationLike, leave_room_for_reason, limits, take_in, what_of_bad_rows
from whenabouts.errors import BadArgument, WrongType
from whenabouts.model.blur import Blur, Layout, Radii, Shape
from whenabouts.model.duration import Duration
from whenabouts.model.times import TimeModel, at
from whenabouts.schema import clock_of, field_of
from whenabouts.schema.objects import ObjectContract, check_contract


@dataclass(frozen=True, repr=False)
class Objects:
    """Uncertain objects: data, and what its columns mean. Made by `objects`."""

    data: Any
    contract: ObjectContract
    schema: pa.Schema
    bad_rows: BadRows = "raise"
    engine: Literal["arrow", "spark"] = "arrow"
    streaming: bool = False
    max_delay: Duration | None = None
    idle_after: Duration | None = None
    table: pa.Table | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Objects({type(self.data).__name__}, id={self.contract.id!r}, samples={self.contract.samples!r})"

    @property
    def rejected(self) -> Any:
        """The rows that break the contract, with a `reason` each, as a frame of the kind that went in."""
        leave_room_for_reason(self.schema)
        if self.engine == "spark":
            from whenabouts.spark.similarity_door import rejected_rows

            return rejected_rows(self.data, self.contract)
        from whenabouts.ops.similarity.door import rejected_objects

        assert self.table is not None
        return like(self.data, rejected_objects(self.table, self.contract))


def objects(
    data: Any,
    *,
    id: str,
    samples: str | Sequence[str],
    seq: str | None = None,
    time: TimeModel | str | None = None,
    weights: str | None = None,
    by: str | Sequence[str] | None = None,
    dimensions: int | None = None,
    max_delay: DurationLike | None = None,
    idle_after: DurationLike | None = None,
    bad_rows: BadRows | None = None,
    unique_ids: bool | None = None,
) -> Objects:
    """Say what the columns of uncertain objects mean: each is a cloud of samples, one of which is where it really is.

    Parameters
    ----------
    data : Spark DataFrame, or anything that speaks the Arrow C stream interface
        pyarrow, Polars and pandas frames are worked on in this process, without a JVM.
    id : str
        The column that identifies an object.
    samples : str, or sequence of str
        A column with an array of points a row (points are arrays of numbers, or plain numbers on a line); or, with
        `dimensions`, one of all coordinates in one array, point after point, or of the bytes of such an array as
        little-endian float64, which is what NumPy's tobytes() gives and the least work for Spark; or the columns of
        the coordinates, where every sample has a row of its own and rows with the same id are one object.
    seq : str, optional
        The column with the object's place in its stream, the paper's timestamp: windows of so many objects slide over
        it.
    time : str or model of time, optional
        When the object was there, for windows of time and for `within`; uncertain if need be.
    weights : str, optional
        The probabilities of the samples, an array a row (or its bytes) or a number a sample; they sum to 1. Equal where
        not given.
    by : str or sequence of str, optional
        Equality keys: objects join only with objects that have the same.
    dimensions : int, optional
        How many coordinates a point has; where not given, as most objects of a batch have, and one where a row is an
        array of plain numbers. Bytes need it.
    max_delay, idle_after : duration, optional
        Of a stream, as in `events`: how late an object may come, and when silence is idleness. For a sequence these
        are numbers of places.
    bad_rows : {"raise", "quarantine"}, optional
        Whether a row that breaks the contract is an error, or is set aside in `rejected`. By default a batch raises and
        a stream sets aside.
    unique_ids : bool, optional
        Whether an id that occurs twice breaks the contract; by default it does, but not in a stream.
    """
    if seq is None and time is None:
        raise BadArgument("Where in its stream is an object? Say seq=, the column that counts them, or time=.")
    model = at(time) if isinstance(time, str) else time
    if model is not None and not isinstance(model, TimeModel):
        raise WrongType(f'time={time!r} is not a column or a model of time. For ranges use wa.between("lo", "hi").')
    if dimensions is not None and dimensions < 1:
        raise BadArgument(f"dimensions={dimensions}: a point has at least one coordinate.")
    taken = take_in(data)
    schema, streaming = taken.schema, taken.streaming
    aside = what_of_bad_rows(bad_rows, streaming)
    if streaming and unique_ids:
        raise BadArgument("unique_ids=True needs all rows at once, and a stream never ends. Leave it off.")
    columns = samples if isinstance(samples, str) else tuple(samples)
    if streaming and not isinstance(columns, str):
        raise BadArgument(
            "On a stream every object must be one row, with an array of samples: "
            "rows of one object could come in different batches."
        )
    keys = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    if not isinstance(columns, str):
        dimensions = len(columns)
    unique = (not streaming) if unique_ids is None else unique_ids
    contract = ObjectContract(id, seq, model, columns, weights, keys, dimensions, unique)
    check_contract(contract, schema)
    for place in contract.models:
        clock_of(schema, place, "the objects")
    declared = limits({"max_delay": max_delay, "idle_after": idle_after})
    return Objects(data, contract, schema, aside, taken.engine, streaming, table=taken.table, **declared)


def blur(
    data: Any,
    *,
    points: Sequence[str],
    radius: float | tuple[float, float] | str,
    samples: int = 100,
    shape: Shape = "ball",
    radii: Radii = "uniform",
    seed: int = 0,
    id: str | None = None,
    into: str = "samples",
    layout: Layout = "nested",
) -> Any:
    """Make clouds of points: the frame with one more column, an array of samples around each row's point.

    Parameters
    ----------
    data : frame
        Of Spark or of this process.
    points : sequence of str
        The columns of the coordinates.
    radius : float, (float, float) or str
        One radius for all, a range from which each row draws its own, or the column that holds it.
    samples : int
        How many samples a cloud gets.
    shape : {"ball", "gaussian"}
        Uniform in the ball of that radius (the paper's set-up), or normal with it as standard deviation.
    radii : {"uniform", "gaussian"}
        How a radius is drawn from a range.
    seed : int
        Another seed gives other samples.
    id : str, optional
        A column that tells rows with the same point apart, so that their clouds differ.
    into : str
        The name of the new column.
    layout : {"nested", "flat", "packed"}
        Whether a row has an array of points, or one array of all coordinates, or the bytes of that; `objects` reads all
        of them, the last two with `dimensions`.
    """
    limits = radius if isinstance(radius, str) else radius if isinstance(radius, tuple) else (radius, radius)
    recipe = Blur(tuple(points), limits, samples, shape, radii, seed, into, id, layout)
    if is_spark(data):
        from whenabouts.spark.similarity_door import blurred_rows

        schema_names = data.columns
    else:
        table = as_table(data)
        schema_names = table.column_names
    if into in schema_names:
        raise BadArgument(f"The data has a column {into!r} already. Name the new one with into=.")
    needed = [*points, *([radius] if isinstance(radius, str) else []), *([id] if id else [])]
    if is_spark(data):
        from whenabouts.spark.door import arrow_schema

        for name in needed:
            field_of(arrow_schema(data), name, "the data")
        return blurred_rows(data, recipe)
    from whenabouts.ops.similarity.blur import blurred

    for name in needed:
        field_of(table.schema, name, "the data")
    return like(data, blurred(table, recipe))
