"""Which clock a model's columns run on; columns that are missing, of a wrong type or mixed are errors."""

from __future__ import annotations

import pyarrow as pa

from whenabouts.errors import MixedUnits, WrongType
from whenabouts.model.clock import Clock, timestamp_clock
from whenabouts.model.times import Around, AroundColumn, Between, Detected, HistogramColumns, PmfColumns, TimeModel
from whenabouts.schema.arrow import is_text
from whenabouts.schema.contract import field_of


def clock_of(schema: pa.Schema, model: TimeModel, where: str = "events") -> Clock:
    """The clock of a model's time columns; raises where they are missing, of a wrong type, or mixed."""
    if isinstance(model, HistogramColumns | PmfColumns):
        moments = model.edges if isinstance(model, HistogramColumns) else model.points
        _require_numbers(_element_type(schema, model.mass, where), model.mass)
        return _clock_of_type(_element_type(schema, moments, where), moments)
    first = _clock_of_type(field_of(schema, model.columns[0], where).type, model.columns[0])
    if isinstance(model, Between):
        second = _clock_of_type(field_of(schema, model.hi, where).type, model.hi)
        if first.kind != second.kind:
            raise MixedUnits(
                f"{model.lo!r} and {model.hi!r} are times of different kinds ({field_of(schema, model.lo, where).type}"
                f" and {field_of(schema, model.hi, where).type}). Cast one to the type of the other."
            )
        return first.meet(second)
    if isinstance(model, AroundColumn):
        return first.meet(_margin_clock(first, field_of(schema, model.delta, where)))
    if isinstance(model, Detected) and model.by:
        kind = field_of(schema, model.by, where).type
        if not (is_text(kind) or pa.types.is_integer(kind)):
            raise WrongType(f"{model.by!r} must hold the names of latency histograms as text or integers, not {kind}.")
    if isinstance(model, Around):
        first.ticks(model.before, "the margin of the time")
        return first.fine_enough(model.before, model.after)
    return first


def _clock_of_type(kind: pa.DataType, name: str) -> Clock:
    if pa.types.is_timestamp(kind):
        return timestamp_clock(kind.unit, kind.tz)
    if pa.types.is_integer(kind):
        return Clock("number")
    if pa.types.is_floating(kind):
        return Clock("number", exact=False)
    remedy = (
        'Cast it to a timestamp, and say wa.rounded(..., to="1d", how="down").'
        if pa.types.is_date(kind)
        else ("Cast it to a timestamp or a number.")
    )
    raise WrongType(f"{name!r} must be a timestamp or a number to be a time, not {kind}. {remedy}")


def _margin_clock(times: Clock, field: pa.Field) -> Clock:
    """The clock of a column of margins, which must measure what the times measure."""
    if pa.types.is_duration(field.type):
        if times.kind == "number":
            raise MixedUnits(f"{field.name!r} holds durations, but the times are plain numbers.")
        return Clock(times.kind, timestamp_clock(field.type.unit, None).tick)
    _require_numbers(field.type, field.name)
    if times.kind != "number":
        raise MixedUnits(f"{field.name!r} holds plain numbers, but the times are timestamps. Cast it to a duration.")
    return Clock("number", exact=pa.types.is_integer(field.type))


def _element_type(schema: pa.Schema, name: str, where: str) -> pa.DataType:
    kind = field_of(schema, name, where).type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        raise WrongType(f"{name!r} must hold an array a row, not {kind}.")
    return kind.value_type


def _require_numbers(kind: pa.DataType, name: str) -> None:
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise WrongType(f"{name!r} must hold numbers, not {kind}.")
