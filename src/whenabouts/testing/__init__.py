"""Seeded generators of uncertain events, for tests, examples and benchmarks.

Each generator is a pure function of its arguments: the same seed gives the same rows, on every machine. They need
NumPy and pyarrow only.
"""

from whenabouts.testing.clusters import cluster_monitoring
from whenabouts.testing.interval_tables import intervals, write_intervals
from whenabouts.testing.moving_points import readings, trajectory
from whenabouts.testing.number_series import number_series
from whenabouts.testing.segment_streams import bus_positions, lose, poisson_segments, road_speeds
from whenabouts.testing.sensor_networks import sensor_network
from whenabouts.testing.streams import arrivals
from whenabouts.testing.templates import template_histograms

__all__ = [
    "arrivals",
    "bus_positions",
    "cluster_monitoring",
    "intervals",
    "lose",
    "number_series",
    "poisson_segments",
    "readings",
    "road_speeds",
    "sensor_network",
    "template_histograms",
    "trajectory",
    "write_intervals",
]
