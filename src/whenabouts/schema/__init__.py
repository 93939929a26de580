"""The data contract, checked at the door: Arrow columns in, kernel arrays and reasons out."""

from __future__ import annotations

from whenabouts.schema.arrow import key_codes, plain_type
from whenabouts.schema.clocks import clock_of
from whenabouts.schema.contract import Contract, Problems, Refusals, check_comparable, check_ids, field_of
from whenabouts.schema.read import read_times
from whenabouts.schema.segment_contract import ROLES, SegmentContract, check_columns
from whenabouts.schema.segments import Segmented, read_segments, without_time
from whenabouts.schema.times import Times, histogram_shapes, to_events, widest

__all__ = [
    "ROLES", "Contract", "Problems", "Refusals", "SegmentContract", "Segmented", "Times", "check_columns",
    "check_comparable", "check_ids", "clock_of", "field_of", "histogram_shapes", "key_codes", "plain_type",
    "read_segments", "read_times", "to_events", "widest", "without_time",
]  # fmt: skip
