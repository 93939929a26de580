"""Frozen values: models of time, histograms, durations, predicates. They hold no data and compute on none."""
