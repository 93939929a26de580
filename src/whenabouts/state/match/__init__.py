"""Pattern matching as a state machine."""
