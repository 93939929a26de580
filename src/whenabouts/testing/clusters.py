"""A cluster at work: tasks that start and finish, logged finely, and loads that are measured coarsely."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

__all__ = ["cluster_monitoring"]

START_MICROSECONDS = 1_700_000_000_000_000
PERIOD_SECONDS = 15.0
"""How often the load of a node is reported, as by Ganglia: the highest of the period."""
LOG_DOUBT_SECONDS = 0.5
"""How far the clock of a node may be off, so that the stamps of its log are."""
GREEDY_SHARE = 0.3
"""The share of the tasks that take all of a node's processors."""
TASK_SECONDS, PAUSE_SECONDS = (8.0, 40.0), (1.0, 20.0)


def cluster_monitoring(minutes: float, *, nodes: int = 10, seed: int) -> pa.Table:
    """
    Make the events of a cluster like that of the case study of the paper on patterns.

    Every node runs one task after the other, of 8 to 40 seconds, with pauses between; three in ten drive its load
    above 95 percent. A log tells the start and the finish of each task, to the microsecond but by clocks that are up to
    half a second off. A monitor tells the highest load of every 15 seconds, but not when in that time it was.

    Parameters
    ----------
    minutes
        How long the cluster is watched.
    nodes
        How many nodes there are.
    seed
        What the random numbers start from.

    Returns
    -------
    pa.Table
        Columns ``id`` (int64, the number of the row), ``type`` (TaskStart, TaskFinish or CPU), ``node`` (string),
        ``task`` (int64, null for loads), ``value`` (float64, a load in percent, null for tasks), ``earliest`` and
        ``latest`` (timestamp[us, UTC]); and what a real cluster would not know, to score answers with: ``occurred``
        (timestamp) and ``greedy`` (bool, null for loads). Rows stand in the order of ``latest``.

    Examples
    --------
    >>> events = cluster_monitoring(10, nodes=2, seed=4)
    >>> sorted(set(events["type"].to_pylist()))
    ['CPU', 'TaskFinish', 'TaskStart']
    """
    if minutes < 0 or nodes < 1:
        message = f"a cluster needs minutes >= 0 and nodes >= 1; got {minutes=}, {nodes=}"
        raise ValueError(message)
    random = np.random.default_rng(seed)
    seconds = 60.0 * minutes
    tables, tasks = [], 0
    for number in range(nodes):
        start, finish, greedy = _tasks(seconds, random)
        name = f"node-{number:0{len(str(nodes - 1))}}"
        tables.append(_log(name, start, finish, greedy, tasks, random))
        tables.append(_loads(name, seconds, start, finish, greedy, random))
        tasks += len(start)
    table = pa.concat_tables(tables)
    order = np.lexsort((table["occurred"].cast(pa.int64()).to_numpy(), table["latest"].cast(pa.int64()).to_numpy()))
    return table.take(pa.array(order)).add_column(0, "id", pa.array(np.arange(len(table), dtype=np.int64)))


def _tasks(seconds: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Start, finish and greed of one node's tasks, as many as finish in time."""
    most = int(seconds / (TASK_SECONDS[0] + PAUSE_SECONDS[0])) + 1
    pause, length = random.uniform(*PAUSE_SECONDS, most), random.uniform(*TASK_SECONDS, most)
    finish = np.cumsum(pause + length)
    greedy = random.random(most) < GREEDY_SHARE
    done = finish < seconds
    return (finish - length)[done], finish[done], greedy[done]


def _log(
    node: str, start: np.ndarray, finish: np.ndarray, greedy: np.ndarray, first: int, random: np.random.Generator
) -> pa.Table:
    """The starts and finishes by a clock that is off, each with the doubt that this leaves."""
    count = len(start)
    occurred = np.concatenate([start, finish])
    stamp = occurred + random.uniform(-LOG_DOUBT_SECONDS, LOG_DOUBT_SECONDS, 2 * count)
    task = np.tile(np.arange(first, first + count, dtype=np.int64), 2)
    return pa.table(
        {
            "type": pa.array(["TaskStart"] * count + ["TaskFinish"] * count, pa.string()),
            "node": pa.array([node] * 2 * count, pa.string()),
            "task": task,
            "value": pa.nulls(2 * count, pa.float64()),
            "earliest": _timestamps(stamp - LOG_DOUBT_SECONDS),
            "latest": _timestamps(stamp + LOG_DOUBT_SECONDS),
            "occurred": _timestamps(occurred),
            "greedy": np.tile(greedy, 2),
        }
    )


def _loads(
    node: str, seconds: float, start: np.ndarray, finish: np.ndarray, greedy: np.ndarray, random: np.random.Generator
) -> pa.Table:
    """The highest load of every period: high while a greedy task runs, middling with another, low in a pause."""
    begin = np.arange(0.0, seconds, PERIOD_SECONDS)
    count = len(begin)
    value, moment = random.uniform(5.0, 30.0, count), begin + PERIOD_SECONDS * random.random(count)
    for low, high, wanted in ((35.0, 70.0, ~greedy), (96.0, 100.0, greedy)):
        first, last = start[wanted], finish[wanted]
        for period in range(count):
            inside = np.flatnonzero((first < begin[period] + PERIOD_SECONDS) & (last > begin[period]))
            if len(inside):
                task = random.choice(inside)
                value[period] = random.uniform(low, high)
                a, b = max(first[task], begin[period]), min(last[task], begin[period] + PERIOD_SECONDS)
                moment[period] = random.uniform(a, b)
    return pa.table(
        {
            "type": pa.array(["CPU"] * count, pa.string()),
            "node": pa.array([node] * count, pa.string()),
            "task": pa.nulls(count, pa.int64()),
            "value": np.round(value, 1),
            "earliest": _timestamps(begin),
            "latest": _timestamps(begin + PERIOD_SECONDS),
            "occurred": _timestamps(moment),
            "greedy": pa.nulls(count, pa.bool_()),
        }
    )


def _timestamps(seconds: np.ndarray) -> pa.Array:
    microseconds = START_MICROSECONDS + np.rint(seconds * 1e6).astype(np.int64)
    return pa.array(microseconds).cast(pa.timestamp("us", "UTC"))
