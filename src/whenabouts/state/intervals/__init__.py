"""Interval queries over streams: point events come in one by one, and a pair is answered when both keys are closed."""
