"""The figures of the papers on timing joins, measured and drawn again: ``python -m benchmarks.figures``."""
