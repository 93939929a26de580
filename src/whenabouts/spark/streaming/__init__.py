"""How Spark carries a state machine: packets to few groups, a turn a group and micro-batch, and results unpacked."""

from __future__ import annotations

from whenabouts.spark.streaming.carry import Feed, carry
from whenabouts.spark.streaming.metrics import NAME, Metric

__all__ = ["NAME", "Feed", "Metric", "carry"]
