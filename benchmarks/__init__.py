"""Benchmarks of whenabouts against what one would write without it. Run them with ``python -m benchmarks``."""
