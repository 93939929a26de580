"""Points that move, as in paper 003's experiments: trajectories like GPS, and readings like a lab's sensors."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def trajectory(count: int, *, dimensions: int = 3, extent: float = 26.0, step: float = 2.0, seed: int = 0) -> pa.Table:
    """A walk that is reflected at the walls of a box: id, n, and a column for each coordinate, c0, c1, ..."""
    draw = np.random.default_rng(seed)
    walk = np.cumsum(draw.normal(scale=step, size=(count, dimensions)), axis=0) + draw.random(dimensions) * extent
    return _table(np.abs(walk % (2.0 * extent) - extent))


def readings(count: int, *, dimensions: int = 3, swing: float = 9.0, period: int = 2880, seed: int = 0) -> pa.Table:
    """Temperatures of some sensors: a daily swing, a slow drift, and noise; each sensor is a dimension."""
    draw = np.random.default_rng(seed)
    time = np.arange(count)[:, None]
    phase = draw.random(dimensions)[None, :]
    daily = swing * np.sin(2.0 * np.pi * (time / period + phase / 8.0))
    drift = np.cumsum(draw.normal(scale=0.25, size=(count, dimensions)), axis=0)
    drift = np.abs(drift % (4.0 * swing) - 2.0 * swing)
    return _table(20.0 + daily + drift + draw.normal(scale=1.0, size=(count, dimensions)))


def _table(points: np.ndarray) -> pa.Table:
    number = np.arange(len(points))
    columns = {f"c{k}": np.ascontiguousarray(points[:, k]) for k in range(points.shape[1])}
    return pa.table({"id": number, "n": number, **columns})
