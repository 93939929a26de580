"""The timing join as a state machine: what it keeps, and until when."""
