"""Patterns over a stream: the state machine, its routes, and Spark to carry them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from whenabouts.ops.match.blocks import BlockMatch
from whenabouts.ops.match.question import FITS, PatternMatch
from whenabouts.query import format_pattern
from whenabouts.spark.match import match_schema
from whenabouts.spark.match_slices import with_fits
from whenabouts.spark.streaming.carry import Feed, carry, partitions_of
from whenabouts.spark.streaming.metrics import Metric
from whenabouts.state.inlet import TimedInlet
from whenabouts.state.keeper import Keeper
from whenabouts.state.machine import MOMENT, SLICE
from whenabouts.state.match.inlet import FittingInlet
from whenabouts.state.match.machine import MatchMachine
from whenabouts.state.route import ByKeys, BySlices, OneGroup, Route
from whenabouts.state.watermark import Patience

WINDOWS = 16
"""The length of a slice of time, in windows: one row in so many is copied into the next slice."""
METRICS = tuple(Metric(name) for name in ("partial", "pruned", "computed"))
_NAME = "events"


@dataclass(frozen=True)
class MatchStream:
    """A pattern over a stream, as a value: the question, and what is declared of the events, in ticks."""

    question: PatternMatch
    patience: Patience
    width: float
    groups: int

    def keeper(self) -> Keeper:
        """A group's state machine with its watermarks."""
        question = self.question
        matcher = BlockMatch(question, MOMENT, SLICE, self.width, self._length)
        needed_for = question.window + (1 if self.eager else 2) * matcher.margin
        machine = MatchMachine(self.settings, (*question.columns, FITS), matcher, self.eager, needed_for)
        return Keeper(machine, (self.patience,), (_NAME,))

    @property
    def eager(self) -> bool:
        """Whether a match that is complete stays as it is, whatever comes."""
        pattern = self.question.pattern
        return pattern.strategy == "skip_till_any_match" and len(pattern.present) == len(pattern.components)

    @property
    def settings(self) -> dict[str, str]:
        """What the state depends on, in words that an error can quote."""
        question = self.question
        return {
            "events": f"{question.contract.time!r} of {', '.join(question.columns)}",
            "query": " ".join(format_pattern(question.pattern).split()),
            "tick": repr(question.grain),
            "min_confidence": repr(question.min_confidence),
            "max_delay": repr(self.patience.delay),
            "max_width": repr(self.width),
            "groups": repr(self.groups),
        }

    def inlet(self, text: str = "") -> FittingInlet:
        """The way in."""
        question = self.question
        stop = not question.quarantine
        timed = TimedInlet(
            _NAME, question.contract, question.clock, self.width, self.route, stop_at_bad_rows=stop, width_text=text
        )
        return FittingInlet(timed, FITS)

    @property
    def keys(self) -> tuple[str, ...]:
        """The attributes that all events of a match share, by which they are spread."""
        return tuple(key[0] for key in self.question.conditions.keys if len(set(key)) == 1)

    @property
    def route(self) -> Route:
        """Keys spread over groups; without keys time does, and a match is found in the slice where it begins."""
        if self.keys:
            return ByKeys(self.groups)
        if self.groups == 1:
            return OneGroup()
        return BySlices(self.groups, self._length, -self._reach, 0.0)

    @property
    def _reach(self) -> float:
        return self.question.window + self.width + 2 * self.question.grain

    @property
    def _length(self) -> float:
        return 0.0 if self.keys or self.groups == 1 else WINDOWS * self._reach


def stream_match(
    question: PatternMatch,
    data: DataFrame,
    *,
    patience: Patience,
    width: float,
    width_text: str,
    side_output: bool = False,
) -> DataFrame:
    """The matches as a streaming DataFrame: appended, each once, as soon as nothing can change it any more."""
    stream = MatchStream(question, patience, width, partitions_of(data))
    rows = with_fits(replace(question, contract=replace(question.contract, unique_ids=False)), data)
    columns = tuple(dict.fromkeys((*question.columns, *question.condition_columns, FITS)))
    return carry(
        [Feed(_NAME, rows, stream.inlet(width_text), columns, stream.keys)], stream.keeper, groups=stream.groups,
        result=match_schema(question, data), clock=question.clock, metrics=METRICS, side_output=side_output,
    )  # fmt: skip


def describe_stream(stream: MatchStream) -> Iterator[tuple[str, str]]:
    """Lines about how a stream is spread, and when a match comes out."""
    route = stream.route
    if isinstance(route, ByKeys):
        yield "groups", f"{stream.groups} by {', '.join(stream.keys)}"
    elif isinstance(route, BySlices):
        yield "groups", f"{stream.groups} that take turns with slices of time of {route.length:,.6g} ticks"
    else:
        yield "groups", "one"
    yield "max_delay", f"{stream.patience.delay:,.6g} ticks"
    eager = "as soon as it is complete" if stream.eager else "when no event to come can change its confidence"
    yield "a match is emitted", eager
