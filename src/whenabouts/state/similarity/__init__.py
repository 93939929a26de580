"""The similarity join of streams: windows as state."""
