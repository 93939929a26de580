"""Points into clouds of samples, the same for a row wherever it is worked on."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whenabouts.errors import BadRows
from whenabouts.kernels.events import Floats
from whenabouts.model.blur import Blur, Layout

Bits = NDArray[np.uint64]


def blurred(table: pa.Table, blur: Blur) -> pa.Table:
    """The table with a column of samples: for every row points around its own, in a ball or normally distributed.

    Randomness is a hash of the seed, the row's coordinates and id, and the sample's number, so it does not depend on
    how rows are spread over tasks.
    """
    points = np.column_stack([_numbers(table, name) for name in blur.points]).reshape(len(table), len(blur.points))
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise BadRows(f"wa.blur: row {row} has no finite point in {', '.join(blur.points)}. Filter such rows out.")
    rows = _row_bits(table, blur, points)
    radius = _radii(table, blur, rows)
    count, d = blur.samples, points.shape[1]
    each = _mixed(rows[:, None] + _mixed(np.arange(1, count + 1, dtype=np.uint64))[None, :])
    normals = np.stack([_normal(each, 2 * k) for k in range(d)], axis=2)
    if blur.shape == "ball":
        length = np.linalg.norm(normals, axis=2, keepdims=True)
        share = _uniform(each, 2 * d)[:, :, None] ** (1.0 / d)
        normals = normals / np.where(length > 0, length, 1.0) * share
    samples = points[:, None, :] + radius[:, None, None] * normals
    return table.append_column(blur.into, _laid_out(samples, blur.layout))


def _laid_out(samples: Floats, layout: Layout) -> pa.Array:
    """Samples of shape (rows, points, coordinates) as a column."""
    n, count, d = samples.shape
    flat = samples.reshape(-1)
    if layout == "packed":
        kind = pa.binary(8 * count * d)
        return pa.Array.from_buffers(kind, n, [None, pa.py_buffer(flat.astype("<f8", copy=False))]).cast(pa.binary())
    if layout == "flat":
        return _lists(flat, n, count * d)
    return _lists(_lists(flat, n * count, d), n, count)


def _lists(values: Floats | pa.Array, count: int, size: int) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(np.arange(count + 1) * size, pa.int32()), values)


def _numbers(table: pa.Table, name: str) -> Floats:
    return table.column(name).cast(pa.float64()).combine_chunks().to_numpy(zero_copy_only=False)


def _row_bits(table: pa.Table, blur: Blur, points: Floats) -> Bits:
    bits = np.full(len(table), np.uint64(blur.seed % 2**64), dtype=np.uint64)
    for column in points.T:
        bits = _mixed(bits ^ np.ascontiguousarray(column).view(np.uint64))
    if blur.id is not None:
        texts = [zlib.crc32(str(value).encode()) for value in table.column(blur.id).to_pylist()]
        bits = _mixed(bits ^ np.array(texts, dtype=np.uint64))
    return bits


def _radii(table: pa.Table, blur: Blur, rows: Bits) -> Floats:
    if isinstance(blur.radius, str):
        radius = _numbers(table, blur.radius)
        if not (radius >= 0).all() or not np.isfinite(radius).all():
            row = int(np.flatnonzero(~((radius >= 0) & np.isfinite(radius)))[0])
            raise BadRows(f"wa.blur: row {row} has no radius of zero or more in {blur.radius!r}.")
        return radius
    low, high = blur.radius
    if blur.radii == "uniform":
        return low + (high - low) * _uniform(rows, 1)
    return np.clip((low + high) / 2 + math.sqrt((low + high) / 5) * _normal(rows, 1), low, high)


def _mixed(bits: Bits) -> Bits:
    """SplitMix64's finalizer: every bit of the result depends on every bit that went in."""
    with np.errstate(over="ignore"):
        bits = bits + np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return bits ^ (bits >> np.uint64(31))


def _uniform(bits: Bits, draw: int) -> Floats:
    """A number in (0, 1) for each, a different one for each draw."""
    fresh = _mixed(bits ^ _mixed(np.array([draw], dtype=np.uint64))[0])
    return ((fresh >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _normal(bits: Bits, draw: int) -> Floats:
    """A standard normal number for each (Box and Muller)."""
    return np.sqrt(-2.0 * np.log(_uniform(bits, draw))) * np.cos(2.0 * np.pi * _uniform(bits, draw + 1))
