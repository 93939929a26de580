"""Conditions written by hand, for tests of the search that need no query."""

from __future__ import annotations

import numpy as np

from whenabouts.kernels.conditions import program as machine
from whenabouts.kernels.conditions.program import Program


def comparisons(components: int, values, rules) -> Program:
    """The program of rules (op, u, v): the value of the event at u compared with that at v; `op` is "=" or "<"."""
    operations = {"=": machine.EQUAL_INT, "<": machine.LESS_INT}
    of = [[c for c, (_, u, v) in enumerate(rules) if component in (u, v)] for component in range(components)]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in of])]).astype(np.int64)
    code = [(machine.LOAD_INT, u, 0, machine.LOAD_INT, v, 0, operations[op], 0, 0) for op, u, v in rules]
    table = np.array(code, dtype=np.int64).reshape(-1, 3)
    return Program(
        first=np.arange(len(rules) + 1, dtype=np.int64) * 3,
        reads=np.array([1 << u | 1 << v for _, u, v in rules], dtype=np.int64),
        starts=starts,
        of=np.array([c for one in of for c in one], dtype=np.int64),
        operation=table[:, 0].copy(),
        component=table[:, 1].copy(),
        operand=table[:, 2].copy(),
        ints=np.array(values, dtype=np.int64).reshape(1, -1),
        reals=np.zeros((0, len(values))),
        int_constants=np.zeros(0, dtype=np.int64),
        real_constants=np.zeros(0),
        depth=4,
    )
