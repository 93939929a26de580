"""Interval queries over segmented intervals with lost events (paper 004)."""
