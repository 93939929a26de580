"""Everything that a search for matches reads, and the room that it works in, laid out once."""

from __future__ import annotations

from typing import NamedTuple

from whenabouts.kernels.conditions.program import Program, Stack
from whenabouts.kernels.events import Events, Floats
from whenabouts.kernels.match.candidates import Candidates
from whenabouts.kernels.match.exclusion import Rivals
from whenabouts.kernels.match.times import Grid
from whenabouts.kernels.match.work import Question, Work


class Desk(NamedTuple):
    """The events, who may stand where, what is asked and its conditions; then room for all that is worked out.

    `best` is a heap of the k best confidences, or empty.
    """

    events: Events
    candidates: Candidates
    question: Question
    program: Program
    stack: Stack
    grid: Grid
    rivals: Rivals
    work: Work
    best: Floats
