r"""Snapshots: Arrow columns behind a head that says what they are, so that a wrong one is refused and not misread.

    whenabouts\\0 | length of the head (4 bytes) | head (JSON) | Arrow IPC streams, one a table

The head has the format's version, the machine and its version, and the settings of the question: state that was
gathered for one question must not answer another.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from whenabouts.errors import StateMismatch

FORMAT = 1
_MAGIC = b"whenabouts\0"


@dataclass(frozen=True)
class Label:
    """Whose state it is: the machine, the version of what it writes, and the settings that it depends on."""

    machine: str
    version: int
    settings: Mapping[str, str]


def write_snapshot(label: Label, tables: Mapping[str, pa.Table], numbers: Mapping[str, float] | None = None) -> bytes:
    """Tables and numbers by name as bytes."""
    streams = [as_bytes(table) for table in tables.values()]
    head = {
        "format": FORMAT,
        "machine": label.machine,
        "version": label.version,
        "settings": dict(label.settings),
        "numbers": dict(numbers or {}),
        "tables": {name: len(stream) for name, stream in zip(tables, streams, strict=True)},
    }
    text = json.dumps(head).encode()
    return b"".join([_MAGIC, struct.pack("<I", len(text)), text, *streams])


def read_snapshot(data: bytes, label: Label) -> tuple[dict[str, pa.Table], dict[str, float]]:
    """The tables and numbers of a snapshot that was written under the same label."""
    size = len(_MAGIC) + 4
    if len(data) < size or data[: len(_MAGIC)] != _MAGIC:
        raise StateMismatch(f"This is no snapshot of whenabouts: it begins with {data[:12]!r}. {_REMEDY}")
    end = size + struct.unpack("<I", data[len(_MAGIC) : size])[0]
    head = json.loads(data[size:end])
    _check(head, label)
    tables, at, whole = {}, end, memoryview(data)
    for name, length in head["tables"].items():
        tables[name] = from_bytes(whole[at : at + length])
        at += length
    return tables, head["numbers"]


def appended(held: pa.Table | None, fresh: pa.Table) -> pa.Table:
    """Rows that a snapshot held, and new ones after them; refuses those of a source whose types have changed."""
    if held is None:
        return fresh
    differences = [
        f"  {own.name!r}: the checkpoint has {own.type}, this query {fresh.schema.field(own.name).type}"
        for own in held.schema
        if own.type != fresh.schema.field(own.name).type
    ]
    if differences:
        text = "\n".join(differences)
        raise StateMismatch(f"The state in the checkpoint has columns of other types.\n{text}\n{_REMEDY}")
    return pa.concat_tables([held, fresh])


def as_bytes(table: pa.Table) -> bytes:
    """A table as one Arrow IPC stream. Bytes are self-contained: a slice is written without its surroundings."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


def from_bytes(data: bytes | memoryview) -> pa.Table:
    """The table of an IPC stream, without copying its columns."""
    return pa.ipc.open_stream(pa.py_buffer(data)).read_all()


_REMEDY = (
    "Start the query with a new checkpointLocation, or with the version and the arguments that this one was made with."
)


def _check(head: Mapping[str, object], label: Label) -> None:
    """Refuse a head that does not fit, and say what is different."""
    expected: dict[str, object] = {"format": FORMAT, "machine": label.machine, "version": label.version}
    found = {name: head.get(name) for name in expected}
    settings = head.get("settings")
    found.update(settings if isinstance(settings, dict) else {})
    expected.update(label.settings)
    differences = [
        f"  {name}: the checkpoint has {found.get(name)!r}, this query {expected.get(name)!r}"
        for name in dict.fromkeys([*expected, *found])
        if found.get(name) != expected.get(name)
    ]
    if differences:
        raise StateMismatch(
            "The state in the checkpoint is not of this query.\n" + "\n".join(differences) + f"\n{_REMEDY}"
        )
