"""`congestions` and `journeys`: segments made of what is usually recorded, measures and positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from whenabouts.api.frames import as_table, is_spark, like
from whenabouts.api.intake import DurationLike
from whenabouts.api.segments import Segments, segments
from whenabouts.errors import BadArgument, WrongType
from whenabouts.model.clock import Clock
from whenabouts.model.duration import duration
from whenabouts.model.times import at
from whenabouts.schema import clock_of, field_of, plain_type


def congestions(
    data: Any,
    *,
    key: str,
    time: str,
    value: str,
    below: float | None = None,
    above: float | None = None,
    every: DurationLike | None = None,
) -> Segments:
    """The stretches in which a measure is below or above a threshold, as segments (paper 004, section 4.1).

    Parameters
    ----------
    data : Spark DataFrame, or anything that speaks the Arrow C stream interface
        One row a measurement; those without a time or a value are left out.
    key, time, value : str
        Whose measurement it is, when it was made, and what was measured, such as the speed of a vehicle.
    below, above : float
        One of the two: the threshold.
    every : duration, optional
        Compare the mean over windows of this length. Without it each moment is one, with the mean of its rows.

    Returns
    -------
    Segments
        Its `.data` are the events, with the columns key, `seq`, time and `role`. A stretch ends with the first mean
        that is no longer in it, or with the key's last.
    """
    from whenabouts.ops.intervals.congestions import Congestions

    if (below is None) == (above is None):
        raise BadArgument("Say one of below= and above=: the threshold of the measure.")
    schema, streaming = _look(data)
    if streaming:
        raise BadArgument("Congestions are found in a batch. Find the starts and ends upstream, and use wa.segments.")
    clock = clock_of(schema, at(time), "data")
    kind = field_of(schema, value, "data").type
    field_of(schema, key, "data")
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise WrongType(f"{value!r} must hold numbers to be compared with a threshold, not {kind}.")
    width = 0.0 if every is None else clock.ticks(duration(every, "every"), "every")
    if every is not None and width <= 0:
        raise BadArgument(f"every must be positive, not {every!r}.")
    if clock.exact and not width.is_integer():
        raise BadArgument(f"every={every!r}: the windows would begin between the ticks in which {time!r} is written.")
    threshold = float(below if below is not None else above or 0.0)
    make = Congestions(key, time, value, threshold, below is not None, clock, width)
    made = _apply(data, make, make.schema(schema), key, [key, time, value])
    return segments(made, key=key, seq="seq", time=time, role="role")


def journeys(
    data: Any,
    *,
    journey: str,
    time: str,
    stop: str,
    stops: Sequence[Any] | Mapping[Any, Sequence[Any]],
    route: str | None = None,
) -> Segments:
    """Positions with the nearest stop, as visits of stops that lie in uncertainty windows (section 5, figure 12).

    When a vehicle arrived at a stop and left it was not recorded; but it was after the last position near an earlier
    stop, and before the first one near a later stop. Where that window holds K stops, it holds 2 K lost events.

    Parameters
    ----------
    data : Spark DataFrame, or anything that speaks the Arrow C stream interface
        One row a position.
    journey, time, stop : str
        The columns with the journey, the time of the position and the stop that was nearest.
    stops : sequence, or mapping of route to sequence
        The stops in the order in which they are visited. Rows with other stops are left out, and so are rows that would
        have the journey go back.
    route : str, optional
        The column with the route, where there are several.

    Returns
    -------
    Segments
        One key a visit, called "journey at stop", with one segment. Its `.data` has the columns visit, seq, time (null:
        both events are lost), journey, stop, opens, closes, ahead and behind.
    """
    from whenabouts.ops.intervals.journeys import Journeys

    if isinstance(stops, Mapping) != (route is not None):
        raise BadArgument("stops= is a list for one route, or a mapping of routes to lists together with route=.")
    schema, streaming = _look(data)
    if streaming:
        raise BadArgument("Journeys are cut into windows in a batch: a window is only known when it closes.")
    clock: Clock = clock_of(schema, at(time), "data")
    for name in (journey, stop, *([route] if route else [])):
        field_of(schema, name, "data")
    routes: dict[Any, Sequence[Any]] = dict(stops) if isinstance(stops, Mapping) else {None: stops}
    lists = {name: list(own) for name, own in routes.items()}
    for name, own in lists.items():
        if len(set(own)) < len(own):
            raise BadArgument(f"The stops of {'the route' if name is None else repr(name)} name one twice.")
        _check_values(own, schema, stop, "stops=")
    if route is not None:
        _check_values(list(lists), schema, route, "The routes of stops=")
    make = Journeys(journey, time, stop, route, lists, clock)
    made = _apply(data, make, make.schema(schema), journey, make.columns)
    return segments(
        made, key="visit", seq="seq", time="time", expected=2, bounds=("opens", "closes"), others=("ahead", "behind")
    )


def _check_values(values: list[Any], schema: pa.Schema, column: str, what: str) -> None:
    kind = plain_type(schema.field(column).type)
    try:
        usable = pa.array(values, kind).null_count == 0
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        usable = False
    if not usable:
        raise WrongType(f"{what} must be values of {column!r}, which holds {kind}.")


def _look(data: Any) -> tuple[pa.Schema, bool]:
    if is_spark(data):
        from whenabouts.spark.door import arrow_schema

        return arrow_schema(data), bool(data.isStreaming)
    return as_table(data).schema, False


def _apply(data: Any, make: Callable[[pa.Table], pa.Table], schema: pa.Schema, key: str, columns: list[str]) -> Any:
    """Work on all rows of a key together, where the data is."""
    if is_spark(data):
        from whenabouts.spark.whole_keys import by_whole_keys

        return by_whole_keys(data.select(*columns), make, schema, key)
    return like(data, make(as_table(data)))
