"""With certain times patterns give what an engine for certain times gives: a plain automaton over sorted events."""

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa


def automaton(rows, length, window, strategy):
    """The matches of a sequence whose component k takes kind k: runs that read one moment after the other."""
    runs, complete = [()], set()
    for moment in sorted({t for _, t, _ in rows}):
        now = [row for row in rows if row[1] == moment]
        kept, fresh = [], []
        for run in runs:
            takers = [row for row in now if row[2] == len(run)]
            fresh += [(*run, row) for row in takers]
            if not takers or not run or strategy == "any":
                kept.append(run)
        for run in fresh:
            if len(run) == length:
                if run[-1][1] - run[0][1] < window:
                    complete.add(tuple(row[0] for row in run))
            else:
                kept.append(run)
        runs = kept
    return complete


@pytest.mark.parametrize("model", ["at", "between", "pmf"])
@pytest.mark.parametrize("strategy", ["any", "next"])
@pytest.mark.parametrize("tick", [None, 1])
def test_certain_times__give_what_an_automaton_gives(model, strategy, tick):
    random = np.random.default_rng(5)
    times, kinds = random.integers(0, 60, 90), random.integers(0, 3, 90)
    rows = list(zip(range(90), times.tolist(), kinds.tolist(), strict=True))
    table = pa.table(
        {"id": np.arange(90), "kind": [f"K{kind}" for kind in kinds], "t": times, "u": times,
         "points": [[t] for t in times.tolist()], "mass": [[1.0]] * 90}
    )  # fmt: skip
    time = {"at": wa.at("t"), "between": wa.between("t", "u"), "pmf": wa.pmf("points", "mass")}[model]
    events = wa.events(table, id="id", type="kind", time=time)
    query = f"PATTERN SEQ(K0 a, K1 b, K2 c) WHERE skip_till_{strategy}_match(a, b, c) WITHIN 12"
    found = wa.match(events, query, tick=tick)
    assert {tuple(one) for one in found["signature"].to_pylist()} == automaton(rows, 3, 12, strategy)
    assert set(found["confidence"].to_pylist()) == {1.0}
    by_id = dict(enumerate(times.tolist()))
    for row in found.to_pylist():
        assert (row["earliest"], row["latest"]) == (by_id[row["signature"][0]], by_id[row["signature"][-1]])
