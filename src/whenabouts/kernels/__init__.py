"""Arrays in, arrays out: NumPy and Numba only, no tables, no Spark."""
