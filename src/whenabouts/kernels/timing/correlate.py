"""The papers' algorithms, event by event, in the order of arrival: simple, sorted, eager, lazy, look-up, partition.

Every algorithm keeps a buffer a side and forgets an event when no future arrival could still join it: with
`oldest` the least latest time that a later arrival may have, everything before `oldest + reach` is obsolete,
where `reach` is the least distance of LH from an event's latest time (paper 001's LH of e_inv; paper 000,
theorem 4). All of them emit the same pairs; they differ in what they look at, and that is what they count.
"""

from __future__ import annotations

from whenabouts.kernels._jit import jit
from whenabouts.kernels.events import Floats, Ints
from whenabouts.kernels.timing.arrivals import arrive_and_cut, arrive_and_scan
from whenabouts.kernels.timing.blocks import arrive_and_wait
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.streams import Condition, Effort, Pairs, Stream

SIMPLE, SORTED, EAGER, PARTITION, LAZY, LOOKUP = range(6)


@jit
def correlate(
    algorithm: int,
    streams: tuple[Stream, Stream],
    order: Ints,
    now: Floats,
    ask: Condition,
    table: Table,
    block_size: int,
    every: float,
) -> tuple[Pairs, Effort]:
    """Run one of the papers' algorithms over two streams.

    Parameters
    ----------
    algorithm : {SIMPLE, SORTED, EAGER, PARTITION, LAZY, LOOKUP}
    streams : (Stream, Stream)
        The left and the right side.
    order : int64 array
        The arrivals: row i of the left side as i, row j of the right side as ~j.
    now : float64 array
        The time of each arrival; a later arrival's latest time is at least `now - delay`.
    ask : Condition
    table : Table
        The satisfaction shifts, for PARTITION; else empty.
    block_size : int
        How many waiting arrivals of a side are enough, for LAZY and LOOKUP.
    every : float
        The longest time that an arrival waits, for LAZY and LOOKUP; infinity where only the count matters.
    """
    if algorithm <= SORTED:
        out, n, effort = arrive_and_scan(streams, order, now, ask, algorithm == SORTED)
    elif algorithm <= PARTITION:
        out, n, effort = arrive_and_cut(streams, order, now, ask, algorithm == PARTITION, table)
    else:
        out, n, effort = arrive_and_wait(streams, order, now, ask, algorithm == LOOKUP, block_size, every)
    return Pairs(out.left[:n], out.right[:n], out.confidence[:n]), effort
