"""The similarity join of uncertain objects on Arrow tables."""
