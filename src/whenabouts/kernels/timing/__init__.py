"""The timing join: bounds that decide without arithmetic, the sweep, and the papers' own algorithms."""
