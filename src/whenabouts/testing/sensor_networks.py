"""A field of seismic and acoustic sensors, with intruders in it and noise: example 2 of the PTJoin paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from whenabouts.testing.templates import template_histograms

if TYPE_CHECKING:
    from whenabouts.model.histogram import Histogram

__all__ = ["sensor_network"]

START_MICROSECONDS = 1_767_225_600_000_000
"""2026-01-01 00:00 UTC."""

SECONDS_BETWEEN_EVENTS = 20.0
INTRUDER_SHARE = 0.5
MODALITY_GAP_SECONDS = 0.5
"""The standard deviation of the time between the seismic and the acoustic event of one intruder."""

LATENCY_SECONDS = (0.2, 2.0)


def sensor_network(
    n: int, *, sensors: int = 50, seed: int
) -> tuple[pa.Table, pa.Table, dict[str, Histogram], dict[str, Histogram]]:
    """
    Make the detections of a surveillance region: seismic and acoustic events, half of them caused by intruders.

    An intruder causes one seismic and one acoustic event, half a second apart or so; the other half of either table
    is background noise, on its own. Every event is detected by a sensor of its kind after a latency drawn from
    that sensor's template histogram, so that ``detected = occurred + latency``. A table has an event every
    20 seconds on average, and rows stand in the order of their detection.

    Parameters
    ----------
    n
        How many events either table has.
    sensors
        How many sensors there are of either kind.
    seed
        What the random numbers start from.

    Returns
    -------
    seismic, acoustic : pa.Table
        Columns ``id`` (int64, the number of the row), ``sensor`` (string), ``detected`` (timestamp[us, UTC]), and what
        a real network would not know, to score answers with: ``occurred`` (timestamp[us, UTC]) and ``intruder``
        (int64, the same number in both tables, null for noise).
    seismic_latency, acoustic_latency : dict of str to Histogram
        The name of a sensor to the histogram of its detection latency, whose edges are in seconds.

    Examples
    --------
    >>> seismic, acoustic, seismic_latency, acoustic_latency = sensor_network(1000, seed=7)
    >>> seismic.column_names
    ['id', 'sensor', 'detected', 'occurred', 'intruder']
    """
    if n < 0 or sensors < 1:
        message = f"a sensor network needs n >= 0 and sensors >= 1; got {n=}, {sensors=}"
        raise ValueError(message)
    random = np.random.default_rng(seed)
    seismic_seed, acoustic_seed = random.integers(1 << 32, size=2).tolist()
    seismic_latency = template_histograms(sensors, length=LATENCY_SECONDS, seed=seismic_seed, prefix="seismic-")
    acoustic_latency = template_histograms(sensors, length=LATENCY_SECONDS, seed=acoustic_seed, prefix="acoustic-")

    span = n * SECONDS_BETWEEN_EVENTS
    intrusions = np.sort(random.uniform(0.0, span, round(n * INTRUDER_SHARE)))
    heard = np.maximum(intrusions + random.normal(0.0, MODALITY_GAP_SECONDS, intrusions.size), 0.0)
    return (
        _detections(intrusions, n, span, seismic_latency, random),
        _detections(heard, n, span, acoustic_latency, random),
        seismic_latency,
        acoustic_latency,
    )


def _detections(
    caused: np.ndarray, n: int, span: float, latency: dict[str, Histogram], random: np.random.Generator
) -> pa.Table:
    """Add noise to the events that intruders `caused`, detect all of them, and order them by their detection."""
    occurred = np.concatenate([caused, random.uniform(0.0, span, n - caused.size)])
    sensor = random.integers(len(latency), size=n)
    edges = np.array([template.edges for template in latency.values()])
    mass = np.array([template.mass for template in latency.values()])

    # The bucket is the first whose cumulated mass passes a uniform draw. Sensor k's masses cumulate from k to k + 1, so
    # that one search over all sensors finds it.
    buckets = mass.shape[1]
    cumulated = np.cumsum(mass, axis=1)
    ladder = (np.arange(len(latency))[:, np.newaxis] + cumulated / cumulated[:, -1:]).ravel()
    step = np.searchsorted(ladder, sensor + random.random(n), side="right")
    bucket = np.clip(step - sensor * buckets, 0, buckets - 1)
    low, high = edges[sensor, bucket], edges[sensor, bucket + 1]
    detected = occurred + low + (high - low) * random.random(n)

    order = np.argsort(detected, kind="stable")
    is_noise = order >= caused.size
    names = pa.array(list(latency), pa.string())
    return pa.table(
        {
            "id": np.arange(n, dtype=np.int64),
            "sensor": names.take(pa.array(sensor[order])),
            "detected": _timestamps(detected[order]),
            "occurred": _timestamps(occurred[order]),
            "intruder": pa.array(order, pa.int64(), mask=is_noise),
        }
    )


def _timestamps(seconds: np.ndarray) -> pa.Array:
    microseconds = START_MICROSECONDS + np.rint(seconds * 1e6).astype(np.int64)
    return pa.array(microseconds).cast(pa.timestamp("us", "UTC"))
