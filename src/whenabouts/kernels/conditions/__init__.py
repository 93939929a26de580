"""Conditions over several events at once, as programs that a small machine runs."""
