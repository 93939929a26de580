"""A snapshot comes back as it was, and one that does not fit is refused in words."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from whenabouts.errors import StateMismatch
from whenabouts.state import snapshot
from whenabouts.state.snapshot import Label, read_snapshot, write_snapshot

LABEL = Label("timing join", 1, {"band": "[-2.0, 2.0]"})
TABLE = pa.table({"id": ["a", None, "c"], "t": [1.5, 2.5, math.inf], "many": [[1], [], None]})


def test_snapshot__comes_back_as_it_was():
    data = write_snapshot(LABEL, {"left": TABLE, "right": TABLE.slice(1, 1)}, {"clock": -math.inf, "t": 0.1})
    tables, numbers = read_snapshot(data, LABEL)
    assert tables["left"].equals(TABLE)
    assert tables["right"].equals(TABLE.slice(1, 1))
    assert numbers == {"clock": -math.inf, "t": 0.1}


def test_snapshot__of_a_slice_has_the_size_of_the_slice():
    wide = pa.table({"t": list(range(100_000))})
    assert len(write_snapshot(LABEL, {"t": wide.slice(5, 10)})) < 1000


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (Label("timing join", 2, LABEL.settings), "version: the checkpoint has 1, this query 2"),
        (Label("match", 1, LABEL.settings), "machine: the checkpoint has 'timing join', this query 'match'"),
        (Label("timing join", 1, {"band": "[-3.0, 3.0]"}), r"band: the checkpoint has '\[-2.0, 2.0\]', this query"),
        (Label("timing join", 1, {}), "this query None"),
    ],
)
def test_snapshot__of_another_machine_version_or_question_is_refused(other, said):
    with pytest.raises(StateMismatch, match=said):
        read_snapshot(write_snapshot(LABEL, {}), other)


def test_snapshot__of_a_format_to_come_is_refused(monkeypatch):
    monkeypatch.setattr(snapshot, "FORMAT", 2)
    data = write_snapshot(LABEL, {})
    monkeypatch.undo()
    with pytest.raises(StateMismatch, match="format: the checkpoint has 2, this query 1"):
        read_snapshot(data, LABEL)


@pytest.mark.parametrize("data", [b"", b"pickled", b"x" * 100])
def test_snapshot__of_something_else_is_refused(data):
    with pytest.raises(StateMismatch, match="no snapshot of whenabouts"):
        read_snapshot(data, LABEL)
