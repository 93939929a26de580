"""Kernels of interval queries: sequences of point events, some lost, and the chance that a query holds."""
