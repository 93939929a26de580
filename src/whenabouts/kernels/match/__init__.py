"""Patterns of uncertain times: valid ranges, confidences, and the search for matches."""
