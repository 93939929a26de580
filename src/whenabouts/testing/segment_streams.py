"""Segmented intervals: Poisson processes as in paper 004's synthetic data, roads with congestions, and lost events."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def poisson_segments(keys: int, *, segments: int = 20, mean: float = 5.0, prefix: str = "k", seed: int = 0) -> pa.Table:
    """Keys with so many segments each, the times between events being exponential (section 4.1).

    Returns columns `key`, `seq` (from 1 on) and `time`.
    """
    rng = np.random.default_rng(seed)
    count = 2 * segments
    times = np.cumsum(rng.exponential(mean, (keys, count)), axis=1)
    names = pa.array([f"{prefix}{number}" for number in range(keys)])
    return pa.table(
        {
            "key": names.take(pa.array(np.repeat(np.arange(keys), count))),
            "seq": pa.array(np.tile(np.arange(1, count + 1), keys)),
            "time": pa.array(times.ravel()),
        }
    )


def lose(events: pa.Table, share: float, *, key: str = "key", seq: str = "seq", seed: int = 0) -> pa.Table:
    """Lose each event with some probability, but keep the first and the last of a key, as the paper does."""
    rng = np.random.default_rng(seed)
    code = events.column(key).combine_chunks().dictionary_encode().indices.to_numpy()
    number = events.column(seq).to_numpy()
    last = np.zeros(int(code.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(last, code, number)
    first = np.full(len(last), np.iinfo(np.int64).max)
    np.minimum.at(first, code, number)
    ends = (number == first[code]) | (number == last[code])
    return events.filter(pa.array(ends | (rng.random(len(code)) >= share)))


def road_speeds(sectors: int = 200, *, minutes: int = 120, every: float = 5.0, seed: int = 0) -> pa.Table:
    """Average speeds of motorway sectors (Linear-Road-like): most are never slow, others are slow again and again.

    A sector that can be slow turns slow, and free again, at random: the times between are exponential, with a mean of
    its own. Returns columns `sector`, `time` in seconds and `speed` in km/h, one row a sector and `every` seconds.
    """
    rng = np.random.default_rng(seed)
    when = np.arange(0.0, 60.0 * minutes, every)
    speeds = np.empty((len(when), sectors))
    for sector in range(sectors):
        speeds[:, sector] = rng.normal(70.0, 8.0, len(when)).clip(25.0, 130.0)
        if rng.random() < 0.35:
            mean = np.exp(rng.uniform(np.log(20.0), np.log(400.0)))
            turns = np.cumsum(rng.exponential(mean, int(60.0 * minutes / mean * 2) + 20))
            slow = np.searchsorted(turns, when) % 2 == 1
            speeds[slow, sector] = rng.normal(11.0, 2.5, int(slow.sum())).clip(1.0, 19.0)
    return pa.table(
        {
            "sector": pa.array(np.tile(np.arange(sectors), len(when))),
            "time": pa.array(np.repeat(when, sectors)),
            "speed": pa.array(speeds.ravel()),
        }
    )


def bus_positions(
    journeys: int = 12,
    *,
    stops: int = 10,
    headway: float = 240.0,
    every: float = 20.0,
    lost: float = 0.3,
    seed: int = 0,
) -> pa.Table:
    """Buses on one line that report the nearest stop, some reports being lost (section 5).

    Returns columns `journey`, `time` in seconds and `stop` (s0, s1, ...). Buses leave `headway` apart, and bunch.
    """
    rng = np.random.default_rng(seed)
    rows: list[tuple[int, float, str]] = []
    for journey in range(journeys):
        rides = rng.gamma(9.0, 90.0 / 9.0, stops)
        halts = rng.gamma(4.0, 35.0 / 4.0, stops)
        arrive = journey * headway + rng.normal(0.0, 40.0) + np.cumsum(rides + np.append(0.0, halts[:-1]))
        leave = arrive + halts
        when = np.arange(arrive[0] + rng.uniform(0.0, every), leave[-1] + every, every)
        middle = (leave[:-1] + arrive[1:]) / 2
        near = np.searchsorted(middle, when)
        seen = (rng.random(len(when)) >= lost) | (near == 0) | (near == stops - 1)
        rows += [
            (journey, float(t), f"s{stop}") for t, stop in zip(when[seen], near[seen].tolist(), strict=True)
        ]  # fmt: skip
    journey_ids, times, names = zip(*rows, strict=True)
    return pa.table({"journey": pa.array(journey_ids, pa.int64()), "time": pa.array(times), "stop": pa.array(names)})
